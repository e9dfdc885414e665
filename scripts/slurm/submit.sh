#!/bin/bash
# Makes a dataset on a Slurm cluster: an array job that makes parts, and a job that merges and
# verifies them when all tasks of the array have succeeded.
#
#     scripts/slurm/submit.sh --tasks 16 --cpus 8 --out data/halide -- \
#         --config configs/dataset/default.toml --seed 7
#
# What follows -- goes to `cairn generate`. The program is `cairn`, or $CAIRN. Partition, account,
# time and memory are set as sbatch reads them from the environment: SBATCH_PARTITION,
# SBATCH_ACCOUNT, SBATCH_TIMELIMIT, SBATCH_MEM_PER_CPU. Run it again with the same arguments to go
# on after failures.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: submit.sh --tasks N --out DIR [--cpus N] [--parts DIR] [--wait] -- GENERATE-ARGUMENTS
  --tasks N    tasks of the array, each of which makes a part
  --cpus N     processors of a task [default: 1]
  --out DIR    the dataset
  --parts DIR  the parts [default: the dataset's name and .parts]
  --wait       end when the dataset is verified, with the exit code of that job
TEXT
}

fail() {
    echo "submit.sh: $1" >&2
    usage >&2
    exit 2
}

positive() {
    [[ $2 =~ ^[1-9][0-9]*$ ]] || fail "$1 $2: expected a number from 1 on"
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tasks='' cpus=1 out='' parts='' wait=()
while [[ $# -gt 0 ]]; do
    case $1 in
        --tasks | --cpus | --out | --parts)
            [[ $# -ge 2 ]] || fail "$1: expected a value"
            printf -v "${1#--}" '%s' "$2"
            shift 2
            ;;
        --wait) wait=(--wait); shift ;;
        --help | -h) usage; exit ;;
        --) shift; break ;;
        *) fail "unknown argument $1" ;;
    esac
done
[[ -n $tasks ]] || fail "--tasks is missing"
[[ -n $out ]] || fail "--out is missing"
positive --tasks "$tasks"
positive --cpus "$cpus"
: "${parts:=${out%/}.parts}"
[[ ! -e $out/dataset_info.json ]] || fail "$out: a dataset is there already"
command -v "${CAIRN:-cairn}" > /dev/null || fail "no program ${CAIRN:-cairn}: set CAIRN to its path"

logs=$parts/logs
mkdir -p "$logs"
array=$(sbatch --parsable --array="0-$((tasks - 1))" --cpus-per-task="$cpus" \
    --output="$logs/generate-%A_%a.log" "$here/generate.sbatch" "$parts" "$tasks" "$@")
array=${array%%;*} # sbatch names the cluster, too, where there are several
echo "array job $array: $tasks tasks with $cpus processors, logs in $logs"

# Without --kill-on-invalid-dep a merge whose array has failed would wait for ever.
sbatch --parsable "${wait[@]}" --dependency="afterok:$array" --kill-on-invalid-dep=yes \
    --cpus-per-task="$cpus" --output="$logs/merge-%j.log" "$here/merge.sbatch" "$parts" "$out" |
    sed 's/;.*//; s/^/merge job /'
