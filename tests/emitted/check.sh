#!/usr/bin/env bash
# check.sh CATENC PROGRAM.lisp [MAIN.c ARGS…]: emits the program as a C library, compiles it strictly
# with gcc, clang and tcc, links it with MAIN.c and runs that with ARGS (exit code 0 is a pass).
# MAIN.c finds the library's header as "kernels.h". Nothing is left behind.
set -euo pipefail
catenc=$1 program=$2 main=${3:-}
shift $(($# < 3 ? $# : 3))

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$catenc" "$program" -o "$work/kernels.c"

strict=(-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror)
# The header must also serve C++.
printf '#include "kernels.h"\nint main() { return 0; }\n' > "$work/header.cpp"
g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$work" "$work/header.cpp"

for compiler in "gcc -O0" "gcc -O3" "clang -O2" "tcc"; do
  read -r -a command <<< "$compiler"
  flags=("${strict[@]}")
  [ "${command[0]}" = tcc ] && flags=(-std=c99 -Wall -Werror)
  "${command[@]}" "${flags[@]}" -I"$work" -c "$work/kernels.c" -o "$work/kernels.o"
  if [ -n "$main" ]; then
    "${command[@]}" -std=c99 -I"$work" "$main" "$work/kernels.o" -lm -o "$work/main"
    "$work/main" "$@" || { echo "$compiler: the program failed"; exit 1; }
  fi
  echo "ok: $compiler"
done

# The gnu target, with and without OpenMP.
"$catenc" "$program" -o "$work/kernels.c" --target=gnu
for threads in "" "-fopenmp"; do
  gcc "${strict[@]}" -O3 $threads -I"$work" -c "$work/kernels.c" -o "$work/kernels.o"
  if [ -n "$main" ]; then
    gcc -std=c99 $threads -I"$work" "$main" "$work/kernels.o" -lm -o "$work/main"
    "$work/main" "$@" || { echo "gnu $threads: the program failed"; exit 1; }
  fi
  echo "ok: gnu $threads"
done
