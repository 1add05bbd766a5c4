#!/usr/bin/env bash
# tsan.sh [JOBS]: builds what starts threads with ThreadSanitizer (preset tsan) and runs it: the pool,
# the workers, executors in several threads, parallel loops of every kind, the backend that swaps code
# in, and samples with four threads. Not part of the test suite: it builds everything anew.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tsan > /dev/null
cmake --build build/tsan -j "${1:-2}" --target runtime_tests codegen_tests catenc
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 allocator_may_return_null=1 ${TSAN_OPTIONS:-}"
build/tsan/tests/unit/runtime/runtime_tests \
  --gtest_filter='ThreadPool.*:Workers.*:Executor*:*Thread*:Auto*:Native*'
build/tsan/tests/unit/codegen/codegen_tests --gtest_filter='*Parallel*'
for sample in attention mlp gpt2; do
  build/tsan/bin/catenc run --threads=4 samples/$sample.lisp > /dev/null
done
build/tsan/bin/catenc run --threads=4 --backend=auto samples/mlp.lisp > /dev/null
echo "ok: ThreadSanitizer has nothing to say"
