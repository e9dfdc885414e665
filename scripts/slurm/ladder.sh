#!/bin/bash
# Trains a ladder on a Slurm cluster: an array job with a training a task, and a job that fits laws to all of them.
#
#     scripts/slurm/ladder.sh RUNS --data data/halide --out ladder --steps 2000 …
#
# RUNS is the number of trainings: widths times fractions times seeds. The rest goes to
# scripts/scaling.py, --out before its value. SBATCH_CPUS_PER_TASK and the like are set as sbatch reads them. Run it again with
# the same arguments to go on after failures.
set -euo pipefail

[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || { echo "usage: ladder.sh RUNS ARGUMENTS-OF-SCALING" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
runs=$1 out=''
shift
for ((i = 1; i < $#; i++)); do
    [[ ${!i} != --out ]] || { i=$((i + 1)) && out=${!i}; }
done
[[ -n $out ]] || { echo "ladder.sh: --out is missing" >&2; exit 2; }
mkdir -p "$out.logs"

printf -v command '%q ' python3 "$here/scaling.py" "$@"
array=$(sbatch --parsable --requeue --job-name=cairn-ladder --array="0-$((runs - 1))" --output="$out.logs/run-%A_%a.log" \
    --wrap "$command --shard \$SLURM_ARRAY_TASK_ID/$runs")
echo "array job ${array%%;*}: $runs trainings, logs in $out.logs"
sbatch --parsable --requeue --job-name=cairn-ladder --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes \
    ${LADDER_WAIT:+--wait} --output="$out.logs/laws-%j.log" --wrap "$command" | sed 's/;.*//; s/^/laws job /'
