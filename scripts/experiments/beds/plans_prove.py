#!/usr/bin/env python3
"""Plans where terms are to be proved equal: a transformer that learned, from proofs that searches found, what comes a few steps
later on the way from a start to a target, beside one e-graph and `deep`, with the same work.

    scripts/experiments/beds/plans_prove.py --system SYSTEM --training TASKS --test TASKS --out DIR [--rounds 2] [--work 40000] [--scheduler simple]

TASKS are tasks as `cairn evaluate` reads them (a .csv or .parquet file). The goals of round 0 are searched for in one e-graph, those
of each later round by the model of the round before in e-graphs of 4,000 e-nodes; a model learns from all ways so far, from the
weights of the one before it. Finished steps are kept in DIR.

Makes the table of docs/results.md, "Plans where terms are to be proved equal". Needs a release build and pyarrow; a quarter of an
hour a round on two cores.
"""
import argparse
import csv
import pathlib

import pyarrow.parquet

from nests import train, ways
from program import run

ROOT = pathlib.Path(__file__).resolve().parents[3]


def with_goals(tasks, out):
    """The path of the same tasks, as terms with goals."""
    if tasks.suffix == ".csv":
        rows = list(csv.DictReader(tasks.open(newline="")))
    else:
        rows = pyarrow.parquet.read_table(tasks, columns=["id", "start", "target"]).to_pylist()
    with out.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "start", "goal"])
        table.writerows((row["id"], row["start"], row["target"]) for row in rows)
    return out


def reached(found):
    table = pyarrow.parquet.read_table(found / "optimised.parquet", columns=["id", "ended"]).to_pylist()
    return {row["id"] for row in table if row["ended"] == "reached"}


def search(args, tasks, out, *options):
    if not (out / "optimised.parquet").exists():
        run(args.cairn, "optimise", "--system", args.system, "--tasks", tasks, "--first", "--cost", "size", "--out", out, "--work", args.work,
            "--threads", args.threads, "--quiet", *options, codes=(0, 3))  # not all goals are reached
    return reached(out)


def planned(args, model):
    return ["--model", model, "--cap", 4000, "--guides", args.guides]


def beside(args, tasks):
    """The ids that searches without a model prove, by method."""
    out = args.out / "evaluated"
    if not (out / "results.parquet").exists():
        run(args.cairn, "evaluate", "--system", args.system, "--tasks", tasks, "--methods", "all-work,deep", "--work", args.work, "--threads",
            args.threads, "--out", out, "--quiet")
    rows = pyarrow.parquet.read_table(out / "results.parquet", columns=["method", "task", "solved"]).to_pylist()
    return {method: {row["task"] for row in rows if row["method"] == method and row["solved"]} for method in ("all-work", "deep")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", required=True)
    parser.add_argument("--training", type=pathlib.Path, required=True)
    parser.add_argument("--test", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--work", type=int, default=40_000)
    parser.add_argument("--ahead", type=int, default=4)
    parser.add_argument("--config", default="planner")
    parser.add_argument("--steps", type=int, default=3_000)
    parser.add_argument("--guides", type=int, default=8)
    parser.add_argument("--scheduler", default="simple", help="of the e-graphs of round 0")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    training = with_goals(args.training, args.out / "training.csv")
    test = with_goals(args.test, args.out / "test.csv")
    others = beside(args, args.test)
    print(" ".join(f"{method} {len(ids)}" for method, ids in others.items()), flush=True)
    found = []
    for number in range(args.rounds):
        out = args.out / f"found-{number}"
        options = planned(args, args.out / f"model-{number - 1}") if number else ["--scheduler", args.scheduler, "--cap", args.work]
        print(f"round {number}: {len(search(args, training, out, *options))} training goals reached", flush=True)
        found.append(out)
        model = train(args, number, ways(args, number, found), "--steps", args.steps)
        ids = search(args, test, args.out / f"test-{number}", *planned(args, model))
        said = [f"+{len(ids - proved)} −{len(proved - ids)} beside {method}" for method, proved in others.items()]
        print(f"plan of round {number}: {len(ids)} of the test, {', '.join(said)}", flush=True)


if __name__ == "__main__":
    main()
