#!/usr/bin/env python3
"""Read the results of `cairn evaluate`: how many tasks each method proved, and for how much work.

    pip install -r scripts/requirements.txt
    python scripts/read_results.py results
    python scripts/read_results.py results --hard
    python scripts/read_results.py results --plot solved.svg

Rates are given with 95 % Wilson intervals. Work is the number of e-nodes ever built, summed over
all e-graphs; median_work is that of the tasks that were proved. docs/formats.md says what the
columns of results.parquet mean.
"""

import argparse
import math
import sys
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa


def wilson(successes: int, trials: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """The 95 % Wilson score interval of a rate; without trials, all of [0, 1]."""
    if trials == 0:
        return 0.0, 1.0
    rate = successes / trials
    centre = rate + z * z / (2 * trials)
    spread = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def load(path: Path, hard_only: bool) -> pd.DataFrame:
    """The rows, one per task and method; of hard tasks only if asked for."""
    rows = pd.read_parquet(path)
    # `hard` is missing where one e-graph with all the work was not tried.
    return rows[rows["hard"].fillna(False).astype(bool)] if hard_only else rows


def by_method(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per method, in the order of the file, summed up by DuckDB."""
    table = duckdb.sql(
        """
        SELECT method,
               count(*) AS tasks,
               count(*) FILTER (solved) AS solved,
               median(work) FILTER (solved) AS median_work,
               median(e_graphs) FILTER (solved) AS median_e_graphs,
               median(proof_steps) FILTER (solved) AS median_proof,
               sum(seconds) AS seconds,
               sum(model_seconds) AS model_seconds
        FROM rows
        GROUP BY method
        """
    ).df()
    order = {method: i for i, method in enumerate(rows["method"].unique())}
    table = table.sort_values("method", key=lambda names: names.map(order))
    intervals = [wilson(s, n) for s, n in zip(table["solved"], table["tasks"])]
    table.insert(3, "rate", (table["solved"] / table["tasks"]).round(3))
    table.insert(4, "low", [round(low, 3) for low, _ in intervals])
    table.insert(5, "high", [round(high, 3) for _, high in intervals])
    return table.round({"seconds": 1, "model_seconds": 1})


def plot(rows: pd.DataFrame, path: Path) -> None:
    """The share of tasks that each method proved within a given work, as PNG or SVG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    allowed = int(rows["total_work"].max())
    for method, group in rows.groupby("method", sort=False):
        work = sorted(group.loc[group["solved"], "work"])
        shares = [i / len(group) for i in range(len(work) + 1)]
        last = max([allowed, *work])
        axes.step([0, *work, last], [*shares, shares[-1]], where="post", label=method)
    axes.set_xlabel("work (e-nodes ever built)")
    axes.set_ylabel("share of tasks proved")
    axes.set_ylim(0, 1.02)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, help="directory of the results, or its .parquet file")
    parser.add_argument(
        "--hard", action="store_true", help="only tasks that one e-graph with all the work fails on"
    )
    parser.add_argument("--plot", type=Path, help="write solved against work as .png or .svg")
    args = parser.parse_args()

    path = args.results / "results.parquet" if args.results.is_dir() else args.results
    try:
        rows = load(path, args.hard)
        table = by_method(rows)
    except (OSError, ValueError, KeyError, pa.ArrowException, duckdb.Error) as error:
        print(f"{path} is not a readable file of results: {error}", file=sys.stderr)
        return 2
    if rows.empty:
        print(f"{path} has no {'hard ' if args.hard else ''}tasks")
        return 0

    print(f"{path}: {rows['task'].nunique()} tasks, cap {rows['cap'].iloc[0]} on each e-graph\n")
    print(table.to_string(index=False, na_rep="-"))
    failed = rows.loc[~rows["solved"]]
    if len(failed):
        print("\nwhy not, by method:\n")
        print(pd.crosstab(failed["method"], failed["reason"]).to_string())
    if args.plot:
        plot(rows, args.plot)
        print(f"\n{args.plot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
