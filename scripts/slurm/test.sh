#!/bin/bash
# Runs the array jobs for real: starts a Slurm of one node here (see local_cluster.sh; root, Debian), makes a dataset,
# tasks, an evaluation, three rounds of learning and a ladder of trainings in parts, and compares them with those of one
# process. The dataset's and the learning's jobs are cancelled while they work, and submitted again.
#
#     cargo build --release && scripts/slurm/test.sh [data|tasks|learn|ladder]...
#
# CAIRN is the program [default: target/release/cairn], TASKS the tasks of an array [4], LIMIT
# the number of seeds of the dataset [24]. The ladder needs scripts/requirements.txt.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
CAIRN=$(realpath "${CAIRN:-target/release/cairn}")
export CAIRN
parts=${TASKS:-4}

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

# submit OUT COMMAND…: makes it in parts, and waits.
submit() {
    local out=$1
    shift
    if ! run scripts/slurm/submit.sh --tasks "$parts" --out "$out" --wait -- "$@"; then
        tail -n 50 "$out".parts/logs/* >&2
        exit 1
    fi
}

# cancelled OUT FILES COMMAND…: begins to make it in parts, and cancels all jobs when the first of these files is there.
cancelled() {
    local out=$1 files=$2
    shift 2
    run scripts/slurm/submit.sh --tasks "$parts" --out "$out" -- "$@"
    until [[ -n $(find "$out.parts" -path "$files" -size +0 -print -quit) ]]; do sleep 0.1; done
    run scancel --user="$(id -un)"
    until [[ -z $(squeue --noheader) ]]; do sleep 0.1; done
    echo "cancelled with $(find "$out.parts" -path "$files" -size +0 | wc -l) such files: $files"
    rm -r "$out.parts/logs"
}

# same ONE OTHER: the same files with the same bytes.
same() {
    run diff --recursive --brief "$1" "$2"
    echo "the same bytes: $(find "$1" -type f | wc -l) files"
}

data() {
    local arguments=(generate --config configs/dataset/quickstart.toml --limit "${LIMIT:-24}")
    cancelled "$dir/data" '*/units/*.parquet' "${arguments[@]}"
    submit "$dir/data" "${arguments[@]}"
    run "$CAIRN" "${arguments[@]}" --quiet --out "$dir/alone"
    same "$dir/data" "$dir/alone"
}

chains=(tasks --system halide --seeds halide --links 4 --link-nodes 200)

# Rows without seconds and seals, the evaluation without --out and hashes, and all else but the table, which is of the rows.
without_seconds() {
    mkdir "$2"
    cp -r "$1/proofs" "$1/system.rules" "$2"
    sed -E 's/ --out [^"]*//; /"(results_hash|sha256)"/d' "$1/evaluation.json" > "$2/evaluation.json"
    for rows in "$1"/rows/*; do
        sed -E '$d; s/"(model_)?seconds":[^,}]*//g' "$rows" > "$2/rows-${rows##*/}"
    done
}

tasks() {
    submit "$dir/tasks.parquet" "${chains[@]}" --count 20
    run "$CAIRN" "${chains[@]}" --count 20 --quiet --out "$dir/alone.parquet"
    same "$dir/tasks.parquet" "$dir/alone.parquet"
    local evaluate=(evaluate --system halide --tasks "$dir/tasks.parquet" --methods all-work,shared,deep)
    submit "$dir/results" "${evaluate[@]}"
    run "$CAIRN" "${evaluate[@]}" --quiet --out "$dir/results-alone"
    without_seconds "$dir/results" "$dir/results-as-told"
    without_seconds "$dir/results-alone" "$dir/results-alone-as-told"
    same "$dir/results-as-told" "$dir/results-alone-as-told"
}

learn() {
    run "$CAIRN" "${chains[@]}" --count 10 --quiet --out "$dir/validation.parquet"
    run "$CAIRN" "${chains[@]}" --count 30 --without "$dir/validation.parquet" --quiet --out "$dir/training.parquet"
    local learn=(learn --system halide --tasks "$dir/training.parquet" --validation "$dir/validation.parquet"
        --cap 2000 --epochs 2 --rounds 3)
    cancelled "$dir/ranker" '*/round-0/*/items.jsonl' "${learn[@]}"
    submit "$dir/ranker" "${learn[@]}"
    run "$CAIRN" "${learn[@]}" --quiet --out "$dir/ranker-alone"
    same "$dir/ranker" "$dir/ranker-alone"
}

ladder() {
    run "$CAIRN" generate --config configs/dataset/quickstart.toml --limit 24 --quiet --out "$dir/ladder-data"
    local ladder=(--data "$dir/ladder-data" --steps 24 --widths 16,32 --fractions 0.5,1 --threads 1 --cairn "$CAIRN")
    LADDER_WAIT=1 run scripts/slurm/ladder.sh 4 "${ladder[@]}" --out "$dir/ladder"
    run python3 scripts/scaling.py "${ladder[@]}" --out "$dir/ladder-alone" > "$dir/ladder.txt"
    for file in runs.csv laws.json scaling.md scaling_parameters.svg scaling_data.svg scaling_compute.svg; do
        run cmp "$dir/ladder/$file" "$dir/ladder-alone/$file"
    done
}

"$here/local_cluster.sh" start "$dir/slurm"
export SLURM_CONF=$dir/slurm/slurm.conf
run srun hostname
[[ $# -gt 0 ]] || set -- data tasks learn ladder
for part in "$@"; do
    "$part"
done
