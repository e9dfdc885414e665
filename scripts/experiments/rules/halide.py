#!/usr/bin/env python3
"""Equations of Halide's simplifier that rules found from operators alone derive.

    scripts/experiments/rules/halide.py EQUATIONS.tsv --system found.rules [--cairn target/release/cairn] [--out DIR] [--nodes 100000]

EQUATIONS is a table with the columns group, name, left, right and condition, as Caviar's rules can be written down (`?x` are variables; a
condition says which are constants, and what holds of them). An equation is true if both sides have equal values at 2,000 random assignments
where its condition holds, with x/0 = x%0 = 0. One without a condition is derived if `cairn explain` proves its sides equal in one e-graph of both
within five iterations and so many e-nodes; one with a condition if three instances are, with constants drawn at random so that it holds. Prints how
many of each group are, and writes those that are not into DIR. Needs a release build.
"""
import argparse
import collections
import csv
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from check_proof import read_sexprs  # noqa: E402
from ruler import NODES, follows  # noqa: E402

POINTS, INSTANCES = 2_000, 3


def divided(a, b):
    """Euclid's quotient and remainder."""
    if b == 0:
        return 0, 0
    rest = a % abs(b)
    return (a - rest) // b, rest


COMPUTE = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: divided(a, b)[0],
    "%": lambda a, b: divided(a, b)[1], "min": min, "max": max, "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b), "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: a & b, "||": lambda a, b: a | b, "!": lambda a: 1 - a,
}
TRUTHS = {"&&", "||", "!"}


def value(term, of):
    if isinstance(term, list):
        return COMPUTE[term[0]](*(value(arg, of) for arg in term[1:]))
    return of[term] if term.startswith("?") else int(term)


def variables(term, truth=False):
    """Of a term, and whether they are truth values."""
    if isinstance(term, list):
        inner = term[0] in TRUTHS
        return {name: kind for arg in term[1:] for name, kind in variables(arg, inner).items()}
    return {term: truth} if term.startswith("?") else {}


def condition(text):
    """Which variables are constants, and what has to hold of them: a function of their values."""
    if not text:
        return set(), lambda of: True
    if single := re.fullmatch(r"(\?\w+) (?:constant ([<>]) 0|not the constant 0)", text):
        name, order = single[1], single[2]
        return {name}, lambda of: of[name] > 0 if order == ">" else of[name] < 0 if order == "<" else of[name] != 0
    names, says = text.split(" constants: ")
    parts = []
    for part in says.split(", "):
        if found := re.fullmatch(r"(\?\w+) (divides|does not divide) (\?\w+)", part):
            a, wants, b = found[1], found[2] == "divides", found[3]
            parts.append(lambda of, a=a, b=b, wants=wants: (divided(of[b], of[a])[1] == 0) == wants)
            continue
        python = re.sub(r"\|(\?\w+)\|", r"abs(\1)", part)
        python = re.sub(r"\?(\w+)", r"of['?\1']", python)
        parts.append(eval(f"lambda of: {python}"))  # a line of the table that was given
    return set(names.split(", ")), lambda of: all(holds(of) for holds in parts)


def drawn(rng, kinds, holds):
    for _ in range(100_000):
        of = {name: rng.randint(0, 1) if truth else rng.choice([rng.randint(-3, 3), rng.randint(-24, 24)]) for name, truth in kinds.items()}
        if holds(of):
            return of
    raise SystemExit("no assignment was found")


def text(term, of):
    if isinstance(term, list):
        return f"({term[0]} {' '.join(text(arg, of) for arg in term[1:])})"
    return str(of.get(term, term)).lstrip("?")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("equations", type=pathlib.Path)
    parser.add_argument("--system", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=HERE.parents[2] / "target/release/cairn")
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    groups, missed = collections.defaultdict(lambda: [0, 0, 0]), []
    with arguments.equations.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        rng = random.Random(row["name"])
        left, right = (read_sexprs(re.sub(r"\((-?\d+)\)", r"\1", row[side]))[0] for side in ["left", "right"])
        constants, holds = condition(row["condition"])
        kinds = variables(left) | variables(right)
        same = all(value(left, of) == value(right, of) for of in (drawn(rng, kinds, holds) for _ in range(POINTS)))
        group = groups[row["group"], bool(constants)]
        group[0] += 1
        if not same:
            continue
        group[1] += 1
        some = [drawn(rng, kinds, holds) for _ in range(INSTANCES if constants else 1)]
        some = [{name: of[name] for name in constants} for of in some]
        questions = [(text(left, of), text(right, of)) for of in some]
        if all(start == target or follows(arguments.cairn, arguments.system, (start, target), arguments.nodes) for start, target in questions):
            group[2] += 1
        else:
            missed.append(f"{row['name']}: {row['left']} = {row['right']}  {row['condition']}")
    print("| group | equations | true | derived | with a condition | true | derived |\n| --- |" + " ---: |" * 6)
    total = [0] * 6
    for group in sorted({group for group, _ in groups}):
        cells = groups[group, False] + groups[group, True]
        total = [a + b for a, b in zip(total, cells)]
        print(f"| {group} | " + " | ".join(map(str, cells)) + " |")
    print("| all | " + " | ".join(map(str, total)) + " |")
    print(f"derived: {total[2] + total[5]} of {total[1] + total[4]} true ones")
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "not-derived.txt").write_text("\n".join(missed) + "\n")


if __name__ == "__main__":
    main()
