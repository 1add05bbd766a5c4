#!/usr/bin/env bash
# Compile latency of the tcc target, from a graph to code that can be called: see compile_bench.cpp.
#   tests/bench/compile.sh [--passes] [ROW…]
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -f build/release/build.ninja ] || cmake --preset release > /dev/null
cmake --build build/release --target compile_bench > /dev/null
exec "$(find build/release -name compile_bench -type f)" "$@"
