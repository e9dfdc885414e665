"""How many expressions of others are proved 1 or 0, in e-graphs of at most 64 MiB."""

import csv
import re
import sys

from commands import EXPERIMENTS, SCRIPTS, table

sys.path.insert(0, str(SCRIPTS))
from split_seeds import normal_form

CAP = "64MiB"
# E-nodes of two e-graphs at the cap, which is the default, and four times as many.
WORKS = {"1": 1_342_176, "4": 5_368_704}
SEARCHES = [
    ("one e-graph with each scheduler in turn", ["1", "4"], ["--method", "cap"]),
    ("the default, here `ranked` with the shipped ranker", ["1", "4"], []),
    ("`deep`", ["1", "4"], ["--method", "deep"]),
    ("`descend`", ["1", "4"], ["--method", "descend"]),
]


def section(run, arguments):
    with arguments.expressions.open(newline="") as file:
        expressions = [row["expression"] for row in csv.DictReader(file)]
    # As the seeds were split when the shipped ranker was learned.
    seeds = run.script("seeds/test.txt", "split_seeds.py", arguments.seeds, run.out / "seeds").parent
    learned = [line for part in ["learn", "valid"] for line in (seeds / f"{part}.txt").read_text().splitlines()]
    known = {normal_form(line) for line in learned}
    unseen = {number for number, text in enumerate(expressions) if normal_form(text) not in known}

    def lines():
        for name, works, options in SEARCHES:
            for times in works:
                file = f"{options[1] if options else 'default'}-{times}.txt"
                said = run.said(file, sys.executable, EXPERIMENTS / "prove_expressions.py", arguments.expressions, "--cairn", run.cairn,
                                "--", "--cap", CAP, "--work", WORKS[times], *options).read_text()
                proved = {int(number) for number in re.findall(r"(?m)^(\d+) = [01]: .*proved$", said)}
                took = re.search(r"proved, (\d+) s of processor time, the longest without a proof ([\d.]+) s", said)
                yield [name, times, len(proved), len(proved & unseen), *took.groups()]

    print(f"\n### {len(expressions)} expressions, {len(unseen)} of them unlike all that the ranker learned from")
    table(["search", "times the work", "proved", "of those unlike", "s of processor time", "the longest failure, s"], lines())
