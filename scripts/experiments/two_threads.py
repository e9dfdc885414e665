#!/usr/bin/env python3
"""One question on one thread and on two: how much sooner the answer comes, and whether it is the same; and what two programs gain
that do the same side by side on one thread each, which share no more than the machine.

    scripts/experiments/two_threads.py OUT [--beds groups math ring kleene prop] [--works 500000 2000000] [--runs 3] [--what prove optimise]

A question of a bed of beds/portfolio.py is the start of one validation task and the target of another one: what is not so is not
proved, and all of the work is spent. It is put to `prove` by its default, in turn with one and with two threads; the seconds are the
least of the runs, of two programs those of the later one. The answers must have the same bytes. Tasks are kept in OUT. `--what optimise`
looks for the smallest term that equals the longer one, until the work is spent.

Makes the tables of docs/benchmarks.md, "One question on two threads". Needs a release build, no data, and pyarrow; a quarter of an hour on
two cores that do nothing else.
"""
import argparse
import concurrent.futures
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "beds"))
import pyarrow.parquet  # noqa: E402

import portfolio  # noqa: E402
from program import run  # noqa: E402

#: The tasks that give a question its start and its target.
ENDS = (1, 2)


def question(args, name):
    """The two ends of the question of a bed."""
    rows = pyarrow.parquet.read_table(portfolio.tasks(args, name, portfolio.ALL[name], "validation")).to_pylist()
    return rows[ENDS[0]]["start"], rows[ENDS[1]]["target"]


def timed(args, name, ends, work, threads):
    """Seconds, and what was answered."""
    question = ["--start", ends[0], "--target", ends[1]]
    if args.what == "optimise":
        question = ["--term", max(ends, key=len), "--cost", "size", "--patience", "off"]
    began = time.monotonic()
    said = run(args.cairn, args.what, "--system", portfolio.ALL[name]["system"], *question, "--work", work, "--threads", threads,
               codes=(0, 3), messages=True)
    return time.monotonic() - began, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cairn", type=pathlib.Path, default=portfolio.ROOT / "target/release/cairn")
    parser.add_argument("--beds", nargs="+", default=["groups", "math", "ring", "kleene", "prop"])
    parser.add_argument("--works", type=int, nargs="+", default=[500_000, 2_000_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--what", choices=["prove", "optimise"], default="prove")
    parser.add_argument("--count", type=int, default=10, help="tasks that are made")
    args = parser.parse_args()
    args.threads = 2
    args.out.mkdir(parents=True, exist_ok=True)
    print("| question | work | one thread, s | two threads, s | × | two programs, s | × |\n" + "| --- " + "| ---: " * 6 + "|")
    for work in args.works:
        for name in args.beds:
            ends, seconds, answers = question(args, name), {1: [], 2: []}, set()
            apart = []
            for _ in range(args.runs):
                for threads in 1, 2:
                    took, answer = timed(args, name, ends, work, threads)
                    seconds[threads].append(took)
                    answers.add(answer)
                with concurrent.futures.ThreadPoolExecutor(2) as pool:
                    apart.append(max(took for took, _ in pool.map(lambda _: timed(args, name, ends, work, 1), range(2))))
            if len(answers) > 1:
                sys.exit(f"{name}, work {work}: the answers differ:\n" + "\n".join(sorted(answers)))
            one, two, both = min(seconds[1]), min(seconds[2]), min(apart)
            print(f"| {name} | {work:,} | {one:.2f} | {two:.2f} | {one / two:.2f} | {both:.2f} | {2 * one / both:.2f} |", flush=True)


if __name__ == "__main__":
    main()
