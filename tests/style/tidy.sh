#!/usr/bin/env bash
# clang-tidy with the profile .clang-tidy, over the files given or over every source of the compiler:
#   bash tests/style/tidy.sh [FILE...]
# A script of its own because a whole run takes about half an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v clang-tidy >/dev/null || {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends clang clang-tidy >/dev/null
}
cmake -S . -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
if [ $# -eq 0 ]; then
  mapfile -t files < <(find ir codegen runtime frontend -name '*.cpp' | sort)
else
  files=("$@")
fi
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 1 clang-tidy -p build/tidy --quiet 2>/dev/null
echo "clang-tidy: ${#files[@]} files, no complaint"
