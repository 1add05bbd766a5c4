#!/usr/bin/env bash
# products.sh CATENC: everything `-o` can make of tests/emitted/products.lisp. The main program of
# --emit-main must compile strictly and give the script's numbers, with the weights in the C file, in
# a file and from the caller; so must the .o, .so, .a and the program that --cc makes. Then the
# mistakes. Nothing is left behind.
set -euo pipefail
catenc=$(realpath "$1")
program=$(realpath tests/emitted/products.lisp)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
strict=(-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror)
compilers=()
for compiler in gcc clang tcc; do
  command -v $compiler > /dev/null && compilers+=("$compiler")
done
[ ${#compilers[@]} -gt 0 ] || { echo "skipped: there is no C compiler"; exit 77; }

mkdir data
numbers() {  # every number of the input on a line of its own, T and true as 1
  sed -E 's/^[a-z0-9_]+ [a-z0-9]+ \(.*//; s/\b(T|true)\b/1/g; s/\b(NIL|false)\b/0/g; s/d0//g' |
    grep -oE -- '-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?'
}
"$catenc" run "$program" data | numbers > expected
[ "$(wc -l < expected)" = 28 ]

same() {  # WHAT COMMAND...: its functions print the expected numbers
  local what=$1; shift
  { "$@" dense "${weights[@]}" data/x.npy "${arrays[@]}"
    "$@" pick n=3 data/ids.npy data/table.npy
    "$@" add_to_total data/d.npy; } | numbers > got
  paste expected got | awk -v what="$what" '
    { d = $1 - $2; if (d < 0) d = -d; if (NF != 2 || d > 1e-5) { print what ": " $0; bad = 1 } }
    END { exit bad }'
}

for kind in embed file caller; do
  "$catenc" "$program" -o kernels.c --emit-main --weights=$kind
  weights=(); arrays=()
  [ $kind = file ] && { mv kernels.safetensors w; weights=(--weights=w); }
  [ $kind = caller ] && arrays=(data/weight.npy data/bias.npy)
  for compiler in "${compilers[@]}"; do
    flags=("${strict[@]}")
    [ "$compiler" = tcc ] && flags=(-std=c99 -Wall -Werror)
    "$compiler" "${flags[@]}" kernels.c kernels_main.c -lm -o main
    same "$compiler, weights: $kind" ./main
  done
done

# Mistakes of whoever runs the main program.
fails() {  # TEXT COMMAND...: exit code 1 or 2 and TEXT on standard error
  local text=$1 status=0; shift
  "$@" > /dev/null 2> message || status=$?
  { [ $status = 1 ] || [ $status = 2 ]; } && grep -qF -- "$text" message ||
    { echo "expected: $text; status $status"; cat message; exit 1; }
}
fails "usage" ./main
fails "x: its .npy file is missing" ./main dense
fails "absent.npy: cannot be read" ./main dense absent.npy
fails "wants elements of type <f4" ./main dense data/ids.npy data/weight.npy data/bias.npy
fails "has too few axes" ./main dense data/d.npy data/weight.npy data/bias.npy
fails "axis 1 has 2 elements, expected 3" ./main dense data/square.npy data/weight.npy data/bias.npy
fails "pick: an element used as an index" ./main pick data/outside.npy data/table.npy

weights=(); arrays=()
for compiler in "${compilers[@]}"; do
  for output in m.o m.so libm2.so m.a; do
    "$catenc" "$program" -o "$output" --cc="$compiler" --emit-main
    stem=${output%.*}; stem=${stem#lib}
    # An object of one compiler links with any other's.
    "${compilers[0]}" -std=c99 -I. "${stem}_main.c" "./$output" -lm -Wl,-rpath,"$work" -o main
    same "--cc=$compiler -o $output" ./main
    rm -f "$output" "$stem.h" "${stem}_main.c"
  done
  "$catenc" "$program" -o program --cc="$compiler" --emit-main
  same "--cc=$compiler -o program" ./program
  rm program
done
"$catenc" "$program" -o first.o && [ -s first.o ]

# Mistakes of whoever runs catenc.
fails "there is no \`gcc\` in PATH" env PATH=/nonexistent "$catenc" "$program" -o m.o --cc=gcc
fails "there is no C compiler" env PATH=/nonexistent "$catenc" "$program" -o m.o
fails "--cc=gcc makes .o, .so and .a files" "$catenc" "$program" -o m.c --cc=gcc
fails "cannot write" "$catenc" "$program" -o absent/m.o --cc="${compilers[0]}"
mkdir bin
printf '#!/bin/sh\necho "broken compiler" >&2\nexit 3\n' > bin/gcc
chmod +x bin/gcc
fails "broken compiler" env PATH="$work/bin" "$catenc" "$program" -o m.o --cc=gcc
[ ! -e m.o ] && [ ! -e m.h ]

# Into a pipe goes the C alone: nothing is put beside it.
mkfifo pipe
"$catenc" "$program" -o pipe &
grep -c '^int dense(' pipe
wait $!
[ -p pipe ] && [ ! -e pipe.h ]
echo "ok: ${compilers[*]}"
