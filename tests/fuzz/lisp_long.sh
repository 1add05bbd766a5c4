#!/usr/bin/env bash
# The long run of the Lisp fuzz: mutated forms of the corpus (tests/golden/lisp) in the evaluator,
# from a seed that changes from day to day unless one is given. No crash, hang or internal error.
#   tests/fuzz/lisp_long.sh [ROUNDS] [SEED]
set -euo pipefail
cd "$(dirname "$0")/../.."
preset=${CATEN_PRESET:-release}
export CATEN_FUZZ_ROUNDS=${1:-200000}
export CATEN_FUZZ_SEED=${2:-$(date +%Y%m%d)00000}
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build "build/$preset" --target lisp_tests
echo "seed $CATEN_FUZZ_SEED, $CATEN_FUZZ_ROUNDS programs; the last one is in fuzz_program.lisp"
CATEN_FUZZ_TRACE=1 exec "build/$preset/tests/unit/lisp/lisp_tests" --gtest_filter='Fuzz.*'
