#!/usr/bin/env bash
# The command line from outside: exit codes, warnings as errors, the places of errors in every stage.
#   tests/support/command_line.sh CATENC
set -euo pipefail
catenc=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# expect CODE WORDS ARGUMENTS...: runs catenc; its exit code, and words that its output has.
expect() {
  local code=$1 words=$2 got=0
  shift 2
  "$catenc" "$@" > out.txt 2>&1 < /dev/null || got=$?
  if [ "$got" -ne "$code" ] || ! grep -qF -- "$words" out.txt; then
    echo "catenc $*: exit code $got, expected $code with \`$words\`; the output:"
    cat out.txt
    exit 1
  fi
}

cat > suspicious.lisp << 'END'
(defun area (width height) (* width width))
(defentry square ((x (4))) (!mul x x))
(print (area 2 3))
END
expect 0 "variable \`height\` is never used [W0101]" run suspicious.lisp
expect 1 "variable \`height\` is never used [W0101]" --werror run suspicious.lisp
expect 0 "4" --no-warnings --werror run suspicious.lisp
expect 0 "W0101" suspicious.lisp -o kernels.c
[ -f kernels.c ]
rm kernels.c kernels.h
expect 1 "W0101" --werror suspicious.lisp -o kernels.c
[ ! -e kernels.c ]

printf '(print 1)\n(defun open (x)\n  (* x 2)\n' > unbalanced.lisp
for stage in "run" "explain" "-o kernels.c" "--emit=datum" "--emit=graph"; do
  # shellcheck disable=SC2086
  if [ "$stage" = run ] || [ "$stage" = explain ]; then
    expect 1 "unbalanced.lisp:2:1: error:" $stage unbalanced.lisp
  else
    expect 1 "unbalanced.lisp:2:1: error:" unbalanced.lisp $stage
  fi
done
[ ! -e kernels.c ]

# Instruction sets: a lower one on request, and no silence about what there is not.
CATENC_ISA=baseline expect 0 "instruction set of kernels: baseline" doctor
CATENC_ISA=mmx expect 2 "CATENC_ISA is \`mmx\`, which is none of baseline, avx2, avx512" doctor
