#!/usr/bin/env python3
"""What a model that guesses knows of the shape of a product, and whether it is needed for that.

    scripts/experiments/published/shapes.py OUT [--model polynomials]

On the polynomials of factorise.py that parameters are chosen with, of more than one variable. First: those with coefficients up to 99, all of
which are replaced by 1; how often one of 32 answers has factors with the summands of the true ones. Then how many of three of each kind, and of 60
others as beds/polynomials.py draws them, become as small as the product: by the search, with sums at random in the place of the model's answers, and with the model.

Makes figures of docs/results.md, "The numbers are worked out"; those of the second part by the Python package at e78a750f, before `optimise` tried all sums
by itself. Needs the Python package, pyarrow and scipy; two minutes of one core.
"""
import argparse
import pathlib
import random
import re

import cairn_eqsat

import factorise
import polynomials
from factor_pairs import normal
from factorise import nodes, plus, polynomial, times


def supports(text):
    """The monomials of each factor that is no number."""
    def product(factors):
        whole = {(): 1}
        for factor in factors:
            whole = times(whole, factor)
        return whole

    factors = polynomials.folded(text, lambda token: [{(): int(token)} if re.fullmatch(r"-?\d+", token) else {(token,): 1}],
                                 lambda op, a, b: a + b if op == "*" else [plus(product(a), product(b))])
    return sorted(tuple(sorted(factor)) for factor in factors if list(factor) != [()])


def at_random(request):
    """Products of as many sums of two or three variables, or 1, as the degree says."""
    form = polynomial(str(request.start))
    rng, names = random.Random(f"{request.start} {request.number}"), sorted({name for monomial in form for name in monomial}) + ["1"]
    answers = []
    for _ in range(32):
        product = None
        for _ in range(max(map(len, form))):
            first, *others = rng.sample(names, min(len(names), rng.choice([2, 2, 3])))
            for other in others:
                first = f"(+ {first} {other})"
            product = f"(* {product} {first})" if product else first
        answers.append(product)
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--model", default="polynomials")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    args.each = 0
    _, kinds = factorise.tests(args)
    kinds = {kind: pairs for kind, pairs in kinds.items() if len(kind.names) > 1}
    system, model = cairn_eqsat.System.load("polynomials"), cairn_eqsat.Model.load(args.model)

    large = [pair for kind, pairs in kinds.items() if kind.largest == 99 for pair in pairs]
    known = 0
    for text, form in large:
        shape = system.term(normal(dict.fromkeys(polynomial(form), 1)))
        known += supports(text) in [supports(str(answer)) for answer, _ in model.guides(shape, shape, count=32)]
    print(f"the shape is known of {known} of {len(large)}")

    beds = {"of each kind": [pair for pairs in kinds.values() for pair in pairs[:3]], "others": polynomials.draw(60, "validation control")}
    for name, pairs in beds.items():
        for method, options in [("search", {}), ("at random", {"propose": at_random}), (args.model, {"model": model})]:
            small = 0
            for text, form in pairs:
                best = cairn_eqsat.optimise(system, form, cost="size", work=100_000, cap=4000, threads=1, progress=False, **options).term
                small += nodes(str(best)) <= nodes(text)
            print(f"{name}: {method}: {small} of {len(pairs)}", flush=True)


if __name__ == "__main__":
    main()
