#!/usr/bin/env python3
"""Flip a bit in what commands go on from or believe: it must be refused, made again, or change nothing that comes out.

    python scripts/checks/flip_bits.py [--cairn target/release/cairn] [--times 136] [--only COMMAND] [--seed 0]

A small `generate`, `tasks`, `learn`, `evaluate`, `train`, `optimise --terms` and `saturate --save` are begun, and stopped where
they can be gone on with, or ended. Then, in a copy, a random bit of a random file of theirs is flipped and the command is given again; so
many times for each. What comes out must be what comes out without the flip, or the command must end with exit code 2 and
name the file, or the directory if it seems to be another run's. Exit code 1: something went through. Needs pyarrow.
"""
import argparse
import collections
import pathlib
import random
import shutil
import sys
import tempfile

from kill_training import CONFIG
from small_runs import RULES, content, contents, run, small_runs


def begin(arguments, base):
    """What is gone on with, by name: the directory, the command, and what comes out."""
    runs = small_runs(arguments.cairn, base)
    clean, data = base / "clean", base / "data"
    data.rename(clean)
    shutil.copytree(clean, data)
    clean.joinpath(next(path.name for path in clean.glob(".tokens-*"))).unlink()
    command = {name: small.arguments for name, small in runs.items()}
    learn, evaluate, optimise = (command[name] for name in ("learn", "evaluate", "optimise --terms"))
    config = base / "longer.toml"
    config.write_text(CONFIG.format(steps=120))
    train = lambda out, steps: ["train", "--data", data, "--config", config, "--quiet", "--steps", steps, "--out", out]
    run(arguments.cairn, *learn(base / "learn"))
    run(arguments.cairn, *evaluate(base / "evaluate"))
    (base / "evaluate/results.parquet").unlink()
    run(arguments.cairn, *train(base / "train", 60))
    run(arguments.cairn, *optimise(base / "optimise"))
    (base / "optimise/optimised.parquet").unlink()
    (base / "grown").mkdir()
    run(arguments.cairn, *command["saturate --save"](base / "grown/e.graph"))
    weights = lambda out: (out / "model.safetensors").read_bytes()
    table = lambda name: lambda out: content(out / name)
    two_rounds = lambda copy: [2 if word == 1 else word for word in learn(copy)]
    small = ["--config", base / "model.toml", "--quiet", "--steps", 20]
    plans = ["plans", "--ahead", 2, "--validation", 0.4, "--quiet"]
    load = lambda copy: ["saturate", "--system", RULES, "--load", copy / "e.graph", "--iterations", 1, "--save", copy / "more.graph"]
    return {
        "learn": (base / "learn", two_rounds, lambda out: (out / "ranker.json").read_bytes()),
        "evaluate": (base / "evaluate", evaluate, table("results.parquet")),
        "train --resume": (base / "train", lambda copy: [*train(copy, 120), "--resume"], weights),
        "optimise --terms": (base / "optimise", optimise, table("optimised.parquet")),
        "train": (clean, lambda copy: ["train", "--data", copy, *small, "--out", copy / "model"], lambda out: weights(out / "model")),
        "verify": (clean, lambda copy: ["verify", copy], lambda _: None),
        "saturate --load": (base / "grown", load, table("more.graph")),
        "report": (base / "results", lambda copy: ["report", copy], table("report.html")),
        "plans": (base / "found", lambda copy: [*plans, copy, "--out", copy / "plans"], lambda out: contents(out / "plans")),
    }


def flip(path, rng):
    content = bytearray(path.read_bytes())
    place = rng.randrange(8 * len(content))
    content[place // 8] ^= 1 << place % 8
    path.write_bytes(content)
    return place


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
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
            return change(copy), run(arguments.cairn, *command(copy), codes=())

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
