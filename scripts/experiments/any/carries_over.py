#!/usr/bin/env python3
"""Whether the shipped ranker for any system carries over: beside one e-graph, `deep`, and a ranker learned on the system itself.

    scripts/experiments/any/carries_over.py DIR --beds relations vectors functions lists many-valued [--work 8000] [--parts test test-2 test-3]

Beds are those of beds/portfolio.py; the five above were written after the first of these rankers. Tasks and the learned rankers are those
of learn_any.py (240 training tasks, three rounds), in DIR; `test-2` and `test-3` are tasks from seeds drawn anew. All columns have the same
work and one thread. `--ranker DIR/without-BED.json` takes another file for each bed, one that never saw it (`learn_any.py fit --beds --without`).
Finished steps are kept in DIR: the same command goes on where it was.

Makes the tables of docs/results.md, "A ranker for every system", that of points by system, too. Needs a release build and pyarrow.
"""
import argparse
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "beds"))
import pyarrow.parquet  # noqa: E402

import learn_any  # noqa: E402
import portfolio  # noqa: E402
from program import run  # noqa: E402

#: Method and ranker of a column.
COLUMNS = {
    "one e-graph": ("all-work", None),
    "`deep`": ("deep", None),
    "`portfolio`, no ranker": ("portfolio", None),
    "`ranked`, any": ("ranked", "any"),
    "`portfolio`, any": ("portfolio", "any"),
    "`ranked`, own": ("ranked", "own"),
    "`portfolio`, own": ("portfolio", "own"),
}
#: What is compared, task by task; "better" is the better of one e-graph and `deep` on the bed.
PAIRS = [(f"`{method}`, any", other) for method in ("ranked", "portfolio") for other in ("`deep`", "better", f"`{method}`, own")]


def solved(args, name, part, column):
    """By task, whether it is solved."""
    method, ranker = COLUMNS[column]
    of_any = pathlib.Path(str(args.ranker).replace("BED", name))
    label = of_any.stem if ranker == "any" else str(ranker)
    out = args.dir / "carries" / "-".join([name, part, str(args.work), method, label])
    if not (out / "results.parquet").exists():
        tasks, options = learn_any.bed_tasks(args, name, part), ["--no-ranker"]
        if ranker:
            options = ["--ranker", of_any if ranker == "any" else learn_any.own(args, name) / "ranker.json"]
        run(args.cairn, "evaluate", "--system", portfolio.ALL[name]["system"], "--tasks", tasks, "--methods", method, "--work", args.work,
            "--threads", args.threads, "--quiet", "--out", out, *options)
    return {row["task"]: row["solved"] for row in pyarrow.parquet.read_table(out / "results.parquet").to_pylist()}


def compared(ours, other):
    """Tasks that only one of the two solves."""
    return sum(ours[t] and not other[t] for t in ours), sum(other[t] and not ours[t] for t in ours)


def chance(wins, losses):
    """McNemar's exact test: how often a fair coin is at least so uneven."""
    tails = sum(math.comb(wins + losses, k) for k in range(min(wins, losses) + 1)) / 2 ** (wins + losses)
    return min(1.0, 2 * tails)


def bed_row(args, name, part):
    """The numbers of a bed, and its pairs."""
    found = {column: solved(args, name, part, column) for column in COLUMNS}
    found["better"] = max(found["one e-graph"], found["`deep`"], key=lambda rows: sum(rows.values()))
    counts = {column: sum(rows.values()) for column, rows in found.items()}
    return len(found["`deep`"]), counts, {pair: compared(*(found[side] for side in pair)) for pair in PAIRS}


def table(args, part):
    print(f"\n{part}, work {args.work:,}\n\n| bed | tasks | " + " | ".join(COLUMNS) + " |\n" + "| --- " * (2 + len(COLUMNS)) + "|")
    beds = {}
    for name in args.beds:
        beds[name] = count, counts, _ = bed_row(args, name, part)
        print(f"| {name} | {count} | " + " | ".join(str(counts[c]) for c in COLUMNS) + " |", flush=True)
    sums = [sum(counts[c] for _, counts, _ in beds.values()) for c in COLUMNS]
    print(f"| all | {sum(count for count, _, _ in beds.values())} | " + " | ".join(map(str, sums)) + " |", flush=True)
    return beds


def paired(tables):
    """Each comparison over all these, and the bed where it is worst."""
    print("\n| | beside | points, mean of the beds | in all | p | worst bed |\n| --- | --- | --- | --- | --- | --- |")
    for pair in PAIRS:
        rows = [(100 * (pairs[pair][0] - pairs[pair][1]) / count, part, name, pairs[pair])
                for part, beds in tables.items() for name, (count, _, pairs) in beds.items()]
        wins, losses = (sum(row[3][side] for row in rows) for side in (0, 1))
        worst = min(rows)
        print(f"| {pair[0]} | {pair[1]} | {sum(row[0] for row in rows) / len(rows):+.1f} | +{wins} −{losses} | {chance(wins, losses):.2g} | "
              f"{worst[2]} ({worst[1]}) {worst[0]:+.1f} |")


def by_bed(tables):
    """Points that each bed gains in each comparison, its parts taken together."""
    beds = list(next(iter(tables.values())))
    print("\n| beside | " + " | ".join(beds) + " | mean |\n" + "| --- " * (2 + len(beds)) + "|")
    for pair in PAIRS:
        points = []
        for name in beds:
            counts, pairs = zip(*((found[name][0], found[name][2][pair]) for found in tables.values()))
            points.append(100 * sum(wins - losses for wins, losses in pairs) / sum(counts))
        print(f"| {pair[0]}, beside {pair[1]} | " + " | ".join(f"{p:+.1f}" for p in [*points, sum(points) / len(points)]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--cairn", type=pathlib.Path, default=learn_any.ROOT / "target/release/cairn")
    parser.add_argument("--beds", nargs="*", default=list(portfolio.FRESH))
    parser.add_argument("--parts", nargs="*", default=["test"], help="validation, test, test-2, test-3, …")
    parser.add_argument("--work", type=int, default=8_000)
    parser.add_argument("--ranker", type=pathlib.Path, default=learn_any.ROOT / "configs/rankers/any.json",
                        help="the ranker for any system; BED is the name of the bed")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    args.dir.mkdir(parents=True, exist_ok=True)
    tables = {part: table(args, part) for part in args.parts}
    paired(tables)
    by_bed(tables)


if __name__ == "__main__":
    main()
