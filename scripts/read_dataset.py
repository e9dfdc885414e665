#!/usr/bin/env python3
"""Read a dataset made by `cairn generate`: sizes, histograms, leakage between splits, examples.

    pip install -r scripts/requirements.txt
    python scripts/read_dataset.py data/halide
    python scripts/read_dataset.py data/halide --histogram guide_size --examples 5
    python scripts/read_dataset.py data/halide --plot steps.svg

The same rows with the `datasets` library: datasets.load_dataset("parquet", data_dir="data/halide").
docs/formats.md says what the columns mean. Exit code 1: a (start, target) pair is in two splits.
"""

import argparse
import json
import sys
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa

SPLITS = ["train", "validation", "test"]
NUMBERS = [
    "steps",
    "steps_start_guide",
    "steps_guide_target",
    "start_size",
    "guide_size",
    "target_size",
    "depth",
]


def load(directory: Path) -> dict[str, pd.DataFrame]:
    """The splits as data frames, with `steps`, the length of the proof, as a further column."""
    splits = {}
    for split in SPLITS:
        files = sorted((directory / "data").glob(f"{split}-*-of-*.parquet"))
        frame = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
        frame["steps"] = frame["steps_start_guide"] + frame["steps_guide_target"]
        splits[split] = frame
    return splits


def shared_pairs(directory: Path) -> pd.DataFrame:
    """(start, target) pairs that occur in more than one split, counted by DuckDB on the files."""
    return duckdb.execute(
        """
        SELECT start, target, list(DISTINCT split ORDER BY split) AS splits
        FROM (
            SELECT start, target, regexp_extract(filename, '([a-z]+)-[0-9]+-of', 1) AS split
            FROM read_parquet(?, filename = true)
        )
        GROUP BY start, target
        HAVING count(DISTINCT split) > 1
        """,
        [str(directory / "data" / "*.parquet")],
    ).df()


def text_histogram(values: pd.Series, bins: int = 12, width: int = 50) -> str:
    """A histogram of whole numbers, a line per bin."""
    if values.empty:
        return "  (no rows)"
    low, high = int(values.min()), int(values.max())
    step = -(-(high - low + 1) // bins)
    step += step > 1 and step % 2  # even: terms of binary operators have odd sizes
    counts = ((values.astype("int64") - low) // step).value_counts().sort_index()
    lines = []
    for bin_number, count in counts.items():
        first = low + int(bin_number) * step
        label = f"{first}" if step == 1 else f"{first}-{first + step - 1}"
        lines.append(f"  {label:>9} {count:>8}  {'#' * -(-count * width // counts.max())}")
    return "\n".join(lines)


def plot(splits: dict[str, pd.DataFrame], column: str, path: Path) -> None:
    """Shares of the rows of each split by the value of a column, as PNG or SVG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    largest = max(int(frame[column].max()) for frame in splits.values() if len(frame))
    step = 2 * max(1, largest // 60)
    edges = range(0, largest + step + 1, step)
    for split, frame in splits.items():
        if len(frame):
            axes.hist(frame[column], bins=edges, density=True, histtype="step", label=split)
    axes.set_xlabel(column)
    axes.set_ylabel("share of rows")
    axes.legend()
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", type=Path, help="directory of the dataset")
    parser.add_argument(
        "--histogram", choices=NUMBERS, default="steps", help="column to show [default: steps]"
    )
    parser.add_argument("--examples", type=int, default=2, help="rows to show [default: 2]")
    parser.add_argument("--plot", type=Path, help="write the histogram as .png or .svg")
    args = parser.parse_args()

    try:
        info = json.loads((args.dataset / "dataset_info.json").read_text())
        splits = load(args.dataset)
        shared = shared_pairs(args.dataset)
    except (OSError, ValueError, KeyError, pa.ArrowException, duckdb.Error) as error:
        print(f"{args.dataset} is not a readable dataset: {error}", file=sys.stderr)
        return 2

    print(f"{args.dataset}: {info['description']}")
    print(f"rewrite system {info['cairn']['system_hash'][:12]}, seed {info['cairn']['seed']}\n")
    rows = [
        {
            "split": split,
            "triples": len(frame),
            "seeds": frame["seed"].nunique(),
            "mean steps": round(frame["steps"].mean(), 1),
            "mean guide size": round(frame["guide_size"].mean(), 1),
        }
        for split, frame in splits.items()
    ]
    print(pd.DataFrame(rows).to_string(index=False), end="\n\n")

    print(f"{args.histogram} in train:")
    print(text_histogram(splits["train"][args.histogram]), end="\n\n")

    for row in splits["train"].head(args.examples).itertuples():
        print(f"start  {row.start}\nguide  {row.guide}\ntarget {row.target}")
        print(f"       {row.steps_start_guide} + {row.steps_guide_target} steps\n")

    if args.plot:
        plot(splits, args.histogram, args.plot)
        print(f"{args.plot}\n")

    print(f"(start, target) pairs in more than one split: {len(shared)}")
    if len(shared):
        print(shared.head().to_string())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
