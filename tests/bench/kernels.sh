#!/usr/bin/env bash
# Kernels beside PyTorch, OpenBLAS, ONNX Runtime and gcc: see kernels.py. Needs Debian's python3-torch,
# libopenblas0 and python3-pip; ONNX Runtime is fetched from PyPI into the build, its rows are left
# out where that fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -f build/release/build.ninja ] || cmake --preset release > /dev/null
cmake --build build/release --target kernels_worker catenc > /dev/null
packages=build/release/bench-python
[ -d "$packages/onnxruntime" ] ||
  /usr/bin/python3 -m pip install --quiet --no-deps --target "$packages" onnxruntime==1.16.3 ||
  echo "ONNX Runtime could not be installed: no rows of it" >&2
# The C library keeps what PyTorch frees: otherwise its rows would be page faults.
export MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=4294967296
PYTHONPATH=$packages exec /usr/bin/python3 tests/bench/kernels.py \
  "$(find build/release -name kernels_worker -type f)" build/release/bin/catenc "$@"
