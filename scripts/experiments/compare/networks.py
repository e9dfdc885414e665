#!/usr/bin/env python3
"""Cairn's network beside the same one in PyTorch on the processor, as a Markdown table.

    pip install -r scripts/requirements.txt -r scripts/experiments/compare/requirements.txt
    cargo run --release -- generate --config quickstart --out DATA
    python scripts/experiments/compare/networks.py DATA
    python scripts/experiments/compare/networks.py DATA --threads 1 --runs 5 --presets tiny

Both get the same weights and the same batches of the dataset, and first have to agree on loss and
gradients. They run in turn, each measurement in a process of its own; the table has medians.
Tokens are those of starts, targets and guides, without padding; memory is the most that was
resident. PyTorch computes each batch in parts of as many padded tokens as suit it best, which two
runs of each size find out beforehand.

Makes the table of docs/benchmarks.md, "Beside PyTorch", without options and with --threads 1. How long it takes was not kept.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PEER = Path(__file__).with_name("torch_network.py")
LINE = re.compile(r"(\d+) tokens/s, (\d+) per processor second, (\d+) MiB")
# Padded tokens that PyTorch computes on at a time; the first is a whole batch.
PARTS = [1 << 30, 2048, 512]
MODES = {"forward": "forward", "step": "training step"}


def build() -> Path:
    """Builds the bench; its program."""
    command = ["cargo", "bench", "--workspace", "--bench", "training", "--no-run", "--message-format=json"]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    messages = [json.loads(line) for line in told.splitlines()]
    programs = [m["executable"] for m in messages if m.get("target", {}).get("name") == "training"]
    return Path(next(program for program in programs if program))


def measure(command: list[str], threads: int) -> tuple[float, float, float]:
    """Tokens per second and per processor second, and MiB, of one run."""
    environment = os.environ | {"RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    found = LINE.search(done.stdout)
    if not found:
        raise SystemExit(f"{' '.join(command)} printed {done.stdout!r}")
    return tuple(float(number) for number in found.groups())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--presets", nargs="+", default=["tiny", "12m"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    data, threads = str(options.data.resolve()), options.threads
    program = str(build())
    rows = []
    for preset in options.presets:
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([program, data, preset, "expect", directory], check=True)
            python = [sys.executable, str(PEER), directory]
            subprocess.run([*python, "check"], check=True)
            for mode, name in MODES.items():

                def peer(part: int) -> tuple[float, float, float]:
                    flags = ["--threads", str(threads), "--part", str(part)]
                    return measure([*python, mode, *flags], threads)

                best = max(PARTS, key=lambda part: max(peer(part)[0] for _ in range(2)))
                cairn, torch = [], []
                for _ in range(options.runs):
                    cairn.append(measure([program, data, preset, mode], threads))
                    torch.append(peer(best))
                mine, theirs = (
                    [statistics.median(run[i] for run in runs) for i in range(3)]
                    for runs in (cairn, torch)
                )
                part = "whole" if best == PARTS[0] else f"{best:,}"
                rows.append(
                    f"| {preset}, {name} | {mine[0]:,.0f} | {theirs[0]:,.0f} ({part}) "
                    f"| {mine[0] / theirs[0]:.1f} | {mine[1]:,.0f} | {theirs[1]:,.0f} "
                    f"| {mine[1] / theirs[1]:.1f} | {mine[2]:,.0f} | {theirs[2]:,.0f} |"
                )
    print(f"\n{threads} threads, medians of {options.runs}, 1-minute load {os.getloadavg()[0]:.1f}\n")
    print(
        "| | tokens/s Cairn | PyTorch (its parts) | × | per processor second Cairn | PyTorch | × "
        "| MiB Cairn | PyTorch |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    print("\n".join(rows))


if __name__ == "__main__":
    main()
