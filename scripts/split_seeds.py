#!/usr/bin/env python3
"""Splits seeds into those to learn from, to choose by and to measure on.

    python3 scripts/split_seeds.py SEEDS.csv OUT_DIRECTORY

SEEDS.csv has a column `expression`. Seeds that differ in the names of variables and in literals only come into the
same part: six tenths `learn.txt`, one tenth `valid.txt`, three tenths `test.txt`, by a hash.
"""

import csv
import hashlib
import re
import sys
from pathlib import Path

# What looks like a variable and is an operator.
OPERATORS = {"min", "max", "select", "true", "false", "let", "cast"}


def normal_form(text):
    """The text with variables and literals numbered in order of appearance."""
    variables, literals = {}, {}

    def rename(match):
        word = match.group(0)
        if re.fullmatch(r"-?\d+", word):
            return literals.setdefault(word, f"#{len(literals)}")
        if re.fullmatch(r"[A-Za-z_]\w*", word) and word not in OPERATORS:
            return variables.setdefault(word, f"${len(variables)}")
        return word

    return re.sub(r"[^\s()]+", rename, text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    parts = {"test": [], "valid": [], "learn": []}
    with source.open(newline="") as file:
        for row in csv.DictReader(file):
            digest = hashlib.sha256(normal_form(row["expression"]).encode()).hexdigest()
            tenth = int(digest, 16) % 10
            part = "test" if tenth < 3 else "valid" if tenth == 3 else "learn"
            parts[part].append(row["expression"])
    out.mkdir(parents=True, exist_ok=True)
    for name, seeds in parts.items():
        (out / f"{name}.txt").write_text("".join(f"{seed}\n" for seed in seeds))
        print(f"{name}: {len(seeds)}")


if __name__ == "__main__":
    main()
