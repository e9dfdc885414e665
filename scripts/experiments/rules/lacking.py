#!/usr/bin/env python3
"""Rules that tasks over words lack, found by `cairn rules extend`: tasks of mixed Boolean-arithmetic, and missed optimisations.

    scripts/experiments/rules/lacking.py --data GAMBA --out DIR [--cairn target/release/cairn] [--system words] [--lines 334]

Writes tasks for `cairn rules extend` into DIR: `mba.csv`, so many lines of each of the six sets that are not reserved (beds/mba.py), at 64
bits, `mba-reserved.csv`, a quarter as many that are, and `missed-first.csv` and `missed-second.csv`, the two parts of the missed optimisations (beds/missed.py) with the wanted expression as
the target. Lines whose two sides are read as the same term are left out. Then

    cairn rules extend words --tasks DIR/missed-first.csv --check DIR/missed-second.csv --out DIR/more.rules

and so on. Makes the tasks of docs/results.md, "Rules that tasks lack".
"""
import argparse
import csv
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/experiments/beds"))
import mba  # noqa: E402
import missed  # noqa: E402


def write(path, pairs):
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "start", "target"])
        rows.writerows(pair for pair in pairs if pair[1] != pair[2])


def of_mba(arguments, reserved, most):
    for name in mba.SETS:
        lines, _ = mba.lines_of(arguments.data / "experiments/datasets" / f"{name}.txt", reserved)
        random.Random(name).shuffle(lines)
        for number, (_, start, target) in enumerate(lines[:most]):
            yield f"{name}-{number}", mba.of_width(start, 64), mba.of_width(target, 64)


def of_missed(arguments, rows):
    arguments.time = 10
    for number, row in enumerate(rows):
        before, after = (missed.best_of(arguments, row[side], "size", "--work", "1")[0]["term"] for side in ["before", "after"])
        yield f"{row['source']}-{row['number']}-{number}", before, after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--system", default="words")
    parser.add_argument("--lines", type=int, default=334)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    write(arguments.out / "mba.csv", of_mba(arguments, False, arguments.lines))
    write(arguments.out / "mba-reserved.csv", of_mba(arguments, True, -(-arguments.lines // 4)))
    rows, _ = missed.lines_of(ROOT / "scripts/experiments/beds/missed.csv")
    write(arguments.out / "missed-first.csv", of_missed(arguments, rows[:60]))
    write(arguments.out / "missed-second.csv", of_missed(arguments, rows[60:]))


if __name__ == "__main__":
    main()
