#!/usr/bin/env python3
"""What `prove` does by default beside one e-graph and beside guided search alone, with the same work, on the tasks of many
rewrite systems: the shipped ones, and those of `systems` beside this file.

    scripts/experiments/beds/portfolio.py OUT [--beds groups+math] [--part validation] [--methods …]

Seeds are random terms whose e-graphs are large, and tasks far chains from them. The seeds of
a bed are split in two: the split between one e-graph and search was chosen on the part `validation`, and the table is of the
part `test`. Finished steps are kept in OUT: the same command goes on where it was.

Makes the table of docs/results.md, "What `prove` does by default", without options. Needs a release build, no data, and pyarrow; how long it
takes was not kept.
"""
import argparse
import pathlib

import pyarrow.parquet

from program import lines, run

ROOT = pathlib.Path(__file__).resolve().parents[3]
SYSTEMS = pathlib.Path(__file__).resolve().parent / "systems"
# Seeds that are drawn for a part.
SEEDS = 300
# E-nodes that their e-graphs grow to.
LEAST = 2000


def bed(system, sort, sizes, links, link_nodes, works, literals="none", variables=3):
    return {"system": system, "sort": sort, "sizes": sizes, "links": links, "link_nodes": link_nodes, "works": works, "literals": literals, "variables": variables}


BEDS = {
    "groups": bed(SYSTEMS / "groups.rules", "Group", "9..31", 12, 300, [4_000, 8_000, 36_000, 80_000], variables=4),
    "lattices": bed(SYSTEMS / "lattices.rules", "Lattice", "17..31", 8, 100, [2_000, 8_000, 80_000], variables=5),
    "kleene": bed(SYSTEMS / "kleene.rules", "Regular", "9..19", 8, 300, [4_000, 8_000, 24_000, 80_000]),
    "trigonometry": bed(SYSTEMS / "trigonometry.rules", "Real", "9..21", 8, 300, [4_000, 8_000, 24_000, 80_000], "1,2,3"),
    "math": bed("math", "Real", "9..21", 5, 300, [4_000, 8_000, 15_000, 80_000], "1,2,3"),
    "ring": bed("ring", "Ring", "19..41", 8, 300, [4_000, 8_000, 24_000, 80_000], "1,2,3"),
    "prop": bed("prop", "Bool", "13..25", 8, 300, [4_000, 8_000, 24_000, 80_000]),
    "bitvectors": bed("bitvectors", "Word", "13..25", 8, 300, [4_000, 8_000, 24_000, 80_000], "1,2,3"),
    "bounds": bed("bounds", "Num", "9..21", 8, 300, [4_000, 8_000, 24_000, 80_000], "1,2,3"),
}
# Systems that were written after the ranker for any system was made; any/carries_over.py measures on them.
FRESH = {
    "relations": bed(SYSTEMS / "relations.rules", "Relation", "13..25", 8, 300, [8_000, 24_000]),
    "vectors": bed(SYSTEMS / "vectors.rules", "Vector", "9..21", 8, 300, [8_000, 24_000], "1,2,3"),
    "functions": bed(SYSTEMS / "functions.rules", "Fun", "31..51", 16, 300, [8_000, 24_000]),
    "lists": bed(SYSTEMS / "lists.rules", "List", "19..35", 8, 300, [8_000, 24_000], "1,2,3"),
    "many-valued": bed(SYSTEMS / "many-valued.rules", "Truth", "9..21", 8, 300, [8_000, 24_000]),
}
ALL = BEDS | FRESH
# Shipped systems that nothing was learned on and that chose nothing.
OTHERS = {
    "arith": bed("arith", "Int", "9..25", 8, 300, [8_000, 40_000], "0,1,2"),
    "gelu": bed("gelu", "Real", "9..25", 8, 300, [8_000, 40_000], "1,2"),
    "mba": bed("mba", "Word", "13..25", 8, 300, [8_000, 40_000], "1,2"),
}
NAMES = {"all-work": "one e-graph", "portfolio": "default"}


def seeds(args, name, bed, part):
    """The file of seeds of a part."""
    path = args.out / f"{name}.txt"
    if not path.exists():
        run(args.cairn, "seeds", "--system", bed["system"], "--sort", bed["sort"], "--sizes", bed["sizes"], "--count", 2 * SEEDS,
            "--variables", bed["variables"], "--literals", bed["literals"], "--least-nodes", LEAST, "--threads", args.threads, "--quiet", "--out", path)
    # Every other one, so that each part has all sizes.
    texts = path.read_text().splitlines()[["validation", "test"].index(part)::2]
    return lines(args.out / f"{name}-{part}.txt", texts)


def tasks(args, name, bed, part):
    path = args.out / f"{name}-{part}.parquet"
    if not path.exists():
        run(args.cairn, "tasks", "--system", bed["system"], "--seeds", seeds(args, name, bed, part), "--links", bed["links"], "--link-nodes",
            bed["link_nodes"], "--count", args.count, "--threads", args.threads, "--quiet", "--out", path)
    return path


def evaluated(args, name, bed, part, work, method):
    """By task, whether the method proves it."""
    options = ["--no-ranker"] if args.no_ranker else []
    out = args.out / "-".join([name, part, str(work), method, *(option.strip("-") for option in options)])
    if not (out / "results.parquet").exists():
        run(args.cairn, "evaluate", "--system", bed["system"], "--tasks", tasks(args, name, bed, part), "--methods", method, "--work", work,
            "--threads", args.threads, "--quiet", "--out", out, *options)
    return {row["task"]: row for row in pyarrow.parquet.read_table(out / "results.parquet").to_pylist()}


def table(args, beds):
    methods = args.methods.split(",")
    print("| bed | tasks | work | " + " | ".join(NAMES.get(m, f"`{m}`") for m in methods) + " | beside the better | seconds each |")
    print("| --- " * (5 + len(methods)) + "|")
    for name, bed in beds.items():
        for work in bed["works"]:
            found = {m: evaluated(args, name, bed, args.part, work, m) for m in methods}
            solved = {m: sum(row["solved"] for row in rows.values()) for m, rows in found.items()}
            rows = found["portfolio"] if "portfolio" in found else next(iter(found.values()))
            others = [m for m in ("all-work", "deep") if m in found]
            cells = [str(solved.get(m, "")) for m in methods]
            beside = ""
            if "portfolio" in found and others:
                best = max(others, key=solved.get)
                wins = sum(rows[t]["solved"] and not found[best][t]["solved"] for t in rows)
                losses = sum(found[best][t]["solved"] and not rows[t]["solved"] for t in rows)
                beside = f"{100 * (wins - losses) / len(rows):+.1f} points (+{wins} −{losses})"
            seconds = " / ".join(f"{sum(r['seconds'] for r in found[m].values()) / len(rows):.2f}" for m in methods if m in found)
            print("| " + " | ".join([name, str(len(rows)), f"{work:,}", *cells, beside, seconds]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--beds", help="some of them only")
    parser.add_argument("--part", choices=["validation", "test"], default="test")
    parser.add_argument("--methods", default="all-work,deep,ranked,portfolio")
    parser.add_argument("--no-ranker", action="store_true", help="passed on; `ranked` is then none of the methods")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    beds = {name: (ALL | OTHERS)[name] for name in (args.beds.split("+") if args.beds else BEDS)}
    table(args, beds)


if __name__ == "__main__":
    main()
