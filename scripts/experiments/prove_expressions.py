#!/usr/bin/env python3
"""How many expressions `cairn prove` proves to be 1 or 0, and in how much processor time.

    cargo build --release
    python3 scripts/experiments/prove_expressions.py FILE.csv --system halide [-- --cap 64MiB …]

FILE.csv has a column `expression`. Each is asked to equal 1 and, if that is not proved, 0; what comes
after `--` is given to `cairn prove`. A line for each expression, and a summary.

Makes a row a run of the tables of docs/benchmarks.md, "Expressions that Caviar asks about", of docs/results.md, "What Halide's prover gives up
on", and (called by `results`) of "Expressions of Caviar", with the options that stand there. Needs a release build, the data of Caviar (CC 2022; not
kept here) and no packages; two to five minutes on one core for 150 expressions.
"""

import argparse
import csv
import resource
import subprocess
import sys
from pathlib import Path

CAIRN = Path(__file__).resolve().parents[2] / "target/release/cairn"


def ask(cairn, system, expression, literal, options):
    """One run: the exit code, seconds of processor time, and the last line of what was said."""
    command = [cairn, "prove", "--quiet", "--threads", "1", "--system", system]
    command += ["--start", expression, "--target", literal, *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = done.stderr.strip().splitlines()
    if done.returncode not in (0, 3):
        sys.exit(done.stderr.strip())
    return done.returncode, seconds, said[-1] if said else "proved"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--system", default="halide")
    parser.add_argument("--cairn", type=Path, default=CAIRN)
    words = sys.argv[1:]
    own = words[: words.index("--")] if "--" in words else words
    options = words[len(own) + 1 :]
    arguments = parser.parse_args(own)
    with arguments.file.open(newline="") as file:
        expressions = [row["expression"] for row in csv.DictReader(file)]
    proved, all_seconds, slowest_failure = 0, 0.0, 0.0
    for number, expression in enumerate(expressions):
        for literal in ("1", "0"):
            code, seconds, said = ask(
                arguments.cairn, arguments.system, expression, literal, options
            )
            all_seconds += seconds
            print(f"{number} = {literal}: {seconds:.1f} s, {said}", flush=True)
            if code == 0:
                proved += 1
                break
            slowest_failure = max(slowest_failure, seconds)
    print(
        f"{proved} of {len(expressions)} proved, {all_seconds:.0f} s of processor time, "
        f"the longest without a proof {slowest_failure:.1f} s"
    )


if __name__ == "__main__":
    main()
