#!/usr/bin/env python3
"""What a learned order of matches buys: the tables of docs/results.md, from seeds alone.

    python3 scripts/guided_results.py OUT --seeds seeds.csv [--cairn target/release/cairn]
        [--domains theorem identity ring]

Splits Halide's seeds, draws seeds of the ring, makes tasks, learns a ranker for each system, evaluates it
beside the best searches without learning and prints Markdown. What is there already in OUT is not done
again, so that a run that was stopped goes on. Needs pyarrow (scripts/requirements.txt) and some hours.
"""

import argparse
import math
import pathlib
import random
import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# Rounds of learning.
ROUNDS = {"halide": 6, "ring": 3}
WORKS = [10_000, 20_000, 40_000, 80_000, 160_000, 320_000]
REFERENCE = 80_000
BASELINES = ["shared", "deep"]
LINK = ["--link-nodes", "1000"]


class Run:
    def __init__(self, arguments):
        self.cairn, self.out = arguments.cairn, arguments.out
        self.out.mkdir(parents=True, exist_ok=True)

    def __call__(self, product, *command):
        """Runs a command of cairn unless its product is there."""
        path = self.out / product
        if not path.exists():
            command = [self.cairn, *map(str, command), "--quiet"]
            print("$ " + " ".join(command), file=sys.stderr, flush=True)
            subprocess.run(command, check=True, stdout=sys.stderr)
        return path


def halide(run, seeds):
    """Training and validation tasks, and test tasks by family, of disjoint seeds."""
    parts = run.out / "seeds"
    if not (parts / "test.txt").exists():
        subprocess.run([sys.executable, pathlib.Path(__file__).parent / "split_seeds.py", seeds, parts], check=True)

    def tasks(name, part, *options):
        path = run.out / f"{name}.parquet"
        return run(path.name, "tasks", "--system", "halide", "--seeds", parts / f"{part}.txt", *LINK, "--out", path, *options)

    learn = tasks("halide-learn", "learn", "--count", 1200, "--rounds", 2, "--seed", 3)
    valid = tasks("halide-valid", "valid", "--count", 100)
    test = {
        "theorem": tasks("theorem", "test", "--count", 800, "--rounds", 4, "--seed", 41, "--family", "theorem"),
        "identity": tasks("identity", "test", "--count", 700, "--rounds", 16, "--seed", 42, "--family", "identity"),
    }
    return learn, valid, test


def ring(run):
    """The same of random polynomials."""
    files = {}
    without = []
    for part, number, seeds, count in [("learn", 1, 1500, 1500), ("valid", 2, 300, 300), ("test", 3, 900, 700)]:
        text = run.out / f"ring-{part}.txt"
        run(text.name, "seeds", "--system", "ring", "--sizes", "30..80", "--variables", 6, "--least-nodes", 4000,
            "--count", seeds, "--seed", number, "--out", text)
        path = run.out / f"ring-{part}.parquet"
        run(path.name, "tasks", "--system", "ring", "--seeds", text, *LINK, "--count", count, "--rounds", 2,
            "--seed", number, "--out", path, *without)
        without += ["--without", path]
        files[part] = path
    return files["learn"], files["valid"], {"ring": files["test"]}


def subset(tasks, ids, path):
    """Some tasks of a file, in a file of their own."""
    if not path.exists():
        file = pq.ParquetFile(tasks)
        table = file.read()
        notes = {key: value for key, value in file.metadata.metadata.items() if key != b"ARROW:schema"}
        table = table.filter(pc.is_in(table["id"], value_set=pa.array(ids)))
        pq.write_table(table.replace_schema_metadata(notes), path, compression="zstd")
    return path


def rows(path):
    return pq.read_table(path, columns=["task", "seed_id", "method", "solved", "work", "seconds"]).to_pylist()


def mcnemar(wins, losses):
    n, k = wins + losses, min(wins, losses)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)


def interval(differences):
    """Of the mean difference in points, by a bootstrap over seeds; differences by seed."""
    groups = list(differences.values())
    chance = random.Random(0)
    means = []
    for _ in range(2000):
        drawn = [value for _ in groups for value in groups[chance.randrange(len(groups))]]
        means.append(100 * sum(drawn) / len(drawn))
    means.sort()
    return means[50], means[1949]


def compare(solved, seeds, ours, theirs):
    """Our method against another one, paired."""
    wins = sum(solved[ours][t] and not solved[theirs][t] for t in seeds)
    losses = sum(solved[theirs][t] and not solved[ours][t] for t in seeds)
    by_seed = {}
    for task, seed in seeds.items():
        by_seed.setdefault(seed, []).append(solved[ours][task] - solved[theirs][task])
    low, high = interval(by_seed)
    points = 100 * (wins - losses) / len(seeds)
    return f"+{wins} −{losses}, p = {mcnemar(wins, losses):.1g}; {points:.1f} points [{low:.1f}, {high:.1f}]"


def by_method(results):
    solved, seeds = {}, {}
    for row in results:
        solved.setdefault(row["method"], {})[row["task"]] = row["solved"]
        seeds[row["task"]] = row["seed_id"]
    return solved, seeds


def evaluate(run, system, name, tasks, ranker, works):
    """Prints the tables of one family."""
    def results(kind, file, methods, work, *options):
        out = run.out / f"{name}-{kind}-{work}"
        run(f"{out.name}/results.parquet", "evaluate", "--system", system, "--tasks", file, "--methods", methods,
            "--work", work, "--out", out, *options)
        return rows(out / "results.parquet")

    unguided = results("unguided", tasks, "all-work," + ",".join(BASELINES), REFERENCE)
    learned = results("ranked", tasks, "ranked", REFERENCE, "--ranker", ranker)
    solved, seeds = by_method(unguided + learned)
    hard = [task for task, right in solved["all-work"].items() if not right]
    print(f"\n### {name}: {len(seeds)} tasks, {len(hard)} of them hard\n")
    print("| work | tasks | " + " | ".join(f"`{m}`" for m in [*BASELINES, "ranked"]) + " | `ranked` against `deep` |")
    print("| --- " * (len(BASELINES) + 4) + "|")

    def line(work, label, solved, seeds):
        cells = [sum(solved[m][t] for t in seeds) for m in [*BASELINES, "ranked"]]
        counts = " | ".join(f"{n} ({100 * n / len(seeds):.1f} %)" for n in cells)
        print(f"| {work:,} | {label} | {counts} | {compare(solved, seeds, 'ranked', 'deep')} |", flush=True)

    line(REFERENCE, "all", solved, seeds)
    file = subset(tasks, hard, run.out / f"{name}-hard.parquet")
    for work in works:
        if work == REFERENCE:
            line(work, "hard", solved, {task: seeds[task] for task in hard})
            continue
        both = results("hard", file, ",".join(BASELINES), work)
        both += results("hard-ranked", file, "ranked", work, "--ranker", ranker)
        line(work, "hard", *by_method(both))
    for method in ["all-work", *BASELINES, "ranked"]:
        mine = [row for row in unguided + learned if row["method"] == method]
        work = sum(row["work"] for row in mine) / len(mine)
        right = sum(row["solved"] for row in mine)
        print(f"\n`{method}`: {right} of {len(mine)}, mean work {work:,.0f}, {sum(r['seconds'] for r in mine) / len(mine):.2f} s a task")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seeds", type=pathlib.Path, help="Halide expressions, a CSV file with a column `expression`")
    parser.add_argument("--cairn", default="target/release/cairn")
    parser.add_argument("--domains", nargs="+", default=["theorem", "identity", "ring"], choices=["theorem", "identity", "ring"])
    parser.add_argument("--works", nargs="+", type=int, default=WORKS)
    arguments = parser.parse_args()
    if arguments.seeds is None and set(arguments.domains) != {"ring"}:
        parser.error("--seeds: the expressions that tasks of Halide are made from")
    run = Run(arguments)
    for system, domains in [("halide", {"theorem", "identity"}), ("ring", {"ring"})]:
        domains = [domain for domain in arguments.domains if domain in domains]
        if domains:
            learn, valid, test = halide(run, arguments.seeds) if system == "halide" else ring(run)
            out = run.out / f"{system}-ranker"
            ranker = run(f"{out.name}/ranker.json", "learn", "--system", system, "--tasks", learn,
                         "--validation", valid, "--rounds", ROUNDS[system], "--out", out)
            for domain in domains:
                evaluate(run, system, domain, test[domain], ranker, arguments.works)


if __name__ == "__main__":
    main()
