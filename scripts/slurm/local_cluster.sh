#!/bin/bash
# A Slurm cluster of one node, this machine, for tests. As root, without systemd:
#
#     scripts/slurm/local_cluster.sh start DIR    # then: export SLURM_CONF=DIR/slurm.conf
#     scripts/slurm/local_cluster.sh stop DIR
#
# Installs Debian's slurmctld, slurmd, slurm-client and munge where they are missing. All files,
# sockets and logs are in DIR, the ports are not Slurm's usual ones, and an installed Slurm is
# left alone.
set -euo pipefail

fail() {
    echo "local_cluster.sh: $1" >&2
    exit 1
}

install_slurm() {
    local program missing=0
    for program in slurmctld slurmd sbatch munged; do
        command -v "$program" > /dev/null || missing=1
    done
    [[ $missing = 1 ]] || return 0
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        slurmctld slurmd slurm-client munge
}

# Cgroups are off: they need systemd, or rights that containers do not give.
write_configuration() {
    local dir=$1 host memory
    host=$(hostname -s)
    memory=$(awk '/^MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
    mkdir -p "$dir/state" "$dir/spool"
    cat > "$dir/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=5,batch_sched_delay=0
ReturnToService=2
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=local Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
}

start() {
    local dir=$1
    [[ $(id -u) = 0 ]] || fail "expected to run as root: slurmd starts processes of other users"
    [[ ! -e $dir/slurm.conf ]] || fail "$dir/slurm.conf is there already"
    install_slurm
    # Munge refuses keys and sockets in directories that others may write to.
    mkdir -p "$dir"
    chmod 755 "$dir"
    write_configuration "$dir"
    (umask 077 && head -c 1024 /dev/urandom > "$dir/munge.key")
    munged --key-file="$dir/munge.key" --socket="$dir/munge.socket" --seed-file="$dir/munge.seed" \
        --pid-file="$dir/munged.pid" --log-file="$dir/munged.log"
    export SLURM_CONF=$dir/slurm.conf
    slurmctld -f "$SLURM_CONF"
    slurmd -f "$SLURM_CONF"
    local second
    for second in $(seq 60); do
        if [[ $(sinfo --noheader --format=%t 2> /dev/null) = idle ]]; then
            echo "idle after $second s:"
            sinfo
            return
        fi
        sleep 1
    done
    tail -n 20 "$dir"/*.log >&2
    stop "$dir"
    fail "the node was not idle after a minute; the logs are above"
}

stop() {
    local dir=$1 name pid
    for name in slurmd slurmctld munged; do
        [[ -s $dir/$name.pid ]] || continue
        pid=$(< "$dir/$name.pid")
        kill "$pid" 2> /dev/null || continue
        # Gone within a few seconds; slurmctld saves its state first.
        for _ in $(seq 100); do
            kill -0 "$pid" 2> /dev/null || break
            sleep 0.1
        done
    done
}

[[ $# = 2 && ($1 = start || $1 = stop) ]] || {
    echo "usage: local_cluster.sh start|stop DIR" >&2
    exit 2
}
"$1" "$(realpath -m "$2")"
