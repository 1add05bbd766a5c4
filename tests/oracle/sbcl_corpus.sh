#!/usr/bin/env bash
# Rewrites the results in tests/golden/lisp/*.lisp (or the files given) with what SBCL answers.
# Run it after adding forms and review the diff; the tests themselves do not need SBCL.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  mapfile -t files < <(ls "$here"/../golden/lisp/*.lisp | grep -v bless | xargs grep -L "results are written by hand")
fi
for file in "${files[@]}"; do
  sbcl --script "$here/record.lisp" "$file"
done
