#!/usr/bin/env python3
"""What `learn` needs if it begins with the ranker for any system: with fewer tasks or rounds, beside one from nothing.

    scripts/experiments/any/from_any.py DIR [--beds ring math bitvectors] [--seeds 0 1 2]

Tasks are those of learn_any.py's beds. Each way learns on a bed with each seed and is put to the bed's test tasks; the ranker is the one
of the round that solves most of the validation tasks. Finished steps are kept in DIR. Makes the table of docs/results.md, "Learning that
begins with the ranker for any system". Needs a release build and pyarrow.
"""
import argparse
import json
import pathlib
import resource
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "beds"))
import pyarrow.parquet  # noqa: E402

import learn_any  # noqa: E402
import portfolio  # noqa: E402
from program import run  # noqa: E402

ANY = learn_any.ROOT / "configs/rankers/any.json"
#: Parts of the training tasks, rounds, and whether `any` is the beginning.
WAYS = {
    "all tasks, 4 rounds": (1, 4, False),
    "from any: all tasks, 4 rounds": (1, 4, True),
    "from any: all tasks, 2 rounds": (1, 2, True),
    "a quarter, 4 rounds": (4, 4, False),
    "from any: a quarter, 4 rounds": (4, 4, True),
}


def first(tasks, part, path):
    """A table of the first of these tasks."""
    if part == 1:
        return tasks
    if not path.exists():
        table = pyarrow.parquet.ParquetFile(tasks)
        notes = {key: value for key, value in table.metadata.metadata.items() if key != b"ARROW:schema"}
        rows = table.read()
        pyarrow.parquet.write_table(rows.slice(0, len(rows) // part).replace_schema_metadata(notes), path, compression="zstd")
    return path


def learned(args, name, way, seed):
    """Processor seconds of learning, and how many validation and test tasks are solved then."""
    part, rounds, from_any = WAYS[way]
    system = portfolio.BEDS[name]["system"]
    training, validation, test = (learn_any.bed_tasks(args, name, kind) for kind in ("training", "validation", "test"))
    training = first(training, part, args.dir / f"{name}-{part}.parquet")
    out = args.dir / "from-any" / f"{name}-{part}-{rounds}-{'any' if from_any else 'nothing'}-{seed}"
    seconds = out / "seconds.txt"
    if not seconds.exists():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(args.cairn, "learn", "--system", system, "--tasks", training, "--validation", validation, "--rounds", rounds, "--seed", seed,
            "--threads", 1, "--quiet", "--out", out, *(["--from", ANY] if from_any else ["--from-nothing"]))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.write_text(str(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    if not (out / "test/results.parquet").exists():
        run(args.cairn, "evaluate", "--system", system, "--tasks", test, "--methods", "ranked", "--ranker", out / "ranker.json",
            "--work", learn_any.WORK, "--threads", 1, "--quiet", "--out", out / "test")
    all_rounds = [json.loads(path.read_text().splitlines()[0])["round"] for path in out.glob("round-*.json")]
    solved = pyarrow.parquet.read_table(out / "test/results.parquet").column("solved").to_pylist()
    return float(seconds.read_text()), max(done["proved"] for done in all_rounds), sum(solved)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--beds", nargs="*", default=["ring", "math", "bitvectors"])
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--cairn", type=pathlib.Path, default=learn_any.ROOT / "target/release/cairn")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    args.dir.mkdir(parents=True, exist_ok=True)
    print("| way | seconds | validation | test | test by bed |\n| --- | ---: | ---: | ---: | --- |", flush=True)
    for way in WAYS:
        done = {name: [learned(args, name, way, seed) for seed in args.seeds] for name in args.beds}
        runs = [sum(column) / len(args.seeds) for column in zip(*(run for runs in done.values() for run in runs))]
        by_bed = ", ".join(f"{name} {' '.join(str(solved) for _, _, solved in runs)}" for name, runs in done.items())
        print(f"| {way} | {runs[0]:.0f} | {runs[1]:.0f} | {runs[2]:.0f} | {by_bed} |", flush=True)


if __name__ == "__main__":
    main()
