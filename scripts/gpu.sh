#!/usr/bin/env bash
# What there is to see on a GPU, in one run of a few minutes: whether a step of training is the processor's, tokens a
# second and memory beside PyTorch, and a curve of losses.
#
#   scripts/gpu.sh build PROGRAMS                 here, with CUDA's compiler: the programs, stripped
#   scripts/gpu.sh run PROGRAMS DATA OUT          there, with a GPU and PyTorch; DATA is a dataset of `cairn generate`
#
# `run` goes on after a step that fails, and says how long each took. OUT gets the output of each step and `memory.txt`,
# the most memory of the GPU that was in use in each. TRAIN_STEPS are the steps of the curve (1,500), PRESETS the networks (all).
# What this printed stands in docs/benchmarks.md, "On a GPU".
set -u
root=$(cd "$(dirname "$0")/.." && pwd)

build() {
  local programs=$1
  mkdir -p "$programs"
  cd "$root" || exit
  cargo build --release --locked --features cuda -p cairn-eqsat || exit
  local made
  made=$(cargo test --release --locked -p cairn-model --features cuda --test gpu_agrees_with_the_processor --no-run \
    --message-format=json | sed -n 's/.*"executable":"\([^"]*gpu_agrees[^"]*\)".*/\1/p') || exit
  strip -o "$programs/gpu_agrees" "$made"
  made=$(cargo bench --locked -p cairn-model --features cuda --bench training --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*training[^"]*\)".*/\1/p') || exit
  strip -o "$programs/training" "$made"
  strip -o "$programs/cairn" "${CARGO_TARGET_DIR:-target}/release/cairn"
}

# Runs a step: its name, its limit in seconds, and a command.
step() {
  local name=$1 limit=$2 began=$SECONDS
  shift 2
  (while :; do
    nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits
    sleep 0.2
  done >"$out/.used") &
  local watcher=$!
  timeout "$limit" "$@" >"$out/$name.txt" 2>&1
  local code=$?
  kill $watcher
  wait $watcher 2>/dev/null
  echo "$name: exit $code, $((SECONDS - began)) s, $(sort -n "$out/.used" | tail -n 1) MiB of the GPU" | tee -a "$out/memory.txt"
  tail -n 3 "$out/$name.txt"
}

run() {
  programs=$(cd "$1" && pwd) data=$2 out=$3
  mkdir -p "$out"
  # A program that was built elsewhere looks for these where PyTorch has them.
  local libraries
  libraries=$(python3 -c 'import pathlib, torch; print(pathlib.Path(torch.__file__).parents[1] / "nvidia/cu13/lib")')
  export LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-}
  cd "$root/model" || exit # where tests and benches look for the presets
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  step agrees 75 "$programs/gpu_agrees" --nocapture
  for preset in ${PRESETS:-tiny 12m 92m 312m}; do
    for precision in f32 bf16; do
      step "cairn-$preset-$precision" 40 "$programs/training" "$data" "$preset" step "$precision"
    done
  done
  step curve 300 "$programs/cairn" train --data "$data" --config 12m --steps "${TRAIN_STEPS:-1500}" --device cuda \
    --out "$out/model" --quiet
  for preset in ${PRESETS:-tiny 12m 92m 312m}; do
    local written network
    written=$(mktemp -d)
    network=(python3 "$root/scripts/experiments/compare/torch_network.py" "$written")
    # What the processor expects of the larger ones takes it minutes.
    if [ $preset = tiny ]; then
      "$programs/training" "$data" "$preset" expect "$written"
      step check 60 "${network[@]}" check
    else
      "$programs/training" "$data" "$preset" write "$written"
    fi
    for precision in f32 bf16; do
      step "torch-$preset-$precision" 60 "${network[@]}" step --gpu "$precision"
    done
    step "torch-$preset-bf16-compiled" 100 "${network[@]}" step --gpu bf16 --compile
    rm -r "$written"
  done
}

"$@"
