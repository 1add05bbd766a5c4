#!/usr/bin/env bash
# Kernels beside PyTorch, OpenBLAS and gcc (Debian's python3-torch, libopenblas0): see kernels.py.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -f build/release/build.ninja ] || cmake --preset release > /dev/null
cmake --build build/release --target kernels_worker catenc > /dev/null
# The C library keeps what PyTorch frees: otherwise its rows would be page faults.
export MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=4294967296
exec /usr/bin/python3 tests/bench/kernels.py "$(find build/release -name kernels_worker -type f)" build/release/bin/catenc "$@"
