#!/usr/bin/env python3
"""Proofs of very many steps: what `cairn check` takes for one of a deep and one of a wide term.

    python scripts/large_proofs.py [--cairn target/release/cairn] [--steps 1000000]

*deep*: x with so many zeros added, one inside the other, taken away one by one. *wide*: a balanced sum of half as many pairs,
each turned round, put together by congruence. Prints bytes of the files, seconds of the processor and the most resident memory.
Exit code 1 if a proof is refused, or takes 1 GiB and the steps are a million at most. Needs Linux.
"""
import argparse
import hashlib
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

RULES = """(sort I) (op + (I I) I) (variable I) (literal i64 I)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(rewrite (+ ?a 0) ?a :name zero)
"""


def deep(count):
    terms, steps, inner = [{"leaf": "x", "sort": "I"}, {"leaf": "0", "sort": "I"}], [], 0
    for _ in range(count - 1):
        terms.append({"op": "+", "args": [inner, 1]})
        steps.append(rule("zero", len(terms) - 1, inner, {"?a": inner}))
        inner = len(terms) - 1
    steps.append({"from": inner, "to": 0, "how": {"chain": list(range(len(steps) - 1, -1, -1))}})
    return terms, steps


def wide(count):
    terms, steps, level = [], [], []
    for i in range(count // 2):
        a, b, before, after = range(len(terms), len(terms) + 4)
        terms += [{"leaf": f"a{i}", "sort": "I"}, {"leaf": f"b{i}", "sort": "I"}]
        terms += [{"op": "+", "args": [a, b]}, {"op": "+", "args": [b, a]}]
        steps.append(rule("comm", before, after, {"?a": a, "?b": b}))
        level.append(len(steps) - 1)
    while len(level) > 1:
        above = []
        for pair in zip(level[::2], level[1::2]):
            before, after = len(terms), len(terms) + 1
            terms += [{"op": "+", "args": [steps[i][end] for i in pair]} for end in ("from", "to")]
            steps.append({"from": before, "to": after, "how": {"congruence": list(pair)}})
            above.append(len(steps) - 1)
        level = above + level[2 * len(above):]
    return terms, steps


def rule(name, before, after, substitution):
    return {"from": before, "to": after, "how": {"rule": {"name": name, "substitution": substitution}}}


def write(make, count, file):
    terms, steps = make(count)
    head = {"format": "cairn-proof", "version": 1, "system": hashlib.sha256(RULES.encode()).hexdigest()}
    ends = {"root": len(steps) - 1, "start": steps[-1]["from"], "end": steps[-1]["to"]}
    file.write_text(json.dumps({**head, "terms": terms, "steps": steps, **ends}, separators=(",", ":")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[1]
    parser.add_argument("--cairn", type=pathlib.Path, default=root / "target/release/cairn")
    parser.add_argument("--steps", type=int, default=1_000_000)
    arguments = parser.parse_args()
    ok = True
    with tempfile.TemporaryDirectory() as directory:
        system, file = pathlib.Path(directory, "sums.rules"), pathlib.Path(directory, "proof.json")
        system.write_text(RULES)
        print("| proof | steps | file, MB | check, s | memory, MiB |\n| --- | --- | --- | --- | --- |")
        for make in (deep, wide):
            # The kernel counts what this process holds for its children, too.
            maker = multiprocessing.Process(target=write, args=(make, arguments.steps, file))
            maker.start()
            maker.join()
            child = subprocess.Popen([arguments.cairn, "check", file, "--system", system], stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            mib = used.ru_maxrss / 1024
            ok &= status == 0 and (mib < 1024 or arguments.steps > 1_000_000)
            size = file.stat().st_size / 1e6
            print(f"| {make.__name__} | {arguments.steps:,} | {size:.0f} | {used.ru_utime + used.ru_stime:.1f} | {mib:.0f} |", flush=True)
    sys.exit(not ok)


if __name__ == "__main__":
    main()
