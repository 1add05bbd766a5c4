#!/usr/bin/env bash
# gpt2_full.sh CATENC: GPT-2 small (12 layers, 768 wide, 50257 tokens) with seeded weights against
# PyTorch: 16 greedy tokens and logits, in memory and through the emitted C. Takes minutes and 2 GB.
set -euo pipefail
size=(768 12 12 50257 1024 7)
expected=$(mktemp)
trap 'rm -f "$expected"' EXIT
/usr/bin/python3 "$(dirname "$0")/torch_gpt2.py" "${size[@]}" > "$expected"
cat "$expected"
bash "$(dirname "$0")/../emitted/gpt2_torch.sh" "$1" "$expected" gcc "${size[@]}"
