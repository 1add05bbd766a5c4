#!/usr/bin/env bash
# Installs what the tests need, builds, runs every test and closes with a line that counts them.
#   bash tests/run.sh [ctest options, e.g. -R softmax or -L unit]
# Works on a fresh Debian 12 machine as root; quick when the work is already done.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ cmake ninja-build ccache git libcli11-dev libedit-dev libfmt-dev tao-pegtl-dev libgtest-dev
          libmpfr-dev libpcre2-dev libtcc-dev make nlohmann-json3-dev tcc clang clang-format)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
    missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  # A machine that has just started may be updating itself: wait for its lock.
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" >/dev/null
fi

preset=${CATEN_PRESET:-dev}
jobs=$(nproc)
# What was just installed may have been missing when the build was set up.
[ ${#missing[@]} -eq 0 ] && [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build "build/$preset" -j "$jobs" -- --quiet

set +e
ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure "$@" | tee "build/$preset/tests.log"
status=${PIPESTATUS[0]}
set -e
ran=$(grep -cE '^ *[0-9]+/[0-9]+ Test ' "build/$preset/tests.log" || true)
skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*(Skipped|Not Run)' "build/$preset/tests.log" || true)
failed=$(($(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*' "build/$preset/tests.log" || true) - skipped))
echo "$((ran - failed - skipped)) passed, $failed failed, $skipped skipped"
exit "$status"
