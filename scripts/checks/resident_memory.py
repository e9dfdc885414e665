#!/usr/bin/env python3
"""What `cairn saturate` takes in memory, as the system counts it, beside what --memory allows.

    python3 scripts/checks/resident_memory.py [path/to/cairn] [--limit 64MiB ...] [--threads 1 ...]

For each limit, workload and number of threads one run, and a line with the peak of the process's
resident memory, beside what was promised: 1.15 times the limit and 16 MiB. Exit code 1 if a run took
more. Needs Linux, where the peak is counted in KiB.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
SUM = "x12"
for number in range(11, 0, -1):
    SUM = f"(+ x{number} {SUM})"
# Name, rewrite system, start term.
WORKLOADS = [
    ("halide", "halide", "(&& (<= lo (max lo (min (+ x 1) hi))) (<= (min x hi) (max lo hi)))"),
    ("tiling", "tiling", "(m (* n1 32) (m (* n2 32) (m (* n3 32) f)))"),
    ("AC12", "sums", SUM),
    ("math", "math-test", "(i (ln x) x)"),
    ("prop", "prop", "(-> (& (-> p q) (-> r s)) (-> (& p r) (& q s)))"),
]


def size(text):
    """The bytes of a text such as 64MiB."""
    return int(text[:-3]) * UNITS[text[-3:]]


def measure(cairn, system, term, limit, threads):
    """One run: seconds, the resident memory at most in bytes, and the last line of its output."""
    command = [cairn, "saturate", "--system", ROOT / f"configs/systems/{system}.rules"]
    command += ["--term", term, "--memory", limit, "--threads", str(threads), "--format", "json"]
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines = process.stdout.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"error: exit code {process.returncode}: {' '.join(map(str, command))}")
    return time.monotonic() - began, usage.ru_maxrss << 10, json.loads(lines[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cairn", nargs="?", default=ROOT / "target/release/cairn", help="the program")
    parser.add_argument("--limit", nargs="+", default=["64MiB", "256MiB", "1GiB"], metavar="SIZE")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], metavar="N")
    parser.add_argument("--only", nargs="+", default=[name for name, _, _ in WORKLOADS], metavar="NAME")
    args = parser.parse_args()
    columns = ["workload", "limit", "threads", "stop", "e-nodes", "s", "counted MiB", "resident MiB"]
    columns += ["promised MiB", "within"]
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}", flush=True)
    broken = False
    for limit in args.limit:
        promised = 1.15 * size(limit) + (16 << 20)
        for name, system, term in WORKLOADS:
            for threads in args.threads if name in args.only else []:
                seconds, resident, last = measure(args.cairn, system, term, limit, threads)
                within = resident <= promised
                broken |= not within
                mib = [f"{bytes / (1 << 20):.0f}" for bytes in (last["bytes"], resident, promised)]
                row = [name, limit, threads, last["stop"], last["e_nodes"], f"{seconds:.1f}", *mib]
                print(f"| {' | '.join(map(str, row))} | {'yes' if within else 'NO'} |", flush=True)
    sys.exit(int(broken))


if __name__ == "__main__":
    main()
