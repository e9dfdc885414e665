#!/usr/bin/env python3
"""The ranker for any system: learned on systems that were written or drawn for it, tested on systems that it never saw.

    scripts/experiments/any/learn_any.py written DIR            tasks and three rounds on each of `systems` beside this file
    scripts/experiments/any/learn_any.py fit DIR --written --name any           the shipped one

    scripts/experiments/any/draw_systems.py --count 1200 --out DIR/drawn
    scripts/experiments/any/learn_any.py drawn DIR              the same on each drawn system, with fewer tasks and two rounds
    scripts/experiments/any/learn_any.py beds DIR               and on the systems of beds/portfolio.py, each with a ranker of its own
    scripts/experiments/any/learn_any.py fit DIR --first 256 --name any-256 [--beds] [--without ring] [--written]
    scripts/experiments/any/learn_any.py again DIR --from any-256 --round 2     a round more in the order of a ranker
    scripts/experiments/any/learn_any.py test DIR --rankers any-64 any-256 own

`fit` learns from the first drawn systems, from those of the beds, without one of them for a test on it, and from the written ones. `test` is
on the test tasks of beds/portfolio.py, each with the same cap and work: `deep`, one e-graph, the rankers, and with `own` what was learned
on the system itself. Finished steps are kept in DIR: the same command goes on where it was.

Makes the shipped ranker for any system, and the tables of docs/results.md, "A ranker for every system". Needs a release build and pyarrow.
"""
import argparse
import concurrent.futures
import functools
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "beds"))
import pyarrow.parquet  # noqa: E402

import portfolio  # noqa: E402
from program import run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: The work of the test, where the default cap of an e-graph is a tenth or more of it.
WORK = 24_000
#: Tasks of a drawn system, and the fewest that are learned from.
TASKS, FEWEST = 40, 12
#: Seconds for each step on a drawn system: most that take longer have hardly a term with a large e-graph.
PATIENCE = 120


def written():
    """Systems that were written to learn from, with the seeds that the line `; seeds:` of their file says."""
    found = {}
    for path in sorted((pathlib.Path(__file__).resolve().parent / "systems").glob("*.rules")):
        said = next(line for line in path.read_text().splitlines() if line.startswith("; seeds: ")).split()[2:]
        seeds = dict(zip(said[::2], said[1::2]))
        found[path.stem] = portfolio.bed(path, seeds["--sort"], seeds["--sizes"], 8, 300, [], seeds["--literals"], seeds["--variables"])
    return found


WRITTEN = written()
#: Every system with tasks of its own.
SYSTEMS = portfolio.ALL | WRITTEN


def quietly(*command):
    """Whether a command ended well and in time; what goes wrong with a drawn system is no fault."""
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode not in (0, 2):
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.returncode == 0


def learn(args, system, tasks, validation, out, rounds, *begin):
    if not (out / "ranker.json").exists():
        return quietly(args.cairn, "learn", "--system", system, "--tasks", tasks, "--validation", validation, "--rounds", rounds,
                       "--threads", 1, "--quiet", "--out", out, *(begin or ["--from-nothing"]))
    return True


def drawn_system(args, rules):
    """Tasks of a drawn system, and what is learned on them; nothing where there are too few."""
    given = rules.with_suffix("")
    done = given.with_suffix(".done")
    if done.exists():
        return
    # Training and validation from other seeds.
    made = True
    for seed, (part, count) in enumerate([("training", TASKS), ("validation", 8)]):
        seeds, tasks = given.with_suffix(f".{part}.txt"), given.with_suffix(f".{part}.parquet")
        made = made and quietly(args.cairn, "seeds", "--system", rules, "--sizes", "8..30", "--count", 2 * count + 8, "--least-nodes", 1_500,
                                "--seed", seed, "--threads", 1, "--quiet", "--out", seeds)
        without = ["--without", given.with_suffix(".training.parquet")] if part == "validation" else ["--link-nodes", 200]
        made = made and quietly(args.cairn, "tasks", "--system", rules, "--seeds", seeds, "--links", 6, "--count", count, "--rounds", 3,
                                "--threads", 1, "--quiet", "--out", tasks, *without)
    if made and pyarrow.parquet.read_metadata(given.with_suffix(".training.parquet")).num_rows >= FEWEST:
        learn(args, rules, given.with_suffix(".training.parquet"), given.with_suffix(".validation.parquet"), given, 2)
    done.touch()


def drawn(args):
    systems = sorted((args.dir / "drawn").glob("*.rules"))
    with concurrent.futures.ThreadPoolExecutor(args.threads) as pool:
        for number, _ in enumerate(pool.map(lambda rules: drawn_system(args, rules), systems), 1):
            if number % 50 == 0:
                learned = len(list((args.dir / "drawn").glob("*/ranker.json")))
                print(f"{number} of {len(systems)} systems, learned on {learned}", flush=True)


def again(args):
    """A round in the order of a ranker for any system, on the same tasks, in a folder of its own."""
    folder = args.dir / f"drawn-{args.round}"
    folder.mkdir(exist_ok=True)

    def one(given):
        rules = given.with_suffix(".rules")
        (folder / rules.name).write_bytes(rules.read_bytes())
        learn(args, rules, given.with_suffix(".training.parquet"), given.with_suffix(".validation.parquet"), folder / given.name, 1,
              "--from", args.dir / f"{getattr(args, 'from')}.json")

    with concurrent.futures.ThreadPoolExecutor(args.threads) as pool:
        list(pool.map(one, sorted(path.parent for path in (args.dir / "drawn").glob("*/ranker.json"))[:args.first or None]))


def bed_tasks(args, name, part):
    """The tasks of a part of a bed; for training, and for a test drawn anew (test-2, …), from seeds of their own."""
    bed = SYSTEMS[name]
    if part in ("validation", "test"):
        return portfolio.tasks(argparse.Namespace(out=args.dir, cairn=args.cairn, threads=args.threads, count=60), name, bed, part)
    path = args.dir / f"{name}-{part}.parquet"
    if not path.exists():
        seed, seeds, tasks = (1, 900, 240) if part == "training" else (int(part.split("-")[1]), 300, 60)
        others = ["validation", "test"] + (["training"] + [f"test-{before}" for before in range(2, seed)] if part != "training" else [])
        drawn = args.dir / f"{name}-{part}.txt"
        run(args.cairn, "seeds", "--system", bed["system"], "--sort", bed["sort"], "--sizes", bed["sizes"], "--count", seeds, "--seed", seed,
            "--variables", bed["variables"], "--literals", bed["literals"], "--least-nodes", portfolio.LEAST, "--threads", args.threads,
            "--quiet", "--out", drawn)
        without = [option for part in others for option in ("--without", bed_tasks(args, name, part))]
        run(args.cairn, "tasks", "--system", bed["system"], "--seeds", drawn, "--links", bed["links"], "--link-nodes", bed["link_nodes"],
            "--count", tasks, "--threads", args.threads, "--quiet", "--out", path, *without)
    return path


def own(args, name):
    """What is learned on a system's own training tasks; of written ones in the layout of `cairn any --drawn`."""
    out = args.dir / (f"own-{name}" if name in portfolio.ALL else f"written/{name}")
    if name in WRITTEN:
        out.parent.mkdir(exist_ok=True)
        out.with_suffix(".rules").write_bytes(WRITTEN[name]["system"].read_bytes())
    if not (out / "ranker.json").exists():
        run(args.cairn, "learn", "--system", SYSTEMS[name]["system"], "--tasks", bed_tasks(args, name, "training"), "--validation",
            bed_tasks(args, name, "validation"), "--rounds", 3, "--from-nothing", "--threads", 1, "--quiet", "--out", out)
    return out


def learned(systems, args):
    """What is learned on each of these, as many at a time as there are threads, and each with one thread."""
    names, alone = args.only or list(systems), argparse.Namespace(**vars(args) | {"threads": 1})
    with concurrent.futures.ThreadPoolExecutor(args.threads) as pool:
        for name, _ in zip(names, pool.map(functools.partial(own, alone), names)):
            print(name, "learned", flush=True)


def fit(args):
    names = [name for name in portfolio.BEDS if name not in args.without] if args.beds else []
    pairs = [f"{portfolio.BEDS[name]['system']}={args.dir / f'own-{name}'}" for name in names]
    folders = [args.dir / "drawn"] + sorted(args.dir.glob("drawn-*"))
    folders = (folders[:args.rounds] if args.first else []) + ([args.dir / "written"] if args.written else [])
    options = [part for folder in folders for part in ("--drawn", folder)]
    print(run(args.cairn, "any", *pairs, *options, *(["--first", args.first] if args.first else []), "--epochs", args.epochs,
              "--examples", args.examples, "--seed", args.seed, "--threads", args.threads, "--quiet", "--out", args.dir / f"{args.name}.json").strip())


def test(args):
    columns = ["all-work", "deep", *args.rankers]
    print("| bed | tasks | " + " | ".join(columns) + " |\n" + "| --- " * (2 + len(columns)) + "|")
    sums, count = dict.fromkeys(columns, 0), 0
    for name, bed in portfolio.BEDS.items():
        if args.only and name not in args.only:
            continue
        tasks, solved = bed_tasks(args, name, args.part), {}
        for column in columns:
            ranker = args.dir / (f"own-{name}/ranker.json" if column == "own" else f"{column.replace('BED', name)}.json")
            out = args.dir / "tests" / f"{name}-{args.part}-{args.work}-{column.replace('BED', name)}"
            if not (out / "results.parquet").exists():
                options = ["--methods", column] if column in ("all-work", "deep") else ["--methods", "ranked", "--ranker", ranker]
                run(args.cairn, "evaluate", "--system", bed["system"], "--tasks", tasks, "--work", args.work, "--threads", args.threads,
                    "--quiet", "--out", out, *options)
            rows = pyarrow.parquet.read_table(out / "results.parquet").to_pylist()
            solved[column] = sum(row["solved"] for row in rows)
        print(f"| {name} | {len(rows)} | " + " | ".join(str(solved[column]) for column in columns) + " |", flush=True)
        sums, count = {column: sums[column] + solved[column] for column in columns}, count + len(rows)
    print(f"| all | {count} | " + " | ".join(str(sums[column]) for column in columns) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["drawn", "beds", "written", "fit", "again", "test"])
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="drawn systems to learn from; with --written as many of the written ones at most")
    parser.add_argument("--rounds", type=int, default=9, help="folders of drawn systems to learn from")
    parser.add_argument("--beds", action="store_true", help="learn from the systems of the beds")
    parser.add_argument("--written", action="store_true", help="learn from those that were written for it")
    parser.add_argument("--without", nargs="*", default=[], help="but not these")
    parser.add_argument("--only", nargs="*", help="systems to learn or test on")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--examples", type=int, default=300_000, help="of each system at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--name")
    parser.add_argument("--from")
    parser.add_argument("--round", type=int)
    parser.add_argument("--rankers", nargs="*", default=[], help="files of DIR without .json; BED is the name of the bed")
    parser.add_argument("--part", choices=["validation", "test"], default="validation")
    parser.add_argument("--work", type=int, default=WORK)
    args = parser.parse_args()
    args.dir.mkdir(parents=True, exist_ok=True)
    steps = {"drawn": drawn, "beds": functools.partial(learned, portfolio.BEDS), "written": functools.partial(learned, WRITTEN),
             "fit": fit, "again": again, "test": test}
    steps[args.what](args)


if __name__ == "__main__":
    main()
