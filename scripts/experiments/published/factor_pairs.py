#!/usr/bin/env python3
"""A model that guesses factors, of polynomials of up to six variables: pairs to learn from, and the training.

    scripts/experiments/published/factor_pairs.py --out DIR [--terms 70000] [--steps 3000] [--begin models/polynomials]

A pair is the normal form of a product, and what it may become. That is the product itself, written in one way only: a number, then the
factors in the order in which the normal form has their variables, none with a number in all its summands, so that there is
one answer to learn. Of three and more factors it is, for some, only a step: the first factor times the rest, which stays expanded and is guessed
as a part afterwards (`cairn optimise --model` asks for parts). Coefficients go up to 1, 2, 3, 9 and, of two factors, 99; to some a
variable is added. None is like a polynomial of factorise.py, neither of its test nor of those to choose on.

The pairs are equal because they are multiplied out here, and have no proofs: when they were made, `cairn guesses` needed more memory than
there was for 70,000 such products. So `cairn verify` refuses this dataset; whatever the model writes is proved where it is used. The weights begin as those of --begin, whose tokens are carried over by other_tokens.py.
Finished steps are kept in DIR: the same command goes on where it was.

For docs/results.md, "Factorisation: factors one at a time". Needs a release build, no data, numpy, pyarrow and scipy; 35 minutes of one idle core.
"""
import argparse
import json
import math
import pathlib
import random
import re
import shutil
import sys

import pyarrow
import pyarrow.parquet

import factorise
from factorise import nodes, plus, polynomial, times

import polynomials
from program import lines, run

sys.path.insert(0, str(factorise.ROOT / "scripts/experiments"))
from sealed_info import of_file, sha256, write_info

# Nodes of the longest normal form that is learned from.
LONGEST = 140
# How many variables, factors, and how large coefficients: values and weights.
VARIABLES = [1, 2, 3, 4, 5, 6], [3, 21, 25, 20, 16, 15]
FACTORS = [2, 3, 4], [35, 40, 25]
COEFFICIENTS = [1, 2, 3, 9, 99], [40, 10, 30, 12, 8]
# With coefficients as large, no more factors.
MOST_FACTORS = {9: 3, 99: 2}
# Shares of products as those of beds/polynomials.py, of steps where there are three factors, and of products with a variable added.
TEXTBOOK, STEP, ADDED = 0.15, 0.3, 0.12
# Of the pairs, those to watch the learning by.
VALIDATION = 0.02


def monomial_text(monomial, c):
    """As the normal form has it."""
    *first, text = [str(c)] * (c != 1 or not monomial) + list(monomial)
    for part in reversed(first):
        text = f"(* {part} {text})"
    return text


def normal(poly):
    """The normal form of a polynomial that is not 0."""
    *first, text = [monomial_text(monomial, poly[monomial]) for monomial in sorted(poly)]
    for part in reversed(first):
        text = f"(+ {part} {text})"
    return text


def short(poly):
    """A sum in the order of its summands, what is subtracted last."""
    whole = None
    for monomial, c in sorted(poly.items(), key=lambda summand: summand[1] < 0):
        text = monomial_text(monomial, abs(c))
        if whole is None:
            whole = text if c > 0 else f"(- 0 {text})"
        else:
            whole = f"({'+' if c > 0 else '-'} {whole} {text})"
    return whole


def in_order(factors):
    """The product, a number, and the factors without it in the order of the variables in the product's normal form."""
    whole, place = {(): 1}, {}
    for poly in factors:
        whole = times(whole, poly)
    for monomial in sorted(whole):
        for name in monomial:
            place.setdefault(name, len(place))
    number, parts = 1, []
    for poly in factors:
        poly = dict(sorted(poly.items(), key=lambda summand: (not summand[0], [place[name] for name in summand[0]])))
        shared = math.gcd(*poly.values()) * (1 if next(iter(poly.values())) > 0 else -1)
        number *= shared
        if list(poly) != [()]:
            parts.append({monomial: c // shared for monomial, c in poly.items()})
    parts.sort(key=lambda poly: ([[place[name] for name in monomial] for monomial in poly], list(poly.values())))
    # A factor with both signs takes the minus without a node more.
    for i, poly in enumerate(parts):
        if number < 0 and min(poly.values()) < 0:
            parts[i], number = {monomial: -c for monomial, c in poly.items()}, -number
    return whole, number, parts


def textbook_factor(rng, names):
    if rng.random() < 0.15:
        return {(rng.choice(names),): 1}
    renamed = dict(zip(polynomials.NAMES, names))
    poly = polynomial(polynomials.factor(rng))
    return {tuple(sorted(renamed[name] for name in monomial)): c for monomial, c in poly.items()}


def drawn(rng):
    """A polynomial and what it may become; nothing where no product came."""
    names, largest, count = (rng.choices(*of)[0] for of in (VARIABLES, COEFFICIENTS, FACTORS))
    names = rng.sample(factorise.NAMES, names)
    if rng.random() < TEXTBOOK:
        names = rng.sample(factorise.NAMES, 3)
        factors = [textbook_factor(rng, names) for _ in range(count)]
    else:
        count = min(count, MOST_FACTORS.get(largest, count))
        factors = [factorise.factor(rng, names, largest) for _ in range(count)]
    if not all(factors):
        return None
    whole, number, parts = in_order(factors)
    if len(parts) < 2:
        return None
    if len(parts) > 2 and rng.random() < STEP:
        rest = {(): number}
        for poly in parts[1:]:
            rest = times(rest, poly)
        return whole, f"(* {short(parts[0])} {normal(rest)})"
    *first, text = [str(number)] * (number != 1) + [short(poly) for poly in parts]
    for part in reversed(first):
        text = f"(* {part} {text})"
    if rng.random() < ADDED:
        name = rng.choice(names)
        whole, text = plus(whole, {(name,): 1}), f"(+ {text} {name})"
    return whole, text


def renamed(*texts):
    """Variables by number, in the order in which they occur."""
    names = {}
    return [re.sub(r"[a-z]", lambda name: names.setdefault(name[0], f"v{len(names)}"), text) for text in texts]


def pairs(args):
    """Normal forms and what they may become, all different, with variables by number."""
    without = {factorise.likeness(polynomial(text)) for part in factorise.tests(args) for pairs in part.values() for text, _ in pairs}
    rng, found = random.Random(f"factors {args.seed}"), {}
    while len(found) < args.terms:
        whole, text = drawn(rng) or ({}, "")
        form = normal(whole) if whole else ""
        if nodes(text) < nodes(form) <= LONGEST and factorise.likeness(whole) not in without:
            assert polynomial(text) == whole
            found.setdefault(*renamed(form, text))
    return list(found.items())


def dataset(args, out):
    """Writes the pairs as `cairn guesses` would, but for the proofs: a dataset of few pairs is made, and its triples are others."""
    seeds = lines(args.out / "few.txt", ["(* (+ x 1) (+ y 2))", "(* (+ x 1) (- x 2))", "(* (- x y) (+ x z))"])
    print(run(args.cairn, "guesses", "--system", factorise.SYSTEM, "--seeds", seeds, "--validation", 0.4, "--out", out, "--quiet"))
    info, all_pairs = json.loads((out / "dataset_info.json").read_text()), pairs(args)
    model, info["cairn"]["seeds"] = info["cairn"]["seeds"][0], []
    cut = int(len(all_pairs) * VALIDATION)
    for split, found in [("train", all_pairs[cut:]), ("validation", all_pairs[:cut])]:
        path = out / f"data/{split}-00000-of-00001.parquet"
        first = len(info["cairn"]["seeds"])
        rows = [{"id": i, "seed": i, "seed_id": str(i), "proof": i, "start": form, "guide": text, "target": form, "steps_start_guide": 1,
                 "steps_guide_target": 1, "start_size": nodes(form), "guide_size": nodes(text), "target_size": nodes(form), "depth": 0}
                for i, (form, text) in enumerate(found, first)]
        info["cairn"]["seeds"] += [model | {"seed": i, "id": str(i), "split": split, "size": nodes(form),
                                            "digest": sha256(form.encode())[:32]}
                                   for i, (form, _) in enumerate(found, first)]
        table = pyarrow.Table.from_pylist(rows, pyarrow.parquet.read_schema(path))
        pyarrow.parquet.write_table(table, path, compression="zstd")
        info["splits"][split] |= {"num_examples": len(found), "num_bytes": path.stat().st_size}
    for name in info["cairn"]["files"]:
        info["cairn"]["files"][name] = of_file(out / name)
    info["download_size"] = sum(split["num_bytes"] for split in info["splits"].values())
    write_info(out, info)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=factorise.ROOT / "target/release/cairn")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--terms", type=int, default=70_000, help="to learn from")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--begin", type=pathlib.Path, help="a model of the same shape whose weights are begun with")
    args = parser.parse_args()
    # As factorise.py has them, so that none of its polynomials is learned from.
    args.each = 10
    args.out.mkdir(parents=True, exist_ok=True)
    data, model, begin = args.out / "data", args.out / f"model-{args.seed}", args.out / "begin"
    if not (args.out / "data-is-made").exists():
        shutil.rmtree(data, ignore_errors=True)
        dataset(args, data)
        (args.out / "data-is-made").touch()
    shape = (factorise.ROOT / "configs/model/guesser.toml").read_text().replace("max_tokens = 200", "max_tokens = 240")
    train = [args.cairn, "train", "--data", data, "--config", lines(args.out / "shape.toml", [shape]), "--threads", args.threads, "--quiet"]
    more = ["--resume"] if (model / "training_state").exists() else []
    if args.begin:
        if not more:
            shutil.rmtree(begin, ignore_errors=True)
            run(*train, "--out", begin, "--steps", 1)
            run(sys.executable, factorise.ROOT / "scripts/experiments/beds/other_tokens.py", args.begin, begin)
        more += ["--from", begin]
    print(run(*train, "--out", model, "--steps", args.steps, "--seed", args.seed, *more), flush=True)


if __name__ == "__main__":
    main()
