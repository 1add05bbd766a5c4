#!/usr/bin/env bash
# arm.sh [JOBS]: builds for 64-bit Arm, where strips are `ct_*` routines with NEON, and runs it in QEMU:
# the Lisp tests on the tcc backend (TinyCC makes Arm code), random programs, and the unit tests of
# runtime and code generator. In a Debian 12 of its own in build/arm, which takes some minutes and
# 2 GB the first time. Needs root. Not part of the test suite.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build/arm/root
jobs=${1:-2}

mkdir -p "$root"
if [ ! -f "$root/ready" ]; then
  command -v debootstrap > /dev/null ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap > /dev/null; }
  debootstrap --variant=minbase bookworm "$root" > /dev/null
  cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
fi
trap 'umount "$root/src" "$root/proc" 2> /dev/null || true' EXIT
mount -t proc proc "$root/proc"
mkdir -p "$root/src"
mount --bind "$PWD" "$root/src"

if [ ! -f "$root/ready" ]; then
  chroot "$root" sh -e << 'END'
export DEBIAN_FRONTEND=noninteractive
dpkg --add-architecture arm64
apt-get update -qq
apt-get install -y -qq --no-install-recommends cmake ninja-build g++ g++-aarch64-linux-gnu git \
  libcli11-dev nlohmann-json3-dev qemu-user-static tao-pegtl-dev libedit-dev:arm64 libfmt-dev:arm64 libgomp1:arm64 \
  libgtest-dev:arm64 libmpfr-dev:arm64 libpcre2-dev:arm64 libtcc-dev:arm64 > /dev/null
git config --global --add safe.directory /src
touch /ready
END
fi

chroot "$root" env JOBS="$jobs" bash -euo pipefail << 'END'
cd /src
[ -f /build/build.ninja ] ||
  cmake -S . -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_LIBRARY_ARCHITECTURE=aarch64-linux-gnu \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    -DCMAKE_OBJCOPY=/usr/bin/aarch64-linux-gnu-objcopy \
    -DCMAKE_FIND_ROOT_PATH="/usr/aarch64-linux-gnu;/usr" \
    -DCMAKE_CROSSCOMPILING_EMULATOR="/usr/bin/qemu-aarch64-static;-L;/" > /dev/null
cmake --build /build -j "$JOBS" --target catenc runtime_tests codegen_tests fuzz_programs -- --quiet
on_arm="qemu-aarch64-static -L /"
# The gcc that tests find makes Arm code, too.
mkdir -p /build/tools
ln -sf /usr/bin/aarch64-linux-gnu-gcc /build/tools/gcc
export PATH=/build/tools:$PATH
for test in tests/lisp/*.lisp; do
  $on_arm /build/bin/catenc test --backend=tcc "$test" | tail -1 | sed "s|^|$test: |"
done
$on_arm /build/tests/fuzz/fuzz_programs --seed 1 --count 500 --backends tcc,threads | tail -1
# Not here: a program that cannot be started is found out later in QEMU; the cc backend wants a compiler
# that knows the machine it runs on; TinyCC as a program is not installed.
$on_arm /build/tests/unit/runtime/runtime_tests --gtest_brief=1 \
  --gtest_filter='-SystemCompiler.ReportsOutputAndEnd'
$on_arm /build/tests/unit/codegen/codegen_tests --gtest_brief=1 \
  --gtest_filter='-Native*:Auto*:Library.LongChainsCompile'
echo "ok: on 64-bit Arm, too"
END
