#!/usr/bin/env python3
"""Cairn's pipeline for datasets beside a straightforward one over egg 0.11, as a Markdown table.

    pip install -r scripts/requirements.txt
    python scripts/experiments/compare/pipelines.py
    python scripts/experiments/compare/pipelines.py --seeds seeds.csv --limit 100 --nodes 20000 --runs 5

Both get the same rules, seeds, limit on e-nodes, number of terms, pairs and proofs, and caps. They
run in turn, one thread each; times are processor time and memory is resident memory at most, of
the whole process, as the kernel counts both. The table has medians of the runs. egg with
optimised proofs, its default, is slow and runs once.

Makes the table of docs/benchmarks.md, "Dataset generation", without options. Needs pyarrow, and builds both programs; how long it takes was
not kept.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# What Cairn's defaults are not; egg-pipeline has its other defaults. One class a seed, and no
# frontier terms, which would take a second e-graph.
CONFIG = """
[saturation]
nodes = {nodes}
memory = "16GiB"
[sampling]
classes = 1
frontier = 0
[proofs]
shorten = {shorten}
"""


def run(command: list[str]) -> dict:
    """Processor seconds, most resident MiB and standard output of a command."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        output.seek(0)
        # Linux counts ru_maxrss in KiB.
        return {
            "seconds": usage.ru_utime + usage.ru_stime,
            "mib": usage.ru_maxrss / 1024,
            "output": output.read(),
        }


def build(target: Path) -> None:
    """Builds both programs."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(target)}
    cargo = ["cargo", "build", "--release", "--quiet"]
    manifest = ["--manifest-path", str(ROOT / "scripts/experiments/compare/Cargo.toml"), "-p", "egg-pipeline"]
    subprocess.run([*cargo, "--bin", "cairn"], cwd=ROOT, env=environment, check=True)
    subprocess.run([*cargo, *manifest], cwd=ROOT, env=environment, check=True)


def seeds_as_text(path: Path, limit: int) -> str:
    """The first seeds of a file, a term a line."""
    with path.open(newline="") as file:
        if path.suffix == ".csv":
            terms = [row["expression"] for row in csv.DictReader(file)]
        else:
            lines = (line for line in file if not line.startswith("#"))
            terms = [line.split(";")[0].strip() for line in lines]
    return "\n".join([term for term in terms if term][:limit]) + "\n"


def cairn(program: Path, common: list[str], config: Path, out: Path) -> dict:
    """One run of `cairn generate`."""
    flags = ["--threads", "1", "--quiet", "--config", str(config), "--out", str(out)]
    found = run([str(program), "generate", *common, *flags])
    info = json.loads((out / "dataset_info.json").read_text())
    proofs = info["cairn"]["totals"]["proofs"]
    triples = sum(split["num_examples"] for split in info["splits"].values())
    return found | {
        "triples": triples,
        "pairs": proofs["proofs"],
        "kept": proofs["kept"],
        "mean": proofs["steps"] / max(proofs["kept"], 1),
        "e_nodes": sum(seed["e_nodes"] for seed in info["cairn"]["seeds"]),
        "out": out,
    }


def egg(program: Path, common: list[str], nodes: int, optimise: bool, out: Path) -> dict:
    """One run of the pipeline over egg."""
    flags = ["--nodes", str(nodes), "--optimise", str(int(optimise)), "--out", str(out)]
    found = run([str(program), *common, *flags])
    told = json.loads(found["output"])
    same = {key: told[key] for key in ["triples", "pairs", "kept", "e_nodes"]}
    return found | same | {"mean": told["mean_steps"], "median": told["median_steps"]}


def median_steps(dataset: Path) -> float:
    """Of a dataset's proofs."""
    # Not before all runs: a child counts the memory of its parent at its birth as its own.
    import pyarrow.parquet as parquet

    files = sorted((dataset / "proofs").glob("*.parquet"))
    steps = [n for file in files for n in parquet.read_table(file)["steps"].to_pylist()]
    return statistics.median(steps)


def row(name: str, runs: list[dict], peer: list[dict] | None) -> str:
    """A line of the table; with ratios to a peer if there is one."""

    def median(of: list[dict], key: str) -> float:
        return statistics.median(one[key] for one in of)

    def rate(of: list[dict], key: str) -> float:
        return statistics.median(one[key] / one["seconds"] for one in of)

    last = runs[-1]
    ratios = ["", ""]
    if peer:
        ratios = [
            f"{rate(runs, 'triples') / rate(peer, 'triples'):.1f}",
            f"{median(peer, 'mib') / median(runs, 'mib'):.1f}",
        ]
    cells = [
        name,
        str(last["e_nodes"]),
        str(last["pairs"]),
        str(last["kept"]),
        f"{last['mean']:.1f} ({last['median']:g})",
        str(last["triples"]),
        f"{median(runs, 'seconds'):.2f}",
        f"{rate(runs, 'pairs'):.0f}",
        f"{rate(runs, 'triples'):.0f}",
        ratios[0],
        f"{median(runs, 'mib'):.0f}",
        ratios[1],
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Runs both sides in turn and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--system", type=Path, default=ROOT / "configs/systems/halide.rules")
    parser.add_argument("--seeds", type=Path, default=ROOT / "configs/seeds/halide.txt")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
    build(target)
    program, peer = target / "release/cairn", target / "release/egg-pipeline"

    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        seeds = directory / "seeds.txt"
        seeds.write_text(seeds_as_text(options.seeds, options.limit))
        common = ["--system", str(options.system), "--seeds", str(seeds)]
        configs = {}
        for shorten in [True, False]:
            configs[shorten] = directory / f"shorten-{shorten}.toml"
            text = CONFIG.format(nodes=options.nodes, shorten=str(shorten).lower())
            configs[shorten].write_text(text)
        tsv = directory / "egg.tsv"
        sides: dict[str, list[dict]] = {"plain": [], "shortened": [], "egg": [], "optimised": []}
        for number in range(options.runs):
            sides["egg"].append(egg(peer, common, options.nodes, False, tsv))
            for side, shorten in [("plain", False), ("shortened", True)]:
                out = directory / f"{side}-{number}"
                sides[side].append(cairn(program, common, configs[shorten], out))
        sides["optimised"].append(egg(peer, common, options.nodes, True, tsv))
        bytes_flags = ["--bytes", "1", "--nodes", str(options.nodes)]
        per_node = json.loads(run([str(peer), *common, *bytes_flags])["output"])
        for side in ["plain", "shortened"]:
            sides[side][-1]["median"] = median_steps(sides[side][-1]["out"])

    print(
        "| pipeline | e-nodes | pairs | kept | steps, mean (median) | triples | CPU s "
        "| pairs/s | triples/s | × | peak MiB | × |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    print(row("egg", sides["egg"], None))
    print(row("Cairn, not shortened", sides["plain"], sides["egg"]))
    print(row("egg, optimised", sides["optimised"], None))
    print(row("Cairn", sides["shortened"], sides["optimised"]))
    print(f"\nlive bytes per e-node: egg {per_node['egg']}, Cairn {per_node['cairn']}")


if __name__ == "__main__":
    main()
