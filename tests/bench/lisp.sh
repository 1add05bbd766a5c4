#!/usr/bin/env bash
# The evaluator's speed and memory, release build: see speed.lisp and memory.lisp.
set -euo pipefail
cd "$(dirname "$0")/../.."
catenc=build/release/bin/catenc
"$catenc" run tests/bench/speed.lisp
"$catenc" run tests/bench/memory.lisp
