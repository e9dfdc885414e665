#!/usr/bin/env python3
"""One network in three systems: a model that has learned to factorise polynomials over integers (`polynomials`) reads those over
words of 64 (`mba`) and of 32 bits (`words`) by the names of their operators. Expanded polynomials are optimised with it and without, with equal
work; in `mba` also those of conjunctions, x & p for x, which the model does not know.

    scripts/experiments/published/by_name.py OUT [--model polynomials] [--first 3] [--work 100000]

The polynomials are those of factorise.py that parameters are chosen with, of two to six variables. One is solved if the best term has at
most as many nodes as the product. Finished runs are kept in OUT: the same command goes on where it was.

Makes the table of docs/results.md, "One network, three systems". Needs a release build, no data, pyarrow and scipy; half an hour on one core.
"""
import argparse
import json
import pathlib
import re
import shutil

import pyarrow.parquet

import factorise
from program import run

#: By title: the system, the bits of its words, what stands behind the name of an operator, and for a variable.
BEDS = {"`polynomials`": ("polynomials", None, "", r"\g<0>"), "`mba`": ("mba", 64, "", r"\g<0>"), "`words`": ("words", 32, ":32", r"\g<0>"),
        "`mba`, of conjunctions": ("mba", 64, "", r"(& \g<0> p)")}


def said(text, bits, suffix, variable):
    """A polynomial as a term of a system."""
    text = re.sub(r"[A-Za-z]\w*", variable, text)
    text = re.sub(r"\(([+*-])", rf"(\g<1>{suffix}", text)
    return re.sub(r"-\d+", lambda number: str(int(number[0]) % 2**bits), text) if bits else text


def optimised(args, title, pairs, model):
    """The nodes of the best terms in a system, and their work."""
    system, *written = BEDS[title]
    name = re.sub(r"\W+", "-", title).strip("-")
    path = args.out / f"{name}-{'guesses' if model else 'search'}.json"
    if not path.exists():
        terms = args.out / f"{name}.txt"
        terms.write_text("".join(f"{said(form, *written)}\n" for _, form in pairs))
        out = path.with_suffix("")
        run(args.cairn, "optimise", "--system", system, "--cost", "size", "--terms", terms, "--work", args.work, "--cap", 4000, "--out", out,
            "--threads", args.threads, "--quiet", *(["--model", model, "--guides", 32] if model else []))
        rows = pyarrow.parquet.read_table(out / "optimised.parquet").to_pylist()
        path.write_text(json.dumps([{"best": row["best"], "work": row["work"]} for row in rows]))
        shutil.rmtree(out)
    return json.loads(path.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cairn", type=pathlib.Path, default=factorise.ROOT / "target/release/cairn")
    parser.add_argument("--model", default="polynomials")
    parser.add_argument("--first", type=int, default=3, help="polynomials of each kind")
    parser.add_argument("--work", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    args.each = 0
    _, kinds = factorise.tests(args)
    pairs = [pair for kind, pairs in kinds.items() for pair in pairs[:args.first] if len(kind.names) > 1]
    print(f"{len(pairs)} polynomials\n| system | search | with guesses | beside the search |\n| --- | --- | --- | --- |")
    for title, (_, *written) in BEDS.items():
        search, guesses = ([factorise.nodes(row["best"]) <= factorise.nodes(said(text, *written)) for row, (text, _) in zip(rows, pairs)]
                           for rows in (optimised(args, title, pairs, None), optimised(args, title, pairs, args.model)))
        print(f"| {title} | {sum(search)} | {sum(guesses)} | {factorise.beside(guesses, search)} |", flush=True)


if __name__ == "__main__":
    main()
