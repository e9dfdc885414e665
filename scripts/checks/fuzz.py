#!/usr/bin/env python3
"""Run libFuzzer on everything that reads what a file says (cairn/fuzz/readers.rs).

    python scripts/checks/fuzz.py [--readers terms,tasks] [--runs 10000000] [--seconds N] [--jobs 1] [--work DIR] [--keep N]
    python scripts/checks/fuzz.py --first-files [--cairn target/release/cairn]

Each reader begins with what is kept in cairn/fuzz/corpus, and with what an earlier run left in DIR. It goes on until so many inputs were read, or for so many seconds. Prints a row for each. An input that makes a reader
panic, takes ten seconds or 4 GiB stays in DIR, is named, and exit code 1 says so. --keep: of what was found, keep so many small files that
reach most. --first-files makes the corpus anew from small runs of the commands. Needs a nightly compiler; --first-files pyarrow.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUZZ = ROOT / "cairn/fuzz"
CORPUS = FUZZ / "corpus"
TARGET = "x86_64-unknown-linux-gnu"
COVERAGE = ["-sanitizer-coverage-level=4", "-sanitizer-coverage-inline-8bit-counters", "-sanitizer-coverage-pc-table", "-sanitizer-coverage-trace-compares"]
# What the program says where a damaged table asks for more memory than there is, before it ends.
ENDS = "damaged file, or out of memory"


def build():
    # Of the same dependencies as the program.
    shutil.copy(ROOT / "Cargo.lock", FUZZ / "Cargo.lock")
    flags = " ".join(["-Cpasses=sancov-module", *(f"-Cllvm-args={flag}" for flag in COVERAGE), "--cfg fuzzing"])
    command = ["cargo", "+nightly", "build", "--release", "--target", TARGET, "--quiet"]
    subprocess.run(command, cwd=FUZZ, env={**os.environ, "RUSTFLAGS": flags}, check=True)
    return FUZZ / "target" / TARGET / "release/readers"


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def fuzz(program, name, arguments):
    """Runs one reader; gives executions, seconds, edges reached, how often memory ended, and what it failed on."""
    found = arguments.work / name
    found.mkdir(parents=True, exist_ok=True)
    longest = max(8192, *(path.stat().st_size for path in (CORPUS / name).iterdir()))
    done, seconds, edges, ends, faults = 0, 0, 0, 0, []
    while done < arguments.runs and (not arguments.seconds or seconds < arguments.seconds) and len(faults) < 3:
        options = [f"-runs={arguments.runs - done}", f"-max_len={longest}", "-timeout=10", "-rss_limit_mb=3072", "-print_final_stats=1",
                   "-close_fd_mask=1", f"-artifact_prefix={arguments.work}/{name}-", "-use_value_profile=0"]
        if arguments.seconds:
            options.append(f"-max_total_time={arguments.seconds - seconds}")
        run = subprocess.run([program, *options, found, CORPUS / name], env={**os.environ, "READER": name},
                             preexec_fn=limit_memory, capture_output=True, text=True, errors="replace")
        says = run.stderr
        count = re.findall(r"number_of_executed_units: (\d+)", says) or re.findall(r"^#(\d+)\t", says, re.M) or ["0"]
        done += int(count[-1])
        seconds += int((re.findall(r"Done \d+ runs in (\d+) second", says) or re.findall(r"in (\d+) s", says) or ["1"])[-1])
        edges = max([edges, *map(int, re.findall(r"cov: (\d+)", says))])
        if run.returncode == 0:
            continue
        if ENDS in says:
            ends += 1
            continue
        artifact = re.findall(r"Test unit written to (\S+)", says)
        faults.append(f"{artifact[-1] if artifact else '?'}: {says[-1500:] if not artifact else panic(says)}")
    return name, done, seconds, edges, ends, faults


def panic(says):
    return " ".join((re.findall(r"panicked at [^\n]*\n[^\n]*", says) or re.findall(r"ERROR: libFuzzer: [^\n]*", says) or [says[-500:]])[-1].split())


def keep(program, name, arguments):
    """The smallest of the files that reach all that was reached, so many at most, beside the first ones."""
    with tempfile.TemporaryDirectory() as merged:
        command = [program, "-merge=1", "-max_len=2048", "-close_fd_mask=3", merged, CORPUS / name, arguments.work / name]
        subprocess.run(command, env={**os.environ, "READER": name}, preexec_fn=limit_memory, check=False, stderr=subprocess.DEVNULL)
        for path in sorted(pathlib.Path(merged).iterdir(), key=lambda path: path.stat().st_size)[-arguments.keep:]:
            shutil.copy(path, CORPUS / name / path.name[:12])


def first_files(cairn):
    import pyarrow.parquet as pq

    from small_runs import RULES, run, small_runs

    def put(name, file, content):
        path = CORPUS / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def put_table(name, file, path, rows=3):
        # With the key by which our tables say what they are.
        table = pq.read_table(path)[:rows].replace_schema_metadata(pq.read_metadata(path).metadata)
        (CORPUS / name).mkdir(parents=True, exist_ok=True)
        # As it is written, and so that changed bytes are changed values.
        pq.write_table(table, CORPUS / name / f"{file}-packed", compression="zstd")
        pq.write_table(table, CORPUS / name / file, compression="none", use_dictionary=False, write_statistics=False)

    unsealed = lambda path: path.read_text().rstrip().rpartition("\n")[0]
    with tempfile.TemporaryDirectory() as base:
        base = pathlib.Path(base)
        runs = small_runs(cairn, base)
        made = {}
        for name in ("learn", "train", "optimise --terms", "saturate --save", "prove --out", "tasks --shard"):
            made[name] = base / "made" / name / runs[name].name
            made[name].parent.mkdir(parents=True)
            run(cairn, *runs[name].arguments(made[name]))
        for system in ("lambda", "bounds"):
            put("rules", system, (ROOT / f"configs/systems/{system}.rules").read_text())
        put("rules", "system", RULES.read_text())
        put("strategies", "phases", "(until-stable (phase :cost size :goal (contains ?) (limit :nodes 40 (until-stable (run)))))")
        for number, line in enumerate((base / "seeds.txt").read_text().splitlines()[-3:]):
            put("terms", f"term-{number}", line)
        put("terms", "sketch", "(contains (or (+ 1 ?) (only-contains x)))")
        hash = re.search(r'"system": ?"(\w+)"', made["prove --out"].read_text()).group(1)
        put("proofs", "proof", made["prove --out"].read_text().replace(hash, "HASH"))
        put("c_with_types", "function", (ROOT / "interop/tests/functions.c").read_text())
        put("c_with_types", "expression", "int64_t x; uint8_t y; (uint8_t)(x + y) > 3 ? x : (y ? abs(3) : true)\n")
        put("rules", "for", (ROOT / "interop/tests/widths.rules").read_text())
        put("c", "sum", "(x ^ y) + 2*(x & ~y) - (-1u << 3) / 0x10 % z")
        put("egglog", "arithmetic", (ROOT / "interop/tests/arithmetic.egg").read_text())
        for path in sorted((ROOT / "interop/tests/mlir").glob("*.mlir")):
            put("mlir", path.stem, path.read_text())
        for path in sorted((ROOT / "interop/tests/llvm").glob("*.ll")):
            put("llvm", path.stem, path.read_text())
        put("mlir", "sum", '"func.func"() <{sym_name = "f"}> ({\n^bb0(%x: i64):\n%y = "arith.addi"(%x, %x) : (i64, i64) -> i64\n'
                           '"func.return"(%y) : (i64) -> ()\n}) : () -> ()\n')
        put("lines", "terms", "(+ a 0) ; a term\n\n# none\n(< a 2)\n")
        put("lines", "tasks", "(+ a 0) a\n(* a b) (* b a)\n")
        put("lines", "csv", 'id,start,target,expression,goal\nx,(+ a 0),a,"(+ a 1)",(+ ? 1)\n')
        put("toml", "dataset", (ROOT / "configs/dataset/default.toml").read_text())
        put("toml", "model", (ROOT / "configs/model/tiny.toml").read_text())
        put_table("tasks", "tasks", base / "tasks.parquet")
        put_table("triples", "triples", next((base / "data/data").glob("train*")))
        put_table("proof-rows", "proofs", next((base / "data/proofs").glob("train*")), 1)
        put_table("examples", "examples", made["learn"] / "round-0.parquet")
        put_table("results", "results", base / "results/results.parquet")
        put_table("results", "optimised", made["optimise --terms"] / "optimised.parquet")
        put("rows", "rows", unsealed(sorted((base / "results/rows").iterdir())[0]))
        # Weights of one digit: it is sealed anew anyway.
        put("ranker", "ranker", re.sub(r"-?\d+\.\d+(e-?\d+)?", "1", (made["learn"] / "ranker.json").read_text()))
        put("round", "round", unsealed(made["learn"] / "round-1.json"))
        for path in (base / "data/dataset_info.json", base / "results/evaluation.json", made["optimise --terms"] / "optimisation.json",
                     made["train"] / "config.json", made["tasks --shard"] / "part.json"):
            # A part of one, which needs no others.
            put("descriptions", path.stem, path.read_text().replace('"count": 2', '"count": 1'))
        put("tokenizer", "tokenizer", (made["train"] / "tokenizer.json").read_text())
        header = {"__metadata__": {"cairn": f"4 {'0' * 64}"}, "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}
        text = json.dumps(header, separators=(",", ":")).encode()
        put("weights", "weights", struct.pack("<Q", len(text)) + text + struct.pack("<4f", 1, 2, 3, 4))
        put("state", "state", unsealed(next((made["train"] / "training_state").glob("*/state.json"))).replace('"step": 20', '"step": 4'))
        put("e-graph", "sums", made["saturate --save"].read_bytes())
        for system, term in (("lambda", "(app (lam x (+ x (app (lam y y) x))) 2)"), ("bounds", "(* (+ 1 2) (/ (+ a b) (+ 1 2)))")):
            path = base / system
            run(cairn, "saturate", "--system", system, "--term", term, "--iterations", 2, "--save", path)
            put("e-graph", system, path.read_bytes())
        put("unions", "unions", bytes(range(48)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", help="some, with commas between them; otherwise all")
    parser.add_argument("--runs", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=int, help="at most, for each reader")
    parser.add_argument("--jobs", type=int, default=1, help="readers at a time")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/cairn-fuzz"))
    parser.add_argument("--keep", type=int)
    parser.add_argument("--first-files", action="store_true")
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    arguments = parser.parse_args()
    if arguments.first_files:
        return first_files(arguments.cairn.resolve())
    program = build()
    names = re.findall(r'^    \("([a-z-]+)", ', (FUZZ / "readers.rs").read_text(), re.M)
    names = arguments.readers.split(",") if arguments.readers else names
    failed = False
    print("| reader | inputs | seconds | edges | ended for want of memory | faults |\n| --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, done, seconds, edges, ends, faults in pool.map(lambda name: fuzz(program, name, arguments), names):
            print(f"| {name} | {done:,} | {seconds:,} | {edges:,} | {ends} | {len(faults)} |", flush=True)
            for fault in faults:
                print(fault, file=sys.stderr, flush=True)
            failed |= bool(faults)
            if arguments.keep:
                keep(program, name, arguments)
    sys.exit(failed)


if __name__ == "__main__":
    main()
