#!/bin/bash
# Does long work on a Slurm cluster: an array job whose tasks make a part each, and a job that merges
# them when all have succeeded. The result is that of one process.
#
#     scripts/slurm/submit.sh --tasks 16 --cpus 8 --out data/halide -- \
#         generate --config configs/dataset/default.toml --seed 7
#     scripts/slurm/submit.sh --tasks 16 --out ranker -- \
#         learn --system halide --tasks training.parquet --validation validation.parquet --rounds 3
#
# What follows -- goes to `cairn`: generate, tasks, evaluate, optimise or learn with its arguments.
# Each round of learn is an array and a merge of its own, and waits for the round before. The
# program is `cairn`, or $CAIRN. Partition, account, time and memory are set as sbatch reads them
# from the environment: SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT, SBATCH_MEM_PER_CPU. Run
# it again with the same arguments to go on after failures.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: submit.sh --tasks N --out PATH [--cpus N] [--parts DIR] [--wait] -- COMMAND ARGUMENTS
  --tasks N    tasks of the array, each of which makes a part
  --cpus N     processors of a task [default: 1]
  --out PATH   what COMMAND makes: a directory, or a .parquet file of tasks
  --parts DIR  the parts [default: the name of --out and .parts]
  --wait       end when all is merged, with the exit code of that job
  COMMAND      generate, tasks, evaluate, optimise or learn, without --out, --shard and --threads
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
case ${1:-} in
    generate | tasks | evaluate | optimise | learn) ;;
    *) fail "${1:-nothing} follows --: expected generate, tasks, evaluate, optimise or learn" ;;
esac
command -v "${CAIRN:-cairn}" > /dev/null || fail "no program ${CAIRN:-cairn}: set CAIRN to its path"

logs=$parts/logs
mkdir -p "$logs"
merge=''

# round PARTS NAME ARGUMENTS…: an array that makes parts, after the merge before; ${fit[@]} goes to its merge.
round() {
    local parts=$1 name=$2 after=() array
    shift 2
    [[ -z $merge ]] || after=(--dependency="afterok:$merge" --kill-on-invalid-dep=yes)
    array=$(sbatch --parsable "${after[@]}" --array="0-$((tasks - 1))" --cpus-per-task="$cpus" \
        --output="$logs/$name-%A_%a.log" "$here/part.sbatch" "$parts" "$tasks" "$@")
    array=${array%%;*} # sbatch names the cluster, too, where there are several
    echo "array job $array: $name, $tasks tasks with $cpus processors, logs in $logs"
    # Without --kill-on-invalid-dep a merge whose array has failed would wait for ever.
    merge=$(sbatch --parsable "${last[@]}" --dependency="afterok:$array" --kill-on-invalid-dep=yes \
        --cpus-per-task="$cpus" --output="$logs/merge-%j.log" "$here/merge.sbatch" "$parts" "$out" "${fit[@]}")
    merge=${merge%%;*}
    echo "merge job $merge"
}

fit=() last=("${wait[@]}")
if [[ $1 != learn ]]; then
    round "$parts" "$1" "$@"
    exit
fi
rounds=4
for ((i = 1; i < $#; i++)); do
    [[ ${!i} != --rounds ]] || { i=$((i + 1)) && rounds=${!i}; }
done
positive --rounds "$rounds"
fit=("$@") last=()
for ((number = 0; number <= rounds; number++)); do
    [[ $number -lt $rounds ]] || last=("${wait[@]}")
    round "$parts/round-$number" "round-$number" "$@" --learned "$out" --round "$number"
done
