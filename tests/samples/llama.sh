#!/usr/bin/env bash
# llama.sh CATENC BACKEND FOLDER: samples/llama.lisp with the trained "mathformer" weights in FOLDER, where
# they are present; their answers are PyTorch's. Exit code 77 means skipped.
set -euo pipefail
catenc=$1 backend=$2 folder=$3
if [ ! -f "$folder/add/model.safetensors" ]; then
  echo "skipped: the mathformer weights are not in $folder"
  exit 77
fi
run() { "$catenc" run --backend="$backend" samples/llama.lisp "$@"; }
diff -u <(printf '%s\n' 3+4=7 7+8=15 5+5=10 9+9=18) <(run "$folder/add" 3+4= 7+8= 5+5= 9+9=)
diff -u <(printf '%s\n' '3*4=12' '7*8=56') <(run "$folder/mul" '3*4=' '7*8=')
