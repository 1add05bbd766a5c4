#!/usr/bin/env bash
# The long fuzz run: 20,000 programs by default, on every backend and through every C compiler that
# is installed, from a seed that changes from day to day unless one is given.
#   tests/fuzz/long.sh [COUNT] [SEED]
set -euo pipefail
cd "$(dirname "$0")/../.."
count=${1:-20000}
seed=${2:-$(date +%Y%m%d)0000}
preset=${CATEN_PRESET:-release}
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build "build/$preset" --target fuzz_programs
backends=simplify,interp,tcc,threads
for compiler in gcc clang; do
  if command -v "$compiler" >/dev/null; then backends+=",$compiler"; fi
done
if command -v gcc >/dev/null; then backends+=,gnu; fi
if command -v tcc >/dev/null; then backends+=,tinycc; fi
echo "seed $seed, backends $backends"
exec "build/$preset/tests/fuzz/fuzz_programs" --seed "$seed" --count "$count" --backends "$backends" --shrink
