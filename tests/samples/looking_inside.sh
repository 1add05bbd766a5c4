#!/usr/bin/env bash
# looking_inside.sh CATENC: every command that README names under "Looking inside" shows what it says, and
# files find what they load.
set -euo pipefail
catenc=$1
model=samples/mlp.lisp

# shows WHAT COMMAND…: the command succeeds and a line of what it prints matches.
shows() {
  local expected=$1
  shift
  local text
  text=$("$@" 2>&1) || { echo "failed: $*"; exit 1; }
  grep -qE -- "$expected" <<< "$text" || { echo "no line with '$expected': $*"; exit 1; }
}

for stage in datum graph air air-simplified schedule loops program c dot json; do
  shows . "$catenc" --emit=$stage $model
done
shows '-> scratch r[0-9]+: .* recomputing costs' "$catenc" --explain-fusion $model
shows 'arena .* bytes' "$catenc" --memory $model
shows '^ +[0-9.]+ ms  fuse' "$catenc" --time-passes --emit=c $model
shows '^kernel +calls +total us' "$catenc" run --profile samples/run_sincos.lisp
shows '^sincos\w* +1 +[0-9.]+ +[0-9.]+ 100.0%' "$catenc" run --profile samples/run_sincos.lisp
shows ' 0 failed' "$catenc" test --poison tests/lisp/overwriting.lisp
shows '^;;; ---- loops' "$catenc" explain samples/sincos.lisp
shows '^schedule +fuse' "$catenc" --list-passes
shows 'reshape\(x\) -> x' "$catenc" --list-rules
shows '^3' "$catenc" run --eval '(print (+ 1 2))' --no-warnings
shows '^7' "$catenc" --no-init --load samples/run_sincos.lisp --eval '(print (+ 3 4))'
shows 'backend TCC: ok' "$catenc" doctor
shows 'instruction set of kernels: baseline' env CATENC_ISA=baseline "$catenc" doctor
shows 'instruction set of kernels' env CATENC_ISA= "$catenc" doctor

# A file loads what is beside it, wherever it is run from.
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
echo '(load "part.lisp") (print (load "absent.lisp" :if-does-not-exist nil))' > "$folder/main.lisp"
echo '(print 42)' > "$folder/part.lisp"
shows '^42' "$catenc" run "$folder/main.lisp"
shows '^NIL' "$catenc" run "$folder/main.lisp"
