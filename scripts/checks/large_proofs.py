#!/usr/bin/env python3
"""Proofs of very many steps: what `cairn check` takes for one of a deep and one of a wide term.

    python scripts/checks/large_proofs.py [--cairn target/release/cairn] [--steps 1000000]

*deep*: x with so many zeros added, one inside the other, taken away one by one. *wide*: a balanced sum of half as many pairs,
each turned round, put together by congruence. *closed* and *loose*: one step of beta, 258 KiB or so, puts a large argument in the place of a
variable under many binders, everywhere at another depth. If the argument speaks of a variable, too, it is not the right one: to be refused.
Prints bytes of the files, seconds of the processor and the most resident memory. Exit code 1 if the answer is wrong, a million
steps take 1 GiB, or a step of beta takes 50 MB or 0.1 s. Needs Linux.
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
(op lam ((bind I I)) I) (op app (I I) I)
(rewrite (app (lam ?b) ?a) (subst ?b ?a) :name beta)
"""
BINDERS = 1_600


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


def closed(_, inner="x"):
    terms = []

    def add(term):
        terms.append(term)
        return len(terms) - 1

    leaf = lambda name: add({"leaf": name, "sort": "I"})
    op = lambda name, *args: add({"op": name, "args": args})
    x, argument = leaf("x"), leaf(inner)
    for _ in range(BINDERS):
        argument = op("+", argument, x)
    body = becomes = x
    for depth in range(BINDERS - 1, -1, -1):
        body, becomes = op("lam", op("+", leaf(f"%{depth + 1}"), body)), op("lam", op("+", argument, becomes))
    return terms, [rule("beta", op("app", op("lam", body), argument), becomes, {"?b": body, "?a": argument})]


def loose(_):
    return closed(_, "%0")


def rule(name, before, after, substitution):
    return {"from": before, "to": after, "how": {"rule": {"name": name, "substitution": substitution}}}


def write(make, count, file):
    terms, steps = make(count)
    head = {"format": "cairn-proof", "version": 1, "system": hashlib.sha256(RULES.encode()).hexdigest()}
    ends = {"root": len(steps) - 1, "start": steps[-1]["from"], "end": steps[-1]["to"]}
    file.write_text(json.dumps({**head, "terms": terms, "steps": steps, **ends}, separators=(",", ":")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--cairn", type=pathlib.Path, default=root / "target/release/cairn")
    parser.add_argument("--steps", type=int, default=1_000_000)
    arguments = parser.parse_args()
    ok = True
    with tempfile.TemporaryDirectory() as directory:
        system, file = pathlib.Path(directory, "sums.rules"), pathlib.Path(directory, "proof.json")
        system.write_text(RULES)
        print("| proof | steps | file, MB | check, s | memory, MiB |\n| --- | ---: | ---: | ---: | ---: |")
        for make, steps in ((deep, arguments.steps), (wide, arguments.steps), (closed, 1), (loose, 1)):
            # The kernel counts what this process holds for its children, too.
            maker = multiprocessing.Process(target=write, args=(make, steps, file))
            maker.start()
            maker.join()
            child = subprocess.Popen([arguments.cairn, "check", file, "--system", system], stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            seconds, mib = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
            ok &= os.waitstatus_to_exitcode(status) == (2 if make == loose else 0)
            ok &= (seconds < 0.1 and mib < 47) if steps == 1 else (mib < 1024 or steps > 1_000_000)
            size = file.stat().st_size / 1e6
            print(f"| {make.__name__} | {steps:,} | {size:.2f} | {seconds:.2f} | {mib:.0f} |", flush=True)
    sys.exit(not ok)


if __name__ == "__main__":
    main()
