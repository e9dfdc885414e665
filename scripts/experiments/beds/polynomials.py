#!/usr/bin/env python3
"""Polynomials: find the product that an expanded polynomial once was, by the rules of `polynomials`, with a checked proof
each; and a transformer that learns to guess it.

    scripts/experiments/beds/polynomials.py learn --out DIR [--terms 60000] [--steps 6000] [--positions tree] [--seed 0]
    scripts/experiments/beds/polynomials.py test --out DIR [--model MODEL]... [--ranker RANKER] [--count 100]

Terms are products of two to four factors over x, y and z, each a sum of two or three, with something added at times. Those
that are to be learned from are brought into the normal form of the system; no polynomial of the test is among them. A test
term is such a product, expanded: a sum of monomials, in an order by degree, of at most 90 nodes.

`test` optimises the same expanded polynomials with equal work by the search alone (in e-graphs of two sizes), with a
ranker, if there is one (from `cairn learn --system polynomials --cost size --seeds DIR/expanded.txt`), and with each model.
Finished steps are kept in DIR: the same command goes on where it was.

Makes the tables of docs/results.md, "Polynomials: the transformer guesses", with --terms 60000 --steps 5000, and the model `polynomials` of
models/. Needs a release build, no data, pyarrow and scipy; the training ten minutes on two cores.
"""
import argparse
import collections
import pathlib
import random
import re
import time

import pyarrow.parquet
from scipy.stats import binomtest

from program import lines, run

ROOT = pathlib.Path(__file__).resolve().parents[3]
NAMES = ["x", "y", "z"]
LARGEST = 90
LOOK = 300


def factor(rng):
    text = rng.choice(NAMES)
    for _ in range(rng.choice([1, 1, 2])):
        text = f"({rng.choice('++-')} {text} {rng.choice(NAMES + ['1', '2', '3'])})"
    return text


def product(rng):
    text = factor(rng)
    for _ in range(rng.choice([1, 2, 2, 3])):
        text = f"(* {text} {factor(rng) if rng.random() < 0.8 else rng.choice(NAMES)})"
    return f"(+ {text} {rng.choice(NAMES)})" if rng.random() < 0.4 else text


def folded(text, leaf, apply):
    """What comes of a term from what comes of its leaves, and of an operator over what came of its arguments."""
    stack = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            parts = stack.pop()
            stack[-1].append(apply(*parts))
        elif len(stack) > 1 and not stack[-1]:
            stack[-1].append(token)
        else:
            stack[-1].append(leaf(token))
    return stack[0][0]


def polynomial(text):
    """Coefficients by exponents."""
    def leaf(token):
        if token in NAMES:
            return {tuple(int(name == token) for name in NAMES): 1}
        return {(0,) * len(NAMES): int(token)}

    return folded(text, leaf, combined)


def combined(op, a, b):
    sum_ = collections.Counter()
    if op == "*":
        for m, c in a.items():
            for n, d in b.items():
                sum_[tuple(map(sum, zip(m, n)))] += c * d
    else:
        sum_.update(a)
        (sum_.update if op == "+" else sum_.subtract)(b)
    return {exponents: c for exponents, c in sum_.items() if c}


def expanded(text):
    """The sum of monomials as one writes it: by degree, what is subtracted last."""
    terms = sorted(polynomial(text).items(), key=lambda t: (t[1] < 0, -sum(t[0]), [-n for n in t[0]]))
    whole = None
    for exponents, c in terms:
        factors = [name for name, n in zip(NAMES, exponents) for _ in range(n)]
        if abs(c) != 1 or not factors:
            factors.insert(0, str(abs(c)))
        monomial = factors[0]
        for other in factors[1:]:
            monomial = f"(* {monomial} {other})"
        if whole is None:
            whole = monomial if c > 0 else f"(- 0 {monomial})"
        else:
            whole = f"({'+' if c > 0 else '-'} {whole} {monomial})"
    return whole or "0"


def nodes(text):
    return len(re.findall(r"[^\s()]+", text))


def draw(count, seed, without=()):
    """Products and their expanded forms, all different."""
    rng, found = random.Random(seed), {}
    while len(found) < count:
        text = product(rng)
        form = expanded(text)
        if nodes(text) + 8 <= nodes(form) <= LARGEST and form not in without:
            found.setdefault(form, text)
    return [(text, form) for form, text in found.items()]


def learn(args):
    tests = draw(LOOK, "test")
    drawn = draw(args.terms, f"learn {args.seed}", {form for _, form in tests})
    seeds = lines(args.out / "products.txt", (text for text, _ in drawn))
    lines(args.out / "expanded.txt", (form for _, form in drawn[:2000]))
    without = lines(args.out / "without.txt", (form for _, form in tests))
    data, model = args.out / "data", args.out / f"model-{args.positions}-{args.seed}"
    if not (data / "dataset_info.json").exists():
        print(run(args.cairn, "guesses", "--system", "polynomials", "--seeds", seeds, "--without", without, "--out", data,
                  "--threads", args.threads, "--quiet"), flush=True)
    config = args.out / f"{args.positions}.toml"
    shape = (ROOT / "configs/model/guesser.toml").read_text()
    if args.positions != "tree":
        shape = shape.replace('positions = "tree"', f'positions = "{args.positions}"')
        shape = "".join(line for line in shape.splitlines(True) if "relation_heads" not in line)
    config.write_text(shape)
    resume = ["--resume"] if (model / "training_state").exists() else []
    print(run(args.cairn, "train", "--data", data, "--out", model, "--config", config, "--steps", args.steps,
              "--seed", args.seed, "--threads", args.threads, "--quiet", *resume), flush=True)


def test(args):
    tests = draw(LOOK, "test")[:args.count]
    small = [nodes(text) for text, _ in tests]
    terms = lines(args.out / f"test-{args.count}.txt", (form for _, form in tests))
    methods = {
        "search, e-graphs of 4,000": ["--cap", "4000"],
        "search, e-graphs of 40,000": ["--cap", "40000"],
        "search, smallest first, e-graphs of 4,000": ["--cap", "4000", "--scheduler", "mixed"],
    }
    if args.ranker:
        methods["search with a ranker, e-graphs of 4,000"] = ["--cap", "4000", "--ranker", args.ranker]
    for model in args.model:
        methods[f"guesses ({model.name})"] = ["--cap", "4000", "--model", model, "--guides", args.guides]
    print(f"{args.count} polynomials of {sum(nodes(form) for _, form in tests) / args.count:.1f} nodes, products of "
          f"{sum(small) / args.count:.1f}; work {args.work:,} each\n")
    print("| method | as small as the product | nodes left | seconds each |\n| --- | --- | --- | --- |")
    reached = {}
    for name, options in methods.items():
        out = args.out / f"test-{args.count}-{args.work}-{re.sub('[^a-z0-9]+', '-', name)}"
        seconds = out.with_suffix(".seconds")
        if not seconds.exists():
            began = time.time()
            run(args.cairn, "optimise", "--system", "polynomials", "--cost", "size", "--terms", terms, "--work", args.work,
                "--threads", args.threads, "--quiet", "--out", out, *options)
            seconds.write_text(f"{time.time() - began:.1f}")
        rows = pyarrow.parquet.read_table(out / "optimised.parquet").to_pylist()
        after = [row["size_after"] for row in rows]
        reached[name] = [size <= product for size, product in zip(after, small)]
        each = float(seconds.read_text()) * args.threads / args.count
        print(f"| {name} | {sum(reached[name])} of {args.count} | {sum(after) / args.count:.1f} | {each:.1f} |", flush=True)
    *others, last = reached
    for other in others:
        pairs = list(zip(reached[last], reached[other]))
        more, less = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
        print(f"\n{last} beside {other}: +{more} −{less}, p = {binomtest(more, more + less).pvalue if more + less else 1:.1g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["learn", "test"])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--terms", type=int, default=60_000)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--positions", default="tree")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--ranker", type=pathlib.Path)
    parser.add_argument("--guides", type=int, default=32)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--work", type=int, default=400_000)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    {"learn": learn, "test": test}[args.what](args)


if __name__ == "__main__":
    main()
