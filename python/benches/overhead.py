#!/usr/bin/env python3
"""What a call from Python costs, against Rust and against the command line.

    cargo build --release --workspace --lib --bench calls   # both sides: two builds of the engine differ by some percent
    ln -s "$PWD/target/release/libcairn_eqsat.so" python/python/cairn_eqsat/_native.abi3.so
    PYTHONPATH=python/python python python/benches/overhead.py --calls target/release/deps/calls-… [--program PATH/TO/cairn]

10,000 calls of `prove`, one thread, the same questions and settings as guided-search/benches/calls.rs; a hundred
starts of the program; and a cost in Python on an e-graph of 100,000 e-nodes. The sides take turns, and what is said are
medians of the runs, of processor seconds, those of the system and of other processes that are started included: on a
machine with other work they say more than a clock.
"""

import argparse
import itertools
import resource
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

import cairn_eqsat as cairn

CALLS, STARTS = 10_000, 100
QUESTIONS = Path(__file__).resolve().parents[2] / "guided-search/benches/questions.txt"


def seconds(work: Callable[[], object]) -> float:
    def spent() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    began = spent()
    work()
    return spent() - began


def medians(runs: int, *sides: Callable[[], float]) -> list[float]:
    """Of each side, which take turns."""
    found = [[side() for side in sides] for _ in range(runs)]
    return [statistics.median(side) for side in zip(*found, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="cairn")
    parser.add_argument("--calls", help="the bench of that name, as cargo built it")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    halide = cairn.System.load("halide")
    questions = [line.split(" = ") for line in QUESTIONS.read_text().splitlines()]

    def calls() -> None:
        for start, target in itertools.islice(itertools.cycle(questions), CALLS):
            cairn.prove(halide, start, target, method="deep", threads=1)

    def rust() -> float:
        def times(count: int) -> float:
            return seconds(lambda: subprocess.run([options.calls, str(count)], check=True, capture_output=True))

        # What starting takes is no part of a call.
        return times(1) - times(0)

    def starts() -> None:
        for start, target in itertools.islice(itertools.cycle(questions), STARTS):
            command = [options.program, "prove", "--system", "halide", "--method", "deep", "--threads", "1"]
            subprocess.run([*command, "--start", start, "--target", target], check=True, capture_output=True)

    sides = [lambda: seconds(calls) / CALLS, lambda: seconds(starts) / STARTS]
    python, program, *of_rust = medians(options.runs, *sides, *([lambda: rust() / CALLS] if options.calls else []))
    print(f"{CALLS} calls from Python: {1e6 * python:.1f} µs a call")
    for each in of_rust:
        print(f"the same from Rust: {1e6 * each:.1f} µs a call, so Python takes {python / each - 1:+.1%}")
    print(f"{STARTS} starts of the program: {1e6 * program:.1f} µs a start")

    egraph = cairn.EGraph(cairn.System.load("math"))
    root = egraph.add("(+ (* (+ a b) (+ a c)) (+ (* b (+ c e)) (* (+ e f) (+ f (* g (+ a h))))))")
    egraph.run(nodes=100_000)
    asked = 0

    def size(op: str, children: list[float]) -> float:
        nonlocal asked
        asked += 1
        return 1 + sum(children)

    def extract(cost: str | Callable[[str, list[float]], float]) -> Callable[[], float]:
        return lambda: seconds(lambda: egraph.extract(root, cost=cost))

    by_function, named = medians(options.runs, extract(size), extract("size"))
    print(f"an e-graph of {egraph.e_nodes} e-nodes: a cost in Python {by_function:.3f} s "
          f"({asked // options.runs} e-nodes asked for), the same by name {named:.3f} s")


if __name__ == "__main__":
    main()
