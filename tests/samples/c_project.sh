#!/usr/bin/env bash
# c_project.sh CATENC: builds samples/c_project with make in a directory of its own and runs it on the
# two digits drawn in digits.txt. Exit code 77 (skip) without make or a C compiler.
set -euo pipefail
catenc=$(realpath "$1")
command -v make > /dev/null || { echo "skipped: there is no make"; exit 77; }
command -v cc > /dev/null || { echo "skipped: there is no C compiler"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s -C samples/c_project CATENC="$catenc" BUILD="$work" CFLAGS="-O2 -Wall -Wextra -Werror"
answer=$("$work/classify" "$work/digits.safetensors" < samples/c_project/digits.txt)
echo "$answer"
[ "$(echo "$answer" | cut -d' ' -f1 | paste -sd' ')" = "3 7" ]
# The trained weights themselves have the same layout; a file with other tensors is refused.
[ "$("$work/classify" samples/data/digits_mlp.safetensors < samples/c_project/digits.txt)" = "$answer" ]
if "$work/classify" tests/data/three.safetensors < samples/c_project/digits.txt 2> /dev/null; then
  echo "a file with other tensors was taken"
  exit 1
fi
