#!/usr/bin/env bash
# Installs the packages, builds catenc (Release), compiles a sample to kernels.c, runs it and shows
# the numbers. Works on a fresh Debian 12 machine as root; quick when the work is already done.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ cmake ninja-build git libcli11-dev libedit-dev libfmt-dev tao-pegtl-dev libpcre2-dev libtcc-dev nlohmann-json3-dev)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
    missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "== installing: ${missing[*]}"
  # A machine that has just started may be updating itself: wait for its lock.
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" >/dev/null
fi

echo "== building catenc (Release)"
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
cmake --build build/release -j "$(nproc)" --target catenc -- --quiet
catenc=build/release/bin/catenc

out=build/quickstart
mkdir -p "$out"
echo "== catenc samples/sincos.lisp -o kernels.c"
"$catenc" samples/sincos.lisp -o "$out/kernels.c"
sed -n '/^int sincos/,/^}/p' "$out/kernels.c"

echo "== calling it from C"
cat > "$out/main.c" <<'C'
#include <stdio.h>
#include "kernels.h"

int main(void) {
  const float x[4] = {0.0f, 1.0f, 2.0f, 3.0f};
  float y[4];
  int status = sincos_(4, x, y);
  for (int i = 0; i < 4; i++) printf("sin(cos(%g)) = %.6f\n", (double)x[i], (double)y[i]);
  return status;
}
C
cc -std=c99 -O2 -I"$out" "$out/main.c" "$out/kernels.c" -lm -o "$out/main"
"$out/main"

echo "== the same through TinyCC in memory: catenc run samples/run_sincos.lisp"
"$catenc" run samples/run_sincos.lisp

echo "== a trained perceptron on the 8x8 digits: catenc run samples/mlp.lisp"
"$catenc" run samples/mlp.lisp
