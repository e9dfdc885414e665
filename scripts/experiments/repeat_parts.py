#!/usr/bin/env python3
"""Make many parts of many items of the parts of a small run, whose items are repeated, and measure what merging them needs.

    python scripts/checks/cluster.py --parts 12 --failures 0 --damages 0 --keep small
    python scripts/experiments/repeat_parts.py small/evaluate-parts /dev/shm/large [--cairn target/release/cairn] [--sizes 10x10000 100x10000 1000x10000]

For each size, PARTSxITEMS, the parts are made in a directory in the new directory /dev/shm/large (in memory, so that no disk is waited for) and `cairn merge` is run twice on them: to a place that is
taken, so that it ends when all parts are open, and to a directory. A line has the bytes and files of the parts; seconds, processor seconds, MiB of memory
and open files of both; and bytes and files of the result. The last lines have what a part and what an item costs, by least squares. Memory and open files are asked for every few
milliseconds. Parts of `evaluate`, `optimise`, `learn` and `generate` are known. What is merged is no result: the same items stand in it again and again.

Makes the third table of docs/cluster.md, "A thousand nodes, by simulation". Needs Linux and nothing but Python.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ["parts", "items", "parts MB", "part files", "open s", "CPU s", "MiB", "fds", "merge s", "CPU s", "MiB", "fds", "result MB", "files"]


def sealed(value):
    """JSON with its seal."""
    value = {key: one for key, one in value.items() if key != "sha256"}
    head = json.dumps(value, indent=2).removesuffix("\n}")
    return f'{head},\n  "sha256": "{hashlib.sha256(head.encode()).hexdigest()}"\n}}\n'


def renamed(kind, number, item):
    """An item as that of another number: rows of an evaluation name their task."""
    if kind != "an evaluation":
        return item
    task = json.loads(item)["rows"][0]["task"]
    return re.sub(rf'(?<=")((?:proofs/)?){re.escape(task)}(?="|--)', rf"\g<1>t-{number}", item)


def repeat(source, out, parts, items):
    """Makes so many parts of so many items."""
    found = sorted(source.glob("part-*"))
    described = json.loads((found[0] / "part.json").read_text())
    units = [file.with_suffix("") for part in found for file in sorted(part.glob("units/*.json"))]
    lines = [line.split(" ", 2)[2] for part in found if not units for line in (part / "items.jsonl").read_text().splitlines()]
    for index in range(parts):
        part = out / f"part-{index:05}-of-{parts:05}"
        (part / "units" if units else part).mkdir(parents=True)
        for number in range(index, items, parts):
            for kind in ("json", "parquet") if units else ():
                shutil.copy(units[number % len(units)].with_suffix(f".{kind}"), part / f"units/{number:07}.{kind}")
        description = {**described, "shard": {"index": index, "count": parts}, "items": items}
        if "training" in described["settings"]:
            description["settings"] = {**described["settings"], "training": items}
        if not units:
            with (part / "items.jsonl").open("w") as file:
                for number in range(index, items, parts):
                    item = renamed(described["kind"], number, lines[number % len(lines)])
                    file.write(f"{number} {hashlib.sha256(f'{number} {item}'.encode()).hexdigest()} {item}\n")
            description["items_hash"] = hashlib.sha256((part / "items.jsonl").read_bytes()).hexdigest()
        (part / "part.json").write_text(sealed(description))
        if (found[0] / "system.rules").exists():
            shutil.copy(found[0] / "system.rules", part)


def size(directory):
    """Bytes and files under a directory, or of a file."""
    files = [directory] if directory.is_file() else [file for file in directory.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files), len(files)


def measured(command, codes):
    """Seconds, processor seconds, MiB at most, open files at most."""
    began = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    files, memory, ended = 0, 0, (0, 0, None)
    while not ended[0]:
        try:
            files = max(files, len(os.listdir(f"/proc/{process.pid}/fd")))
            # What wait4 says of memory is that of this script, if it is more.
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            memory = max(memory, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
        time.sleep(0.003)
        ended = os.wait4(process.pid, os.WNOHANG)
    seconds, usage = time.monotonic() - began, ended[2]
    process.returncode = os.waitstatus_to_exitcode(ended[1])
    if process.returncode not in codes:
        sys.exit(f"{command[0]} {command[1]}: exit code {process.returncode}: {process.stderr.read().decode()}")
    return seconds, usage.ru_utime + usage.ru_stime, memory / 1024, files


def solved(rows):
    """By least squares: the constant, and what a part and an item cost. Rows are (parts, items, value)."""
    unknowns = [lambda parts, items: 1.0, lambda parts, items: float(parts), lambda parts, items: float(items)]
    left = [[sum(f(p, i) * g(p, i) for p, i, _ in rows) for g in unknowns] for f in unknowns]
    right = [sum(f(p, i) * value for p, i, value in rows) for f in unknowns]
    for at in range(3):
        for below in range(at + 1, 3):
            factor = left[below][at] / left[at][at]
            left[below] = [a - factor * b for a, b in zip(left[below], left[at])]
            right[below] -= factor * right[at]
    result = [0.0] * 3
    for at in (2, 1, 0):
        result[at] = (right[at] - sum(left[at][k] * result[k] for k in range(at + 1, 3))) / left[at][at]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--sizes", nargs="+", default=["10x10000", "100x10000", "1000x10000"])
    arguments = parser.parse_args()
    arguments.out.mkdir()
    parts_at, taken, out = (arguments.out / name for name in ("parts", "taken", "merged"))
    taken.write_text("taken")
    print(f"| {' | '.join(COLUMNS)} |\n|{' ---: |' * len(COLUMNS)}", flush=True)
    rows = []
    for text in arguments.sizes:
        parts, items = map(int, text.split("x"))
        repeat(arguments.source, parts_at, parts, items)
        paths = sorted(parts_at.glob("part-*"))
        merge = [arguments.cairn, "merge", *paths, "--quiet", "--threads", 1, "--out"]
        opened = measured([*merge, taken], (2,))
        merged = measured([*merge, out], (0,))
        bytes_in, files_in = size(parts_at)
        bytes_out, files_out = size(out)
        row = [parts, items, bytes_in / 1e6, files_in, *opened, *merged, bytes_out / 1e6, files_out]
        print(f"| {' | '.join(f'{one:.2f}' if isinstance(one, float) else str(one) for one in row)} |", flush=True)
        rows.append(row)
        shutil.rmtree(parts_at)
        shutil.rmtree(out)
    shutil.rmtree(arguments.out)
    if len({row[0] for row in rows}) > 1 and len({row[1] for row in rows}) > 1 and len(rows) > 2:
        for name, column in [("open: processor", 5), ("open: MiB", 6), ("merge: processor", 9), ("merge: MiB", 10)]:
            constant, part, item = solved([(row[0], row[1], row[column]) for row in rows])
            print(f"{name}: {constant:.3g} + {part * 1e3:.3g} a thousand parts + {item * 1e6:.3g} a million items")


if __name__ == "__main__":
    main()
