#!/usr/bin/env python3
"""Equality of mixed Boolean-arithmetic (MBA): how many public lines `cairn prove` proves, the expression before and after.

    scripts/experiments/beds/mba_proved.py --data GAMBA --out DIR [--reserved] [--lines 20] [--work 40000] [--methods deep,portfolio]

GAMBA is a checkout of github.com/DenuvoSoftwareSolutions/GAMBA, as mba.py reads it; the lines of each set are drawn as there. Each
line is a task of `cairn evaluate`, by the rules of `mba` and by those of `words` on words of 64 bits, on one thread.

Makes the table of docs/results.md, "`prove` brings both sides to normal forms", with --reserved. Needs a release build and pyarrow; by the seconds
of that table three minutes on one core.
"""
import argparse
import csv
import pathlib
import random

import pyarrow.parquet

from mba import ROOT, SETS, lines_of, of_width
from program import run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="a checkout of GAMBA")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the directory for results")
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn", help="the program")
    parser.add_argument("--reserved", action="store_true", help="the reserved lines instead of the others")
    parser.add_argument("--lines", type=int, default=20, help="lines of each set, drawn at random")
    parser.add_argument("--work", type=int, default=40_000, help="e-nodes that may be built for a line")
    parser.add_argument("--methods", default="deep,portfolio", help="those of cairn evaluate")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    tasks = []
    for name in SETS:
        path = arguments.data / "experiments/datasets" / f"{name}.txt"
        rows, _ = lines_of(path, arguments.reserved)
        rows = random.Random(0).sample(rows, min(arguments.lines, len(rows)))
        tasks += [(start, target) for _, start, target in rows]
    print("| rules | method | lines | proved | seconds a line | mean work |")
    print("| --- | --- | --- | --- | --- | --- |")
    for system, shown in [("mba", lambda text: text), ("words", lambda text: of_width(text, 64))]:
        file = arguments.out / f"{system}.csv"
        with open(file, "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([("start", "target"), *((shown(a), shown(b)) for a, b in tasks)])
        results = arguments.out / system
        run(arguments.cairn, "evaluate", "--system", system, "--tasks", file, "--methods", arguments.methods, "--work", arguments.work,
            "--no-ranker", "--threads", 1, "--quiet", "--out", results)
        rows = pyarrow.parquet.read_table(results / "results.parquet").to_pylist()
        for method in arguments.methods.split(","):
            found = [row for row in rows if row["method"] == method]
            mean = lambda field: sum(row[field] for row in found) / len(found)
            solved = sum(row["solved"] for row in found)
            print(f"| `{system}` | `{method}` | {len(found)} | {solved} | {mean('seconds'):.2f} | {mean('work'):,.0f} |", flush=True)


if __name__ == "__main__":
    main()
