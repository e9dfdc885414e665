#!/usr/bin/env python3
"""Relational algebra: plans of queries, by the rules of relational.rules, with a cost over facts of an analysis; and a ranker
that learns from queries alone.

    scripts/experiments/beds/relational.py --out DIR [--learn 60] [--test 40] [--works 2000 4000 8000]

A query takes all combinations of rows of eight to twelve tables and keeps those for which predicates hold: one for each two
tables that a random tree joins, and some on one table. The cost `rows` counts the rows that a plan goes through. The ranker
learns from queries (`cairn learn --seeds --cost rows`), and is compared on others with orders that need no learning, at equal
work. The table says how many times as much the plans of each cost as the best that any of them found (geometric mean), and in
brackets how many are as good. Finished steps are kept in DIR: the same command goes on where it was.

Makes the table of docs/results.md, "Relational algebra: learning from seeds alone", without further options. Needs a release build, no data,
pyarrow and scipy; twelve minutes on one core.
"""
import argparse
import math
import pathlib
import random
import statistics

import pyarrow.parquet
from scipy.stats import binomtest

from program import lines, run

ROOT = pathlib.Path(__file__).resolve().parents[3]
RULES = pathlib.Path(__file__).with_suffix(".rules")
OPTIMISERS = ["simple", "backoff", "mixed", "ranked"]


def draw(rng):
    """Rows of each table, and predicates: the bits of the tables that each reads, and of how many rows it keeps one."""
    while True:
        rows = [round(10 ** rng.uniform(0.7, 2.3)) for _ in range(rng.randint(8, 12))]
        if math.prod(rows) < 10**17:
            break
    pairs = [(table, rng.randrange(table)) for table in range(1, len(rows))]
    # A row of the larger table fits one to three of the smaller one, as a rule.
    joins = [(1 << a | 1 << b, max(2, round(max(rows[a], rows[b]) / rng.uniform(1, 3)))) for a, b in pairs]
    filters = [(1 << table, rng.randint(2, 20)) for table in range(len(rows)) if rng.random() < 0.4]
    predicates = joins + filters
    rng.shuffle(predicates)
    return rows, predicates


def query(rows, predicates):
    tables = [f"(table {count} {1 << table})" for table, count in enumerate(rows)]
    term = tables.pop()
    while tables:
        term = f"(times {tables.pop()} {term})"
    for reads, among in predicates:
        term = f"(select (on {reads} {among}) {term})"
    return term


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the directory for results")
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn", help="the program")
    parser.add_argument("--learn", type=int, default=60, help="queries to learn from")
    parser.add_argument("--test", type=int, default=40, help="queries to compare on")
    parser.add_argument("--works", type=int, nargs="+", default=[2000, 4000, 8000], help="e-nodes that may be built for a query")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(0)
    drawn = [draw(rng) for _ in range(arguments.learn + arguments.test)]
    queries = [query(*one) for one in drawn]
    seeds, tests = lines(out / "learn.txt", queries[arguments.test :]), lines(out / "test.txt", queries[: arguments.test])
    common = ["--system", RULES, "--cost", "rows", "--threads", arguments.threads, "--quiet", "--cap", 2000]
    print(run(arguments.cairn, "learn", "--seeds", seeds, "--work", 4000, "--out", out / "learned", *common), flush=True)
    costs = {}
    for work in arguments.works:
        compared = out / f"compared-{work}"
        run(arguments.cairn, "evaluate", "--terms", tests, "--optimisers", ",".join(OPTIMISERS), "--ranker", out / "learned",
            "--work", work, "--out", compared, *common)
        for name in OPTIMISERS:
            rows = pyarrow.parquet.read_table(compared / name / "optimised.parquet", columns=["cost_after"])
            costs[name, work] = rows["cost_after"].to_pylist()
    best = [min(of_all) for of_all in zip(*costs.values())]
    print(f"| work | {' | '.join(f'`{name}`' for name in OPTIMISERS)} | `ranked` beside the best other |\n| --- |{' --- |' * (1 + len(OPTIMISERS))}")
    for work in arguments.works:
        mine = {name: costs[name, work] for name in OPTIMISERS}
        times = {name: math.exp(statistics.mean(math.log(a / b) for a, b in zip(mine[name], best))) for name in OPTIMISERS}
        cells = [f"{times[name]:,.2f} ({sum(a == b for a, b in zip(mine[name], best))})" for name in OPTIMISERS]
        other = min(OPTIMISERS[:-1], key=times.get)
        more = sum(a < b for a, b in zip(mine["ranked"], mine[other]))
        less = sum(a > b for a, b in zip(mine["ranked"], mine[other]))
        p = binomtest(more, more + less).pvalue if more + less else 1
        print(f"| {work:,} | {' | '.join(cells)} | `{other}`: {more} cheaper, {less} dearer, p = {p:.1g} |", flush=True)


if __name__ == "__main__":
    main()
