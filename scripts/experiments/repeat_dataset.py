#!/usr/bin/env python3
"""Make a large dataset of a small one, whose rows are repeated: to measure what size costs.

    cairn quickstart --out quickstart
    pip install -r scripts/requirements.txt
    python scripts/experiments/repeat_dataset.py quickstart/dataset /tmp/large --triples 2500000

The training split has at least so many triples then, each as often as the others (the last round is
whole); the other files are copied. It is no dataset to learn from, and `cairn verify` refuses it.

Makes what the table of docs/benchmarks.md, "2,500,000 triples", is measured on. Needs a dataset and pyarrow.
"""

import argparse
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sealed_info import write_info


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--triples", type=int, default=2_500_000)
    arguments = parser.parse_args()
    source, out = arguments.dataset, arguments.out
    (out / "data").mkdir(parents=True)
    shutil.copy(source / "system.rules", out)
    for split in ["validation", "test"]:
        for file in (source / "data").glob(f"{split}-*.parquet"):
            shutil.copy(file, out / "data")
    files = sorted((source / "data").glob("train-*.parquet"))
    table = pa.concat_tables([pq.read_table(file) for file in files])
    rounds = -(-arguments.triples // table.num_rows)
    path = out / "data" / "train-00000-of-00001.parquet"
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(rounds):
            writer.write_table(table, row_group_size=16_384)
    info = json.loads((source / "dataset_info.json").read_text())
    info["splits"]["train"]["num_examples"] = rounds * table.num_rows
    info["splits"]["train"]["num_bytes"] = path.stat().st_size
    write_info(out, info)
    print(f"{rounds * table.num_rows} triples in {out}")


if __name__ == "__main__":
    main()
