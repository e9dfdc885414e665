#!/bin/bash
# Runs the array job for real: starts a Slurm of one node here (see local_cluster.sh; root, Debian),
# makes a dataset of the shipped seeds by an array of tasks, which is cancelled while it works and
# submitted again, merges and verifies it, and compares it byte for byte with that of one process.
#
#     cargo build --release && scripts/slurm/test.sh
#
# CAIRN is the program [default: target/release/cairn], TASKS the tasks of the array [4], LIMIT
# the number of seeds [24].
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
export CAIRN=${CAIRN:-target/release/cairn}
tasks=${TASKS:-4}
arguments=(--config configs/dataset/quickstart.toml --limit "${LIMIT:-24}")

dir=$(mktemp -d)
chmod 755 "$dir" # munge: its socket must be reachable by all
finish() {
    "$here/local_cluster.sh" stop "$dir/slurm"
    rm -rf "$dir"
}
trap finish EXIT

# Prints a command, then runs it.
run() {
    echo "\$ $*"
    "$@"
}

"$here/local_cluster.sh" start "$dir/slurm"
export SLURM_CONF=$dir/slurm/slurm.conf

submit=(scripts/slurm/submit.sh --tasks "$tasks" --out "$dir/data")

# Files of seeds that are finished.
finished_units() {
    find "$dir/data.parts" -path '*/units/*.parquet' | wc -l
}

run srun hostname
run "${submit[@]}" -- "${arguments[@]}"
until [[ $(finished_units) -gt 0 ]]; do sleep 0.1; done
run scancel --user="$(id -un)"
until [[ -z $(squeue --noheader) ]]; do sleep 0.1; done
echo "cancelled with $(finished_units) files of finished seeds"
rm -r "$dir/data.parts/logs"

if ! run "${submit[@]}" --wait -- "${arguments[@]}"; then
    tail -n 50 "$dir"/data.parts/logs/* >&2
    exit 1
fi
tail -n 50 "$dir"/data.parts/logs/*

run "$CAIRN" generate "${arguments[@]}" --quiet --out "$dir/alone"
run diff --recursive --brief "$dir/data" "$dir/alone"
echo "the same bytes: $(cd "$dir/data" && find . -type f | wc -l) files"
