#!/usr/bin/env bash
# Whole-process time and memory, cold rows of PERFORMANCE: `catenc sincos.lisp -o kernels.c` and
# `catenc run`, beside a process that does nothing (the floor of this machine).
set -euo pipefail
cd "$(dirname "$0")/../.."
catenc=build/release/bin/catenc
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

row() {
  local name=$1
  shift
  local kib
  kib=$(/usr/bin/time -f %M "$@" 2>&1 >/dev/null | tail -n 1)
  local ms
  ms=$(hyperfine -N --warmup 3 --runs 40 --export-json "$out/h.json" "$*" >/dev/null 2>&1 &&
       sed -n 's/.*"median": \([0-9.e-]*\),.*/\1/p' "$out/h.json" | head -1)
  awk -v n="$name" -v s="$ms" -v k="$kib" 'BEGIN { printf "%-44s %8.2f ms %8.1f MiB\n", n, s * 1000, k / 1024 }'
}

row "floor: /bin/true" /bin/true
row "catenc --version" "$catenc" --version
row "catenc sincos.lisp -o kernels.c" "$catenc" samples/sincos.lisp -o "$out/kernels.c"
row "catenc run run_sincos.lisp" "$catenc" run samples/run_sincos.lisp
row "catenc run mlp.lisp" "$catenc" run samples/mlp.lisp
