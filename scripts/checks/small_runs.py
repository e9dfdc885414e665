"""A small run of every command that writes, for scripts that disturb them. Needs pyarrow."""
import dataclasses
import json
import pathlib
import subprocess
import sys
from collections.abc import Callable

import pyarrow.parquet as pq

from kill_training import CONFIG

RULES = pathlib.Path(__file__).resolve().parents[2] / "cairn/fuzz/system.rules"
GOALS = """\
(m a (m b f)) (contains (m b (m a f)))
(m a (m b (m c f))) (contains (m c (m a (m b f))))
(m a (m b (m c (m d f)))) (contains (m a (m c (m b (m d f)))))
"""
PRODUCTS = "".join(f"(* (+ {a} {b}) (+ {c} {a}))\n(* {a} (+ {b} {c}))\n" for a in "xy1" for b in "xyz" for c in "yz2")
# What differs from run to run, or has the hash of such a thing.
TIMES = {"seconds", "model_seconds", "time", "seconds_left", "tokens_per_second", "results_hash", "items_hash",
    "sha256"}


def run(cairn, *command, codes=(0,), **options):
    """Runs the program; ends with its message if the exit code is none of these."""
    command = [str(word) for word in (cairn, *command)]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if codes and done.returncode not in codes:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done


def without_times(value):
    if isinstance(value, list):
        return [without_times(one) for one in value]
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    return value


def content(path):
    """What must be the same in every run: the bytes, without times where there are some."""
    if path.parent.name == "rows" or path.name == "state.json":
        # Sealed: the last line is a hash.
        return without_times(json.loads(path.read_text().rstrip().rpartition("\n")[0]))
    if path.name == "items.jsonl":
        # In the order in which they were finished.
        return sorted(path.read_text().splitlines())
    if path.name == "results.parquet":
        return without_times(pq.read_table(path).to_pylist())
    if path.name in ("evaluation.json", "part.json"):
        return without_times(json.loads(path.read_text()))
    if path.name == "train_log.jsonl":
        return [without_times(json.loads(line)) for line in path.read_text().splitlines()]
    if path.name.startswith("events.out"):
        return None
    return path.read_bytes()


def contents(out):
    """The same of all files of a directory, by name, or of the one file."""
    if out.is_file():
        return {"": content(out)}
    files = (path for path in out.rglob("*") if path.is_file())
    return {str(path.relative_to(out)): content(path) for path in files}


@dataclasses.dataclass
class Small:
    """A command: its arguments, given where it writes, and what must be there before it begins."""

    arguments: Callable[[pathlib.Path], list]
    name: str = "out"  # of what it writes
    before: pathlib.Path | None = None  # a directory that a copy of is written to


def small_runs(cairn, base):
    """Makes what the commands read in `base`, and gives the commands by name."""
    seeds, tasks, valid, data = (base / name for name in ("seeds.txt", "tasks.parquet", "valid.parquet", "data"))
    few, goals, small, config = (base / name for name in ("few.txt", "goals.txt", "small.txt", "model.toml"))
    goals.write_text(GOALS)
    small.write_text(PRODUCTS)
    config.write_text(CONFIG.format(steps=20))
    system = ["--system", RULES]
    draw = ["seeds", *system, "--sizes", "9..15", "--count", 60, "--quiet", "--out"]
    run(cairn, *draw, seeds)
    few.write_text("\n".join(seeds.read_text().splitlines()[:15]) + "\n")
    chains = ["tasks", *system, "--seeds", seeds, "--link-nodes", 100, "--quiet"]
    twelve = [*chains, "--count", 12]
    run(cairn, *twelve, "--out", tasks)
    run(cairn, *chains, "--count", 4, "--seed", 1, "--without", tasks, "--out", valid)
    generate = ["generate", *system, "--seeds", few, "--memory", "1MiB", "--quiet"]
    run(cairn, *generate, "--out", data)
    learn = ["learn", *system, "--tasks", tasks, "--validation", valid, "--cap", 400, "--rounds", 1, "--quiet"]
    evaluate = ["evaluate", *system, "--tasks", tasks, "--methods", "all-work,deep", "--cap", 400, "--work", 2000, "--quiet"]
    run(cairn, *evaluate, "--out", base / "results")
    find = ["optimise", "--system", "tiling", "--cost", "size", "--tasks", goals, "--first", "--cap", 2000, "--work", 2000, "--quiet"]
    run(cairn, *find, "--out", base / "found", codes=(0, 3))
    for i in (0, 1):
        run(cairn, *twelve, "--shard", f"{i}/2", "--out", base / f"parts-{i}")
    parts = [base / "parts-0", base / "parts-1"]
    train = ["train", "--data", data, "--config", config, "--quiet"]
    run(cairn, *train, "--out", base / "warm")  # makes the file of tokens
    to = lambda command: lambda out: [*command, "--out", out]
    growth = ["saturate", *system, "--term", "(* (+ a b) (+ a (* b c)))", "--iterations", 4]
    proof = ["prove", *system, "--start", "(* a (+ b c))", "--target", "(+ (* c a) (* a b))", "--quiet"]
    again = lambda out: [*train, "--out", out, *(["--resume"] if (out / "config.json").exists() else [])]
    return {
        "seeds": Small(lambda out: [*draw, out], "out.txt"),
        "generate": Small(to(generate)),
        "split": Small(to(["split", data, "--cutoff", 3, "--quiet"])),
        "train": Small(again),
        "tasks": Small(to(twelve), "out.parquet"),
        "tasks --shard": Small(to([*twelve, "--shard", "0/2"])),
        "merge": Small(to(["merge", *parts, "--quiet"]), "out.parquet"),
        "learn": Small(to(learn)),
        "evaluate": Small(to(evaluate)),
        "report": Small(lambda out: ["report", out], before=base / "results"),
        "optimise --terms": Small(to(["optimise", *system, "--terms", few, "--cap", 300, "--work", 1000, "--quiet"])),
        "plans": Small(to(["plans", base / "found", "--ahead", 2, "--validation", 0.4, "--quiet"])),
        "guesses": Small(to(["guesses", "--system", "polynomials", "--seeds", small, "--quiet"])),
        "saturate --save": Small(lambda out: [*growth, "--save", out], "out.graph"),
        "saturate --export": Small(lambda out: [*growth, "--export", out], "out.json"),
        "prove --out": Small(to(proof), "out.json"),
    }
