#!/usr/bin/env bash
# Random fusion decisions, loop orders and tile sizes: 100,000 programs by default, in batches that
# each end with a line of their own. Ends at the first batch in which a program gave other numbers
# than the reference evaluator.
#   tests/fuzz/decisions.sh [COUNT] [SEED]
set -euo pipefail
cd "$(dirname "$0")/../.."
count=${1:-100000}
seed=${2:-$(date +%Y%m%d)0000}
batch=5000
preset=${CATEN_PRESET:-release}
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build "build/$preset" --target fuzz_programs
echo "seed $seed"
for ((done = 0; done < count; done += batch)); do
  size=$((count - done < batch ? count - done : batch))
  "build/$preset/tests/fuzz/fuzz_programs" --seed $((seed + done)) --count "$size" \
    --batch 500 --decisions --backends tcc,threads --shrink
done
