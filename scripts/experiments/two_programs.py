#!/usr/bin/env python3
"""Tasks a second of two versions of the program, in turn: proving and optimising on beds of tasks.

    scripts/experiments/two_programs.py OUT --before PROGRAM [--after PROGRAM] [--beds ring math prop kleene groups] [--work 24000] [--runs 3]

The tasks are validation tasks of beds/portfolio.py and chains between terms of the shipped seeds of Halide (`halide`), made by the later program. `deep` and, where
a ranker is shipped, `ranked` prove them; `optimise --terms` looks for the smallest term that equals each start. One thread; seconds
are those of the processor, in the median of the runs. Tasks are kept in OUT.

Makes the table of docs/benchmarks.md, "Tasks a second". Needs two release builds, no data, and pyarrow; five minutes on a core that does nothing else.
"""
import argparse
import csv
import pathlib
import resource
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "beds"))
import pyarrow.parquet  # noqa: E402

import portfolio  # noqa: E402
from program import run  # noqa: E402

#: Systems whose ranker comes with the program.
RANKED = ("halide", "ring")


def tasks(args, name):
    """The tasks of a bed as a table that both versions read, and their starts."""
    table, starts = args.out / f"{name}.csv", args.out / f"{name}-starts.txt"
    if not starts.exists():
        path = args.out / f"{name}.parquet"
        if name != "halide":
            path = portfolio.tasks(args, name, portfolio.ALL[name], "validation")
        elif not path.exists():
            run(args.cairn, "tasks", "--system", "halide", "--seeds", "halide", "--links", 6, "--link-nodes", 1000, "--count", args.count,
                "--out", path, "--quiet")
        rows = pyarrow.parquet.read_table(path).to_pylist()
        with table.open("w", newline="") as file:
            csv.writer(file).writerows([("id", "start", "target"), *((i, row["start"], row["target"]) for i, row in enumerate(rows))])
        starts.write_text("".join(f"{start}\n" for start in dict.fromkeys(row["start"] for row in rows)))
    return table, starts


def jobs(args, name):
    """What is measured on a bed: its name, the command, and what a run came to, read from its directory."""
    table, starts = tasks(args, name)
    system = ["--system", name if name == "halide" else portfolio.ALL[name]["system"], "--work", args.work, "--threads", 1, "--quiet"]
    solved = ("results.parquet", lambda rows: f"{sum(row['solved'] for row in rows)} of {len(rows)}")
    smaller = ("optimised.parquet", lambda rows: f"{sum(row['cost_after'] for row in rows)} nodes")
    for method in ["deep"] + ["ranked"] * (name in RANKED):
        yield method, ["evaluate", *system, "--tasks", table, "--methods", method], solved
    yield "optimise", ["optimise", *system, "--terms", starts, "--cost", "size"], smaller


def timed(program, command, out, read):
    """Seconds of the processor, and what the run came to."""
    shutil.rmtree(out, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(program, *command, "--out", out)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    file, said = read
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said(pyarrow.parquet.read_table(out / file).to_pylist())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path, required=True)
    parser.add_argument("--after", type=pathlib.Path, dest="cairn", default=portfolio.ROOT / "target/release/cairn")
    parser.add_argument("--beds", nargs="+", default=["halide", "ring", "math", "prop", "kleene", "groups"])
    parser.add_argument("--work", type=int, default=24_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--count", type=int, default=60, help="tasks that are made")
    args = parser.parse_args()
    args.threads = 1
    args.out.mkdir(parents=True, exist_ok=True)
    print("| bed | what | before, s | after, s | × | before | after |\n| --- | --- | ---: | ---: | ---: | --- | --- |")
    for name in args.beds:
        for what, command, read in jobs(args, name):
            seconds, came_to = {}, {}
            for program in [args.before, args.cairn] * args.runs:
                took, came_to[program] = timed(program, command, args.out / "run", read)
                seconds.setdefault(program, []).append(took)
            old, new = (statistics.median(seconds[program]) for program in (args.before, args.cairn))
            print(f"| {name} | {what} | {old:.2f} | {new:.2f} | {old / new:.2f} | {came_to[args.before]} | {came_to[args.cairn]} |", flush=True)


if __name__ == "__main__":
    main()
