#!/usr/bin/env python3
"""Flip a bit in what commands go on from or believe: it must be refused, made again, or change nothing that comes out.

    python scripts/flip_bits.py [--cairn target/release/cairn] [--times 136] [--only COMMAND] [--seed 0]

A small `generate`, `tasks`, `learn`, `evaluate`, `train` and `optimise --terms` are begun, and stopped where they can be
gone on with. Then, in a copy, a random bit of a random file of theirs is flipped and the command is given again; so
many times for each. What comes out must be what comes out without the flip, or the command must end with exit code 2 and
name the file, or the directory if it seems to be another run's. Exit code 1: something went through. Needs pyarrow.
"""
import argparse
import collections
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import pyarrow.parquet as pq

from kill_training import CONFIG

SYSTEM = """
(sort Int) (literal i64 Int) (variable Int) (analysis constant)
(op + (Int Int) Int) (op * (Int Int) Int)
(rewrite (+ ?a ?b) (+ ?b ?a))
(rewrite (* ?a ?b) (* ?b ?a))
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))
(birewrite (* ?a (* ?b ?c)) (* (* ?a ?b) ?c))
(birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)))
(rewrite (+ ?a 0) ?a)
(rewrite (* ?a 1) ?a)
"""
# What differs from run to run.
TIMES = {"seconds", "model_seconds", "time", "seconds_left", "tokens_per_second"}


def run(arguments, *command, codes=(0,)):
    command = [str(word) for word in (arguments.cairn, *command)]
    done = subprocess.run(command, capture_output=True, text=True)
    if codes and done.returncode not in codes:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done


def table(path):
    """The rows of a table without times."""
    return [{key: value for key, value in row.items() if key not in TIMES} for row in pq.read_table(path).to_pylist()]


def begin(arguments, base):
    """What is gone on with, by name: the directory, the command, and what comes out."""
    rules, seeds, tasks, data = base / "sums.rules", base / "seeds.txt", base / "tasks.parquet", base / "data"
    rules.write_text(SYSTEM)
    system = ["--system", rules]
    run(arguments, "seeds", *system, "--sizes", "9..15", "--count", 60, "--out", seeds, "--quiet")
    run(arguments, "tasks", *system, "--seeds", seeds, "--count", 12, "--link-nodes", 100, "--out", tasks, "--quiet")
    valid = base / "valid.parquet"
    run(arguments, "tasks", *system, "--seeds", seeds, "--count", 4, "--link-nodes", 100, "--seed", 1, "--without", tasks,
        "--out", valid, "--quiet")
    few = base / "few.txt"
    few.write_text("\n".join(seeds.read_text().splitlines()[:15]) + "\n")
    run(arguments, "generate", *system, "--seeds", few, "--memory", "1MiB", "--out", data, "--quiet")

    clean = base / "clean"
    shutil.copytree(data, clean)

    learn = ["learn", *system, "--tasks", tasks, "--validation", valid, "--cap", 400, "--quiet"]
    evaluate = ["evaluate", *system, "--tasks", tasks, "--methods", "all-work,deep", "--cap", 400, "--work", 2000, "--quiet"]
    config = base / "model.toml"
    config.write_text(CONFIG.format(steps=120))
    train = ["train", "--data", data, "--config", config, "--quiet"]
    optimise = ["optimise", *system, "--terms", few, "--cap", 300, "--work", 1000, "--quiet"]
    run(arguments, *learn, "--rounds", 1, "--out", base / "learn")
    run(arguments, *evaluate, "--out", base / "evaluate")
    (base / "evaluate/results.parquet").unlink()
    run(arguments, *train, "--steps", 60, "--out", base / "train")
    run(arguments, *optimise, "--out", base / "optimise")
    (base / "optimise/optimised.parquet").unlink()
    weights = lambda out: (out / "model.safetensors").read_bytes()
    goes_on = lambda command: lambda copy: [*command, "--out", copy]
    small = ["--config", config, "--quiet", "--steps", 20]
    return {
        "learn": (base / "learn", goes_on([*learn, "--rounds", 2]), lambda out: (out / "ranker.json").read_bytes()),
        "evaluate": (base / "evaluate", goes_on(evaluate), lambda out: table(out / "results.parquet")),
        "train --resume": (base / "train", goes_on([*train, "--steps", 120, "--resume"]), weights),
        "optimise --terms": (base / "optimise", goes_on(optimise), lambda out: table(out / "optimised.parquet")),
        "train": (clean, lambda copy: ["train", "--data", copy, *small, "--out", copy / "model"], lambda out: weights(out / "model")),
        "verify": (clean, lambda copy: ["verify", copy], lambda _: None),
    }


def flip(path, rng):
    content = bytearray(path.read_bytes())
    place = rng.randrange(8 * len(content))
    content[place // 8] ^= 1 << place % 8
    path.write_bytes(content)
    return place


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[1]
    parser.add_argument("--cairn", type=pathlib.Path, default=root / "target/release/cairn")
    parser.add_argument("--times", type=int, default=136, help="flips for each command")
    parser.add_argument("--only", help="one of the commands")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.cairn = arguments.cairn.resolve()
    base = pathlib.Path(tempfile.mkdtemp(prefix="flip-bits-"))
    rng = random.Random(arguments.seed)
    silent = 0
    cases = begin(arguments, base)
    print("| command | flips | refused | nothing else came out | went through |\n| --- | --- | --- | --- | --- |")
    for name, (source, command, outcome) in cases.items():
        if arguments.only not in (None, name):
            continue
        copy = base / "copy"

        def again(change):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(source, copy)
            return change(copy), run(arguments, *command(copy), codes=())

        _, done = again(lambda _: None)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr}")
        expected = outcome(copy)
        counts = collections.Counter()
        for _ in range(arguments.times):
            def change(directory):
                files = sorted(path for path in directory.rglob("*") if path.is_file() and path.stat().st_size)
                # The card of a data set is for people.
                files = [path for path in files if path.name != "README.md"]
                path = rng.choice(files)
                return path.relative_to(directory), flip(path, rng)

            (path, place), done = again(change)
            if done.returncode == 0 and name != "verify" and outcome(copy) == expected:
                counts["same"] += 1
            elif done.returncode == 2 and (path.name in done.stderr or str(copy) in done.stderr):
                counts["refused"] += 1
            else:
                counts["through"] += 1
                print(f"{name}: bit {place} of {path}: exit code {done.returncode}: {done.stderr.strip()[:300]}", file=sys.stderr)
        silent += counts["through"]
        print(f"| {name} | {arguments.times} | {counts['refused']} | {counts['same']} | {counts['through']} |", flush=True)
    shutil.rmtree(base)
    sys.exit(1 if silent else 0)


if __name__ == "__main__":
    main()
