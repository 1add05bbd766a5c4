#!/usr/bin/env bash
# check.sh CATENC BACKEND SAMPLE.lisp EXPECTED.txt: runs a sample and compares what it prints with the
# file. CATEN_BLESS=1 rewrites the file instead.
set -euo pipefail
catenc=$1 backend=$2 sample=$3 expected=$4
if [ -n "${CATEN_BLESS:-}" ]; then
  "$catenc" run --backend="$backend" "$sample" > "$expected"
  exit
fi
"$catenc" run --backend="$backend" "$sample" | diff -u "$expected" -
