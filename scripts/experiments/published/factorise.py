#!/usr/bin/env python3
"""Factorisation: expanded polynomials become products again, by kinds: one to six variables, two to four factors, small and large
coefficients. One e-graph, the search, the search with rules that split numbers, and models that guess, with equal work.

    scripts/experiments/published/factorise.py learn --out DIR [--terms 30000] [--steps 2000] [--literals spelled]
    scripts/experiments/published/factorise.py test --out DIR [--model MODEL]... [--each 10] [--work 100000]
    scripts/experiments/published/factorise.py choose --out DIR [--model MODEL]... [--first 5]
    scripts/experiments/published/factorise.py test --out DIR --beside variable [--without DATA]... [--model MODEL]...
    scripts/experiments/published/factorise.py bed --out DIR --work 400000 [--model MODEL]...

A factor is a sum of two or three of the variables and 1, each times a coefficient. A term is solved if the best one has at most as
many nodes as the product; it has *as many factors* if it shows as many that are not numbers. No polynomial of a test is like one
that a model learned from, neither after its variables are renamed nor after they change places. `prove` and `explain` are asked
whether the expanded form equals the product. With --beside a variable, or a monomial, is added to each product of several variables
before it is expanded. `choose` does the same as `test`, with ten other polynomials of each kind; `bed` takes the hundred of
beds/polynomials.py.

`learn` makes a model for up to six variables and coefficients up to 99, one for each of --literals.
Finished steps are kept in DIR: the same command goes on where it was.

Makes the tables of docs/results.md, "Factorisation", where the options stand. Needs a release build, no data, pyarrow and scipy; sympy
checks the answers if it is installed. An hour on one core for each of the two parts.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import pickle
import random
import re
import shutil
import subprocess
import sys
import time

import pyarrow.parquet
from scipy.stats import binomtest

try:
    import sympy
except ImportError:
    sympy = None

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/experiments/beds"))
import polynomials
from program import lines, run

SYSTEM = "polynomials"
NAMES = ["x", "y", "z", "u", "v", "w"]
# Of an expanded polynomial, in nodes.
LARGEST = 150
# Of one that is learned from.
LEARNED = 70
# Of each kind, polynomials to choose on.
CHOOSE = 10
Kind = collections.namedtuple("Kind", "names factors largest")
KINDS = [Kind(tuple(names), factors, 3) for names in ("x", "xy", "xyz", "xyzu", "xyzuv", "xyzuvw")
         for factors in (2, 3, 4) if len(names) < 4 or factors < 4]
KINDS += [Kind(tuple(names), factors, 99) for names, factors in [("x", 2), ("x", 3), ("x", 4), ("xy", 2), ("xy", 3), ("xy", 4),
                                                                ("xyz", 2), ("xyzu", 2)]]
KINDS += [Kind(tuple(names), factors, 1) for names, factors in [("xy", 4), ("xyz", 3), ("xyz", 4), ("xyzu", 2), ("xyzu", 3), ("xyzu", 4),
                                                               ("xyzuv", 3), ("xyzuvw", 3)]]
KINDS += [Kind(("rate", "b2", "K"), 3, largest) for largest in (1, 3)]
GROUPS = {
    "all": lambda kind: True,
    "coefficients 1 and −1, at most three variables": lambda kind: kind.largest == 1 and len(kind.names) < 4,
    "coefficients 1 and −1, more variables": lambda kind: kind.largest == 1 and len(kind.names) > 3,
    "up to 3, two or three variables": lambda kind: kind.largest == 3 and 1 < len(kind.names) < 4,
    "up to 3, more variables": lambda kind: kind.largest == 3 and len(kind.names) > 3,
    "up to 99, two to four variables": lambda kind: kind.largest == 99 and len(kind.names) > 1,
}
# The rules that take numbers apart; the search without them has a file of its own.
SPLITS = ["split", "split-number", "negative", "divide-number", "divide"]


def nodes(text):
    return len(re.findall(r"[^\s()]+", text))


def times(a, b):
    """The product of two polynomials: coefficients by monomials, which are sorted tuples of names."""
    product = {}
    for m, c in a.items():
        for n, d in b.items():
            monomial = tuple(sorted(m + n))
            product[monomial] = product.get(monomial, 0) + c * d
    return {monomial: c for monomial, c in product.items() if c}


def plus(a, b, sign=1):
    total = dict(a)
    for monomial, c in b.items():
        total[monomial] = total.get(monomial, 0) + sign * c
    return {monomial: c for monomial, c in total.items() if c}


def polynomial(text):
    """Of a term, coefficients by monomials."""
    return polynomials.folded(text, lambda token: {(): int(token)} if re.fullmatch(r"-?\d+", token) else {(token,): 1},
                              lambda op, a, b: times(a, b) if op == "*" else plus(a, b, 1 if op == "+" else -1))


def written(poly):
    """The sum of monomials as one writes it: by degree, what is subtracted last."""
    whole = None
    for monomial, c in sorted(poly.items(), key=lambda term: (term[1] < 0, -len(term[0]), term[0])):
        first, *others = [str(abs(c))] * (abs(c) != 1 or not monomial) + list(monomial)
        for other in others:
            first = f"(* {first} {other})"
        if whole is None:
            whole = first if c > 0 else f"(- 0 {first})"
        else:
            whole = f"({'+' if c > 0 else '-'} {whole} {first})"
    return whole or "0"


def factor(rng, names, largest):
    """A sum of two or three of the names and 1, each with a coefficient; the first is positive."""
    terms = rng.sample([(name,) for name in names] + [()], min(len(names) + 1, rng.choice([2, 2, 3])))
    terms.sort(key=lambda monomial: not monomial)
    poly = {monomial: rng.choice([1, -1]) * rng.randint(1, largest) for monomial in terms}
    poly[terms[0]] = abs(poly[terms[0]])
    return poly


def product(rng, names, factors, largest):
    """A product of so many factors, written as one writes it."""
    text = written(factor(rng, names, largest))
    for _ in range(factors - 1):
        text = f"(* {text} {written(factor(rng, names, largest))})"
    return text


def likeness(poly):
    """What polynomials share that differ only in the names of variables, and some others."""
    return tuple(sorted((tuple(sorted(monomial.count(name) for name in set(monomial))), c) for monomial, c in poly.items()))


def monomial(rng, kind):
    """A product of one or two of the names, times a coefficient."""
    return written({tuple(sorted(rng.choices(kind.names, k=rng.choice([1, 2])))): rng.randint(1, kind.largest)})


#: What is added to a product.
BESIDE = {"variable": lambda rng, kind: rng.choice(kind.names), "monomial": monomial}


def drawn(rng, kind, without, beside):
    """A product in which all variables of a kind occur, and its expanded form, which is larger and like none of `without`."""
    while True:
        text = product(rng, kind.names, kind.factors, kind.largest)
        if beside:
            text = f"(+ {text} {BESIDE[beside](rng, kind)})"
        poly = polynomial(text)
        form = written(poly)
        if {name for monomial in poly for name in monomial} == set(kind.names) and nodes(text) < nodes(form) <= LARGEST \
                and likeness(poly) not in without:
            without.add(likeness(poly))
            return text, form


def known(args):
    """What the shipped model learned from is like."""
    path = args.out / "known.pickle"
    if not path.exists():
        path.write_bytes(pickle.dumps({likeness(polynomial(text)) for text, _ in polynomials.draw(
            60_000, "learn 0", {form for _, form in polynomials.draw(polynomials.LOOK, "test")})}))
    return pickle.loads(path.read_bytes())


def learned(datasets):
    """What the pairs of datasets are like."""
    files = [path for data in datasets for path in sorted(data.glob("data/*.parquet"))]
    return {likeness(polynomial(text)) for path in files for text in pyarrow.parquet.read_table(path)["start"].to_pylist()}


def tests(args, beside=None, without=()):
    """Products and expanded forms of each kind: those of the test, and those to choose on."""
    seen, whole = known(args) | learned(without), {}
    for kind in [kind for kind in KINDS if not beside or len(kind.names) > 1]:
        rng, used = random.Random(f"{'beside' if beside else 'test'} {kind}"), set(seen)
        whole[kind] = [drawn(rng, kind, used, beside) for _ in range(CHOOSE + args.each)]
    return [{kind: pairs[part] for kind, pairs in whole.items()} for part in (slice(CHOOSE, None), slice(CHOOSE))]


def learn(args):
    without = {likeness(polynomial(text)) for part in tests(args) for pairs in part.values() for text, _ in pairs}
    rng, found = random.Random(f"learn {args.seed}"), {}
    while len(found) < args.terms:
        names = NAMES[:rng.choice([1, 2, 2, 3, 3, 3, 4, 4, 5, 6])]
        text = product(rng, names, rng.choice([2, 3, 3, 4]), rng.choice([1, 1, 3, 3, 9, 99]))
        if rng.random() < 0.25:
            text = f"(+ {text} {rng.choice(names)})"
        poly = polynomial(text)
        form = written(poly)
        if nodes(text) < nodes(form) <= LEARNED and likeness(poly) not in without:
            found.setdefault(form, text)
    seeds, data = lines(args.out / "products.txt", found.values()), args.out / "data"
    if not (data / "dataset_info.json").exists():
        print(run(args.cairn, "guesses", "--system", SYSTEM, "--seeds", seeds, "--max-size", 120, "--out", data,
                  "--threads", args.threads, "--quiet"), flush=True)
    for literals in args.literals:
        shape = (ROOT / "configs/model/guesser.toml").read_text().replace("max_tokens = 200", f'max_tokens = 240\nliterals = "{literals}"')
        model, config = args.out / f"model-{literals}", lines(args.out / f"{literals}.toml", [shape])
        resume = ["--resume"] if (model / "training_state").exists() else []
        print(run(args.cairn, "train", "--data", data, "--out", model, "--config", config, "--steps", args.steps,
                  "--seed", args.seed, "--threads", args.threads, "--quiet", *resume), flush=True)


def methods(args):
    """Options of `optimise` by name. All may build as many e-nodes."""
    rules = (ROOT / f"configs/systems/{SYSTEM}.rules").read_text()
    for name in SPLITS:
        rules, left_out = re.subn(rf"\(rewrite [^\n]*(\n  [^\n]*)?:name {name}\)\n", "", rules)
        assert left_out == 1, name
    plain, more = ["--system", lines(args.out / "plain.rules", [rules])], ["--system", SYSTEM]
    whole, small = ["--strategy", "(until-stable (run))", "--cap", args.work, "--scheduler"], ["--cap", 4000]
    found = {"one e-graph, simple": [*plain, *whole, "simple"], "one e-graph, back-off": [*plain, *whole, "backoff"],
             "search": [*plain, *small], "search, splits": [*more, *small]}
    for model in args.model:
        guesses = ["--model", model, "--guides", args.guides]
        found[f"guesses, {model.name}"] = [*plain, *small, *guesses]
        # A model knows no rules, so that one works with more of them.
        found[f"guesses and splits, {model.name}"] = [*more, *small, *guesses]
    return found


def optimised(args, name, pairs, method, options):
    """What `optimise` makes of the expanded forms, with the seconds of processor of each."""
    out = args.out / f"{name}-{re.sub('[^a-z0-9]+', '-', method)}"
    path = out.with_suffix(".json")
    if not path.exists():
        terms = lines(args.out / f"{name}.txt", (form for _, form in pairs))
        began = os.times()
        run(args.cairn, "optimise", "--cost", "size", "--terms", terms, "--work", args.work, "--out", out,
            "--threads", args.threads, "--quiet", *options)
        ended = os.times()
        spent = ended.children_user + ended.children_system - began.children_user - began.children_system
        rows = pyarrow.parquet.read_table(out / "optimised.parquet").to_pylist()
        path.write_text(json.dumps([{"best": row["best"], "work": row["work"], "bytes": row["peak_bytes"], "ended": row["ended"],
                                     "seconds": spent / len(rows)} for row in rows]))
        shutil.rmtree(out)
    rows = json.loads(path.read_text())
    for row, (text, form) in zip(rows, pairs):
        value = polynomial(row["best"])
        assert value == polynomial(form), (form, row["best"])
        row |= {"small": nodes(row["best"]) <= nodes(text), "left": nodes(row["best"]) / nodes(text), "parts": parts(row["best"], args.beside)}
    return rows


def parts(text, beside=None):
    """How many factors that are not numbers a term shows; or, where something is beside the product, one of its summands."""
    def shown(op, *counts):
        ones = sum(one for one, _ in counts)
        if op == "*":
            return ones, ones
        return min(1, ones), max(most for _, most in counts) if beside else min(1, ones)

    return polynomials.folded(text, lambda token: (int(not re.fullmatch(r"-?\d+", token)),) * 2, shown)[1]


def by_sympy(pairs, rows):
    """Whether sympy finds all factors, the seconds that it takes, and whether it, too, says that the answers are equal."""
    names = sorted({word for _, form in pairs for word in re.findall(r"[A-Za-z]\w*", form)})
    gens = dict(zip(names, sympy.ring(names, sympy.ZZ)[1:]))

    def value(text):
        return eval(infix(text), {}, gens)

    found = []
    for index, (_, form) in enumerate(pairs):
        whole = value(form)
        assert all(value(answers[index]["best"]) == whole for answers in rows)
        began = time.process_time()
        _, factors = whole.factor_list()
        found.append((sum(times for _, times in factors), time.process_time() - began))
    return found


def infix(text):
    """A term as Python has it."""
    return polynomials.folded(text, str, lambda op, a, b: f"({a} {op} {b})")


def proved(args, name, pairs):
    """Whether `prove`, and one e-graph, prove the product equal to its expanded form, and the seconds of processor."""
    path = args.out / f"{name}-proved.json"
    if not path.exists():
        rows, asked = [], [["prove", "--work", args.work], ["explain", "--nodes", args.work, "--no-shorten"]]
        for number, (text, form) in enumerate(pairs):
            row = {}
            for command, *options in asked[:1 + (number < args.explained)]:
                began = os.times()
                done = subprocess.run([str(part) for part in (args.cairn, command, "--system", SYSTEM, "--start", form, "--target", text,
                                       "--threads", 1, "--quiet", *options)], capture_output=True, text=True)
                ended = os.times()
                if done.returncode not in (0, 3):
                    sys.exit(done.stderr)
                row[command] = [done.returncode == 0, ended.children_user + ended.children_system - began.children_user - began.children_system]
            rows.append(row)
        path.write_text(json.dumps(rows))
    return json.loads(path.read_text())


def beside(ours, theirs):
    more, less = sum(a > b for a, b in zip(ours, theirs)), sum(a < b for a, b in zip(ours, theirs))
    return f"+{more} −{less}, p = {binomtest(more, more + less).pvalue if more + less else 1:.1g}"


def compare(args):
    """Runs all methods on all kinds, and prints the tables."""
    part = tests(args, args.beside, args.without)[args.what == "choose"]
    rows, provings, factored, sizes = collections.defaultdict(list), [], [], {}
    for kind, pairs in part.items():
        pairs = pairs[:args.first]
        what = [args.what, args.beside] if args.beside else [args.what]
        name = "-".join([*what, str(len(pairs)), *kind.names, str(kind.factors), str(kind.largest)])
        answers = [optimised(args, name, pairs, method, options) for method, options in methods(args).items()]
        for method, found in zip(methods(args), answers):
            rows[method] += [row | {"kind": kind, "whole": row["parts"] >= kind.factors} for row in found]
        provings += [row | {"kind": kind} for row in proved(args, name, pairs)]
        factored += [(count == kind.factors, seconds) for count, seconds in by_sympy(pairs, answers)] if sympy else []
        sizes[kind] = [sum(map(nodes, texts)) / len(pairs) for texts in zip(*pairs)]
        print(name, file=sys.stderr, flush=True)
    by_kind(rows, provings, sizes)
    by_method(rows)
    one, other = list(rows)[3:5]
    either = [[a[measure] or b[measure] for a, b in zip(rows[one], rows[other])] for measure in ("small", "whole")]
    print(f"\n{one}, or {other}: {sum(either[0])} as small as the product, {sum(either[1])} with as many factors")
    for command in ("prove", "explain"):
        found = [row[command] for row in provings if command in row] or [(False, 0)]
        print(f"\n`{command}`: {sum(good for good, _ in found)} of {len(found)}, {sum(s for _, s in found) / len(found):.2f} s each, "
              f"at most {max(s for _, s in found):.2f}")
    if sympy:
        print(f"\nsympy {sympy.__version__}: as many factors in {sum(good for good, _ in factored)} of {len(factored)}, "
              f"{sum(s for _, s in factored) / len(factored):.4f} s each; all answers are equal to what was given")
    print("\n| method | polynomials | as small: it, the search | | as many factors | | work |\n| --- |" + " --- |" * 6)
    for name in list(rows)[list(rows).index("search") + 1:]:
        for title, which in GROUPS.items():
            ours, theirs = ([row for row in rows[method] if which(row["kind"])] for method in (name, "search"))
            cells = []
            for measure in ("small", "whole"):
                here, there = ([row[measure] for row in found] for found in (ours, theirs))
                cells += [f"{sum(here)}, {sum(there)} of {len(here)}", beside(here, there)]
            works = (f"{sum(row['work'] for row in found) / len(found):,.0f}" for found in (ours, theirs))
            print(f"| {name} | {title} | {' | '.join(cells)} | {' and '.join(works)} |")


def bed(args):
    """The same on the test of beds/polynomials.py."""
    pairs, found = polynomials.draw(polynomials.LOOK, "test")[:100], {}
    print("| method | as small as the product | seconds | beside the search |\n| --- | --- | --- | --- |")
    for method, options in list(methods(args).items())[2:]:
        rows = optimised(args, f"bed-{args.work}", pairs, method, options)
        found[method] = [row["small"] for row in rows]
        print(f"| {method} | {sum(found[method])} of {len(pairs)} | {sum(row['seconds'] for row in rows) / len(pairs):.2f} | "
              f"{beside(found[method], found['search'])} |", flush=True)
    one, other = list(found)[1:3]
    print(f"\n{one}, or {other}: {sum(map(max, found[one], found[other]))}")


def by_kind(rows, provings, sizes):
    """As small as the product: a row for variables and factors, in it a number for each range of coefficients."""
    print("| variables | factors | coefficients up to | nodes (of the product) |" + "".join(f" {name} |" for name in rows) + " `prove` | `explain` |")
    print("| --- |" + " --- |" * (5 + len(rows)))
    for names, factors in sorted({kind[:2] for kind in sizes}, key=lambda row: (row[0][0] != "x", len(row[0]), row[1])):
        kinds = sorted(kind for kind in sizes if kind[:2] == (names, factors))
        cells = [", ".join(str(kind.largest) for kind in kinds), ", ".join(f"{sizes[kind][1]:.0f} ({sizes[kind][0]:.0f})" for kind in kinds)]
        for found in rows.values():
            cells.append(", ".join(str(sum(row["small"] for row in found if row["kind"] == kind)) for kind in kinds))
        for command in ("prove", "explain"):
            good = [row[command][0] for row in provings if command in row and row["kind"] in kinds]
            cells.append(f"{sum(good)} of {len(good)}")
        print(f"| {', '.join(names)} | {factors} | {' | '.join(cells)} |")


def by_method(rows):
    print("\n| method | as small as the product | as many factors | nodes for one of the product | work | seconds "
          "| the largest e-graph, MiB | nothing left to do | of these unsolved |")
    print("| --- |" + " --- |" * 8)
    for name, found in rows.items():
        ended = [row for row in found if row["ended"] in ("strategy", "settled")]
        each = len(found)
        left = math.exp(sum(math.log(row["left"]) for row in found) / each)
        print(f"| {name} | {sum(row['small'] for row in found)} of {each} | {sum(row['whole'] for row in found)} | {left:.2f} | "
              f"{sum(row['work'] for row in found) / each:,.0f} | {sum(row['seconds'] for row in found) / each:.2f} | "
              f"{max(row['bytes'] for row in found) / 2**20:.1f} | {len(ended)} | {sum(not row['small'] for row in ended)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["learn", "choose", "test", "bed"])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--each", type=int, default=10, help="polynomials of each kind")
    parser.add_argument("--terms", type=int, default=30_000, help="to learn from")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--literals", nargs="+", default=["spelled"], choices=["spelled", "named"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", type=pathlib.Path, action="append", default=[], help="to compare with the search")
    parser.add_argument("--guides", type=int, default=32)
    parser.add_argument("--work", type=int, default=100_000, help="e-nodes that may be built for a polynomial")
    parser.add_argument("--beside", choices=BESIDE, help="what is added to each product")
    parser.add_argument("--without", type=pathlib.Path, action="append", default=[], help="a dataset of pairs: no polynomial is like one of these")
    parser.add_argument("--first", type=int, help="only so many polynomials of each kind")
    parser.add_argument("--explained", type=int, default=2, help="of each kind, polynomials to prove in one e-graph")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    {"learn": learn, "choose": compare, "test": compare, "bed": bed}[args.what](args)


if __name__ == "__main__":
    main()
