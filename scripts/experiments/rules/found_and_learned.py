#!/usr/bin/env python3
"""A system whose rules were found from its operators, with a ranker that was learned on it, beside the system that people wrote.

    scripts/experiments/rules/found_and_learned.py --out DIR [--cairn target/release/cairn] [--threads 1] [--size 5]

The bed is `ring`, sums and products of integers. A task is a pair of terms over three variables with equal values at 24 random points, drawn at random by
`cairn seeds` in sizes 13 to 19, none of them constant: it belongs to no system. `cairn rules find` finds rules of the operators of `ring` alone; then
`cairn learn` learns a ranker on each system from the same 240 tasks, with 60 to choose the round, and 100 others are tried by each method within the
same limits. Finished steps are kept in DIR. Makes the table of docs/results.md, "Found rules with a ranker".
"""
import argparse
import collections
import csv
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts/experiments/beds")]
from check_proof import read_sexprs  # noqa: E402
from program import run  # noqa: E402

LIMITS = ["--cap", "300", "--work", "600"]
RNG = random.Random("points")
POINTS = [[RNG.randint(-9, 9) for _ in range(3)] for _ in range(24)]
COMPUTE = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}


def value(term, point, names):
    if isinstance(term, list):
        return COMPUTE[term[0]](*(value(arg, point, names) for arg in term[1:]))
    return int(term) if re.fullmatch(r"-?\d+", term) else point[names.index(term)]


def draw(arguments):
    """Pairs of terms with equal values, no two pairs with the same."""
    seeds = arguments.out / "terms.txt"
    if not seeds.exists():
        run(arguments.cairn, "seeds", "--system", "ring", "--sizes", "13..19", "--variables", "3", "--count", "60000", "--out", seeds, "--quiet")
    terms = [line.strip() for line in seeds.read_text().splitlines() if line.startswith("(")]
    names = sorted({name for term in terms for name in re.findall(r"(?<= )[a-z]\w*", term)})
    groups = collections.defaultdict(list)
    for term in terms:
        read = read_sexprs(term)[0]
        groups[tuple(value(read, point, names) for point in POINTS)].append(term)
    pairs, rng = [], random.Random(0)
    for values, some in sorted(groups.items()):
        if len(set(values)) > 1:
            rng.shuffle(some)
            pairs += [tuple(some[:2])] if len(some) > 1 else []
    rng.shuffle(pairs)
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--size", type=int, default=5, help="nodes of a side of a rule that is looked for, at most")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    pairs, begin = draw(arguments), 0
    for name, count in [("train", 240), ("validation", 60), ("test", 100)]:
        with (arguments.out / f"{name}.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "start", "target"])
            rows.writerows((number, *pair) for number, pair in enumerate(pairs[begin:begin + count]))
        begin += count
    if begin > len(pairs):
        sys.exit(f"{len(pairs)} pairs were drawn, expected {begin}")
    text = (ROOT / "configs/systems/ring.rules").read_text()
    language = arguments.out / "language.rules"
    # The rules stand behind everything else.
    language.write_text(re.split(r"\n\((?:bi)?rewrite", text)[0] + "\n")
    found = arguments.out / f"found-{arguments.size}"
    sizes = ["--size", arguments.size, "--pair-size", "7", "--literals", "0 1 -1 2", "--query-time", "1"]
    run(arguments.cairn, "rules", "find", language, "--out", found, *sizes, "--threads", arguments.threads, "--quiet")
    print("| system | rules | one e-graph | `deep` | `ranked` |\n| --- | ---: | ---: | ---: | ---: |")
    common = ["--threads", arguments.threads, "--quiet"]
    for name, system in [("`ring`", "ring"), ("found", found / "found.rules")]:
        learned = arguments.out / f"learned-{pathlib.Path(system).stem}-{arguments.size}-{arguments.seed}"
        tasks = ["--tasks", arguments.out / "train.csv", "--validation", arguments.out / "validation.csv"]
        run(arguments.cairn, "learn", "--system", system, *tasks, "--from-nothing", "--out", learned, "--seed", arguments.seed, *common)
        tried = arguments.out / f"tried-{pathlib.Path(system).stem}-{arguments.size}-{arguments.seed}"
        said = run(arguments.cairn, "evaluate", "--system", system, "--tasks", arguments.out / "test.csv", "--methods", "cap,deep,ranked", "--ranker", learned,
                   *LIMITS, "--out", tried, *common)
        solved = dict(re.findall(r"^(\w+) +(\d+)/100", said, re.M))
        rules = (ROOT / "configs/systems/ring.rules" if system == "ring" else system).read_text()
        count = len(re.findall(r"^\((?:bi)?rewrite ", rules, re.M))
        print(f"| {name} | {count} | {solved['cap']} | {solved['deep']} | {solved['ranked']} |", flush=True)


if __name__ == "__main__":
    main()
