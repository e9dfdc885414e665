#!/usr/bin/env python3
"""AIM: equations about loops (quasigroups with a neutral element) on the way to Kinyon's and Veroff's proof of the AIM conjecture, with
the lemmas that they come with and without them.

    scripts/experiments/beds/aim.py --data AIMLEAP --out DIR [--problems 300] [--training 300] [--work 40000] [--ranker]

AIMLEAP is a checkout of github.com/ai4reason/aimleap, whose aimleapprobs holds 3,468 equations, each with 87 known
ones: axioms, definitions and lemmas. An equation is to be proved of its variables as constants. What is known
is rules in both directions. Where one side has variables that the other lacks, they become each term of a pool: the
neutral element and what the questions call x, y and z.

Methods are compared on problems that are drawn at random, with the same work. --ranker: as many others, or --training of them, are learned from
(`cairn learn`, three rounds), and 50 more choose the round. Finished steps are kept in DIR.

Makes the table of docs/results.md, "AIM: equations about loops", with --problems 100 --ranker. Needs a release build, AIMLEAP and pyarrow;
how long it takes was not kept.
"""
import argparse
import csv
import pathlib
import random
import re

import pyarrow.parquet

from program import run

ROOT = pathlib.Path(__file__).resolve().parents[3]
ARITIES = {"*": 2, "\\": 2, "/": 2, "T": 2, "K": 2, "a": 3, "L": 3, "R": 3}
POOL = ["e", "x", "y", "z"]


class Reader:
    """Terms with infix operators, which stand in parentheses inside of others."""

    def __init__(self, text):
        self.tokens = re.findall(r"\w+|\S", text)

    def term(self):
        left = self.operand()
        while self.tokens and self.tokens[0] in "*\\/":
            operator = self.tokens.pop(0)
            left = (operator, left, self.operand())
        return left

    def operand(self):
        token = self.tokens.pop(0)
        if token == "(":
            inner = self.term()
            assert self.tokens.pop(0) == ")"
            return inner
        if self.tokens[:1] != ["("]:
            return token
        arguments = []
        while self.tokens.pop(0) != ")":
            arguments.append(self.term())
        return (token, *arguments)


def equation(text):
    """Both sides."""
    sides = []
    for side in re.split(r":?=", text):
        reader = Reader(side)
        sides.append(reader.term())
        assert not reader.tokens, text
    left, right = sides
    return left, right


def variables(term):
    if isinstance(term, str):
        return set() if term == "e" else {term}
    return set().union(*map(variables, term[1:]))


def shown(term, mark=""):
    if isinstance(term, str):
        return term if term == "e" else mark + term
    return f"({term[0]} {' '.join(shown(argument, mark) for argument in term[1:])})"


def shape(term):
    """A term with its variables named in the order in which they come."""
    names = {}
    return re.sub(r"\b[u-z]\b", lambda found: names.setdefault(found[0], f"v{len(names)}"), shown(term))


def system(known):
    lines = ["; Rules of aimleap; made by scripts/experiments/beds/aim.py.", "(sort Loop) (variable Loop)", "(op e () Loop)"]
    lines += [f"(op {name} ({' '.join(['Loop'] * arity)}) Loop)" for name, arity in ARITIES.items()]
    lines += [f"(pool Loop {' '.join(POOL)})", "(ruleset equations) (ruleset introduce)"]
    for name, (left, right) in known.items():
        for suffix, start, end in [("", left, right), ("-rev", right, left)]:
            ruleset = "equations" if variables(end) <= variables(start) else "introduce"
            lines.append(f"(rewrite {shown(start, '?')} {shown(end, '?')} :name {name}{suffix} :ruleset {ruleset})")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="a checkout of aimleap")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the directory for results")
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn", help="the program")
    parser.add_argument("--problems", type=int, default=300, help="problems that methods are compared on")
    parser.add_argument("--training", type=int, help="problems to learn from [default: as many]")
    parser.add_argument("--work", type=int, default=40_000, help="e-nodes that may be built for a problem")
    parser.add_argument("--ranker", action="store_true", help="learn a ranker from as many other problems")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    known, axioms, problems = {}, {}, []
    for path in sorted((arguments.data / "aimleapprobs").iterdir()):
        text = path.read_text(encoding="utf-8")
        for kind, name, body in re.findall(r"(Axiom|Definition|Known|Theorem) (\w+)(?:\([^)]*\) :=| ?:)([^.]*)\.", text):
            if kind == "Theorem":
                problems.append((name, *equation(body)))
            else:
                if kind == "Definition":
                    head = re.search(rf"Definition ({name}\([^)]*\))", text)[1]
                    name, body = f"def-{name}", f"{head} = {body}"
                known[name] = equation(body)
                if kind != "Known":
                    axioms[name] = known[name]
    random.Random(0).shuffle(problems)
    problems = list({shape(left): (name, left, right) for name, left, right in problems}.values())
    print(f"{len(problems)} problems with different left-hand sides, {len(known)} equations known, {len(axioms)} of them axioms and definitions")
    count = arguments.problems
    end = count + (arguments.training or count)
    parts = {"test": problems[:count], "learn": problems[count:end], "valid": problems[end : end + 50]}
    for part, chosen in parts.items():
        with (arguments.out / f"{part}.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "start", "target"])
            rows.writerows([name, shown(left), shown(right)] for name, left, right in chosen)
    methods = ["all-work", "shared", "deep", "united", *(["ranked"] if arguments.ranker else [])]
    print(f"| rules | {' | '.join(f'`{method}`' for method in methods)} |\n| --- |{' --- |' * len(methods)}", flush=True)
    kinds = {"with lemmas": known, "without lemmas": axioms}
    files = {name: arguments.out / f"{name.replace(' ', '-')}.rules" for name in kinds}
    for name, rules in kinds.items():
        files[name].write_text(system(rules), encoding="utf-8")
    for name, file in files.items():
        slug = file.stem
        out = arguments.out / (slug + "-ranked" * arguments.ranker)
        options = ["--system", file, "--threads", arguments.threads]
        ranker = []
        if arguments.ranker:
            learned = arguments.out / f"{slug}-ranker"
            if not (learned / "ranker.json").exists():
                tasks = ["--tasks", arguments.out / "learn.csv", "--validation", arguments.out / "valid.csv"]
                run(arguments.cairn, "learn", *options, *tasks, "--rounds", 3, "--from-nothing", "--out", learned, "--quiet")
            ranker = ["--ranker", learned]
        if not (out / "results.parquet").exists():
            tasks = ["--tasks", arguments.out / "test.csv", "--work", arguments.work, "--guides", 3]
            run(arguments.cairn, "evaluate", *options, *tasks, "--methods", ",".join(methods), "--out", out, *ranker, "--quiet")
        rows = pyarrow.parquet.read_table(out / "results.parquet", columns=["method", "solved"]).to_pylist()
        solved = [sum(row["solved"] for row in rows if row["method"] == method) for method in methods]
        print(f"| {name} | {' | '.join(f'{count} of {arguments.problems}' for count in solved)} |", flush=True)


if __name__ == "__main__":
    main()
