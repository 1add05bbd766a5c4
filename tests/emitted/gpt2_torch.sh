#!/usr/bin/env bash
# gpt2_torch.sh CATENC EXPECTED.txt COMPILERS DIM HEADS LAYERS VOCABULARY LENGTH SEED: GPT-2 in memory
# and as C, cached and uncached, against the tokens and logits that tests/oracle/torch_gpt2.py printed
# for these numbers. COMPILERS is a list in one argument.
set -euo pipefail
catenc=$(realpath "$1") expected=$(realpath "$2") compilers=$3
shift 3
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ echo "(defparameter *config* '($*))"; cat "$here/gpt2_torch.lisp"; } > gpt2.lisp

check() {  # WHAT FILE: both reports of the file are the expected ones
  awk -v what="$1" '
    NR == FNR { want[$1] = $0; next }
    $1 == "tokens:" && $0 != want[$1] { print what ": " $0; bad = 1 }
    $1 == "logits:" {
      n = split(want[$1], w)
      for (i = 2; i <= n; ++i) { d = w[i] - $i; if (d < 0) d = -d; if (d > worst) worst = d }
      if (NF != n) bad = 1
    }
    { ++lines }
    END {
      printf "%s: logits differ by at most %.1e\n", what, worst
      exit bad || worst > 1e-4 || lines != 4
    }' "$expected" "$2"
}

time "$catenc" run gpt2.lisp > memory.txt
check "in memory" memory.txt
"$catenc" gpt2.lisp -o kernels.c --weights=file
for compiler in $compilers; do
  command -v "$compiler" > /dev/null || { echo "skipped: there is no $compiler"; continue; }
  "$compiler" -std=c99 -O3 "$here/gpt2_torch_main.c" kernels.c -I. -lm -o main
  time ./main "$4" kernels.safetensors > c.txt
  check "$compiler" c.txt
done
