#!/usr/bin/env bash
# The test that compares a GPU with the processor, without a GPU: the CUDA build, on a driver that runs
# kernels on the processor. It checks all that lies between the network and the kernels: memory,
# arguments, launches, gradients, updates.
#
#     scripts/gpu_on_host/run.sh
#
# Needs a CUDA toolkit (CUDA_HOME or nvcc in PATH, and the stubs of its libraries) and a C++ compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program=$(cargo test -p model --features cuda --test gpu_agrees_with_the_processor --no-run \
  --message-format=json | python3 -c '
import json, sys
built = [json.loads(line) for line in sys.stdin]
print([b["executable"] for b in built if b.get("target", {}).get("name", "").startswith("gpu_agrees")][-1])')

c++ -std=c++17 -O2 -shared -fPIC -x c++ model/src/network/ops/cuda/all.cu -o "$work/twins.so"
c++ -std=c++17 -O2 -Wall -c -fPIC scripts/gpu_on_host/driver.cpp -o "$work/driver.o"
# Whatever else is asked of CUDA succeeds and does nothing.
comm -23 <(nm -D --undefined-only "$program" | awk '$2 ~ /^(cu|nvrtc)[A-Z]|^(cublas|curand|nvrtc)/ {print $2}' | sort -u) \
  <(nm --defined-only "$work/driver.o" | awk '{print $3}' | sort -u) |
  sed 's/.*/int &(void) { return 0; }/' >"$work/rest.c"
cc -w -c -fPIC "$work/rest.c" -o "$work/rest.o"
c++ -shared "$work/driver.o" "$work/rest.o" -ldl -o "$work/driver.so"
# One library under the names of all those that the program asks for.
readelf -d "$program" | grep -oE '\[lib(cuda|cublas|cublasLt|curand|nvrtc)\.so[.0-9]*\]' | tr -d '[]' |
  while read -r name; do ln -s driver.so "$work/$name"; done

cd model
LD_LIBRARY_PATH="$work" CAIRN_TWINS="$work/twins.so" "$program" --nocapture
