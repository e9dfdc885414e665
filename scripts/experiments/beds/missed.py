#!/usr/bin/env python3
"""Missed optimisations of LLVM and GCC on integers: how many of the reported expressions `cairn optimise` brings to what their reporters asked for.

    scripts/experiments/beds/missed.py [--csv missed.csv] [--part first] [--system words] [--out results.csv] [--jobs 1]

The file has a line for each report: the tracker (llvm or gcc), the number there, the expression before and the wanted one after, in C as
`--c` reads it, and a note. Lines whose note says `nsw` or `undefined` are left out: there the two sides are the same only where no signed
number overflows or nothing is undefined, and terms have a value everywhere.

A line is reached if the best term has at most as many nodes as the wanted one, read as it stands, where that one has fewer than the first; or costs no
more with `--cost cycles`, in a second run, where the wanted one costs less than the first. The lines are ordered by their SHA-256: the first
sixty are to be looked at (`--part first`), the others are kept for checks (`--part second`, which prints no expressions).

Seconds are those of the run whose cost the line says, with one thread. Needs a release build; the first part took two minutes and the second four, two
lines at a time on two cores with other work.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
FIELDS = ["source", "number", "before", "after", "note"]


def lines_of(path):
    """The lines that can be asked, by the order of their hashes, and how many are left out."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    asked = [row for row in rows if not any(word in row["note"] for word in ["nsw", "undefined"])]
    asked.sort(key=lambda row: hashlib.sha256("\t".join(row[field] for field in FIELDS).encode()).hexdigest())
    return asked, len(rows) - len(asked)


def best_of(arguments, expression, cost, *more):
    """The first and the last row of the best terms, and the seconds."""
    command = [arguments.cairn, "optimise", "--system", arguments.system, "--c", expression, "--cost", cost]
    command += ["--format", "json", "--quiet", "--threads", "1", *more]
    began = time.monotonic()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{expression}: {done.stderr.strip()}")
    rows = json.loads(done.stdout)["best"]
    return rows[0], rows[-1], time.monotonic() - began


def asked(arguments, row):
    """What came of a line: the cost it was compared with, that of before, after and best, and the seconds."""
    result = None
    for cost, of in [("size", lambda found: found["size"]), ("cycles", lambda found: found["cost"]["cycles"])]:
        wanted = of(best_of(arguments, row["after"], cost, "--work", "1")[0])
        begin = of(best_of(arguments, row["before"], cost, "--work", "1")[0])
        if wanted >= begin:
            continue
        _, best, seconds = best_of(arguments, row["before"], cost, "--time", str(arguments.time))
        found = {"cost": cost, "first": begin, "wanted": wanted, "best": of(best), "reached": of(best) <= wanted, "seconds": seconds, "c": best.get("c", ""), "term": best["term"]}
        if result is None or found["reached"]:
            result = found
        if found["reached"]:
            break
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", type=pathlib.Path, default=pathlib.Path(__file__).with_name("missed.csv"), help="the reports")
    parser.add_argument("--part", choices=["first", "second", "all"], default="first")
    parser.add_argument("--first", type=int, default=60, help="lines of the first part")
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn", help="the program")
    parser.add_argument("--system", default="words", help="the rewrite system")
    parser.add_argument("--time", type=int, default=10, help="seconds for a line at most")
    parser.add_argument("--jobs", type=int, default=1, help="lines at a time")
    parser.add_argument("--out", type=pathlib.Path, help="a file for what came of each line, CSV")
    arguments = parser.parse_args()
    rows, left_out = lines_of(arguments.csv)
    parts = {"first": rows[: arguments.first], "second": rows[arguments.first :], "all": rows}
    rows = parts[arguments.part]
    results = []
    if arguments.part == "first":
        print("| tracker | number | before | wanted | best | cost | first | wanted | best | reached | seconds |")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row, result in zip(rows, pool.map(lambda row: asked(arguments, row), rows)):
            if result is None:
                left_out += 1
                continue
            results.append((row, result))
            if arguments.part == "first":
                texts = [row["source"], row["number"], row["before"], row["after"], result["c"] or result["term"]]
                texts = [f"`{text}`" if at > 1 else text for at, text in enumerate(texts)]
                figures = [result["cost"], result["first"], result["wanted"], result["best"]]
                figures += ["yes" if result["reached"] else "no", f"{result['seconds']:.1f}"]
                print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in [*texts, *figures]) + " |", flush=True)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*FIELDS, *results[0][1]])
            writer.writerows([*(row[field] for field in FIELDS), *result.values()] for row, result in results)
    for name in ["llvm", "gcc", "both"]:
        of = [result for row, result in results if name in (row["source"], "both")]
        if of:
            reached = [result for result in of if result["reached"]]
            by_size = sum(result["cost"] == "size" for result in reached)
            seconds = sorted(result["seconds"] for result in of)
            print(f"{name}: {len(reached)} of {len(of)} reached, {by_size} by size, {len(reached) - by_size} by cycles; "
                  f"seconds: median {statistics.median(seconds):.2f}, nine tenths below {seconds[len(seconds) * 9 // 10]:.2f}")
    print(f"{left_out} lines left out")


if __name__ == "__main__":
    main()
