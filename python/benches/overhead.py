#!/usr/bin/env python3
"""What a call from Python costs, against Rust and against the command line.

    pip install ./python
    time cargo bench --workspace --bench calls
    python python/benches/overhead.py [--program PATH/TO/cairn]

10,000 calls of `prove`, one thread, the same questions and settings as guided-search/benches/calls.rs; a hundred
starts of the program; and a cost in Python on an e-graph of 100,000 e-nodes. Medians of five runs, of processor
seconds, those of the system and of other processes that are started included: on a machine with other work they say
more than a clock.
"""

import argparse
import itertools
import os
import statistics
import subprocess
import time
from pathlib import Path

import cairn_eqsat as cairn

CALLS, STARTS, RUNS = 10_000, 100, 5
QUESTIONS = Path(__file__).resolve().parents[2] / "guided-search/benches/questions.txt"


def median(measure) -> float:
    return statistics.median(measure() for _ in range(RUNS))


def seconds(work) -> float:
    def spent() -> float:
        # The clock of this process is the finer one.
        return time.process_time() + sum(os.times()[2:4])

    began = spent()
    work()
    return spent() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="cairn")
    options = parser.parse_args()
    halide = cairn.System.load("halide")
    questions = [line.split(" = ") for line in QUESTIONS.read_text().splitlines()]

    def calls() -> None:
        for start, target in itertools.islice(itertools.cycle(questions), CALLS):
            cairn.prove(halide, start, target, method="deep", threads=1)

    def starts() -> None:
        for start, target in itertools.islice(itertools.cycle(questions), STARTS):
            command = [options.program, "prove", "--system", "halide", "--method", "deep", "--threads", "1"]
            subprocess.run([*command, "--from", start, "--to", target], check=True, capture_output=True)

    print(f"{CALLS} calls from Python: {1e6 * median(lambda: seconds(calls)) / CALLS:.1f} µs a call")
    print(f"{STARTS} starts of the program: {1e6 * median(lambda: seconds(starts)) / STARTS:.1f} µs a start")

    egraph = cairn.EGraph(cairn.System.load("math"))
    root = egraph.add("(+ (* (+ a b) (+ a c)) (+ (* b (+ c e)) (* (+ e f) (+ f (* g (+ a h))))))")
    egraph.run(nodes=100_000)
    asked = 0

    def size(op: str, children: list[float]) -> float:
        nonlocal asked
        asked += 1
        return 1 + sum(children)

    by_function = median(lambda: seconds(lambda: egraph.extract(root, cost=size)))
    named = median(lambda: seconds(lambda: egraph.extract(root, cost="size")))
    print(f"an e-graph of {egraph.e_nodes} e-nodes: a cost in Python {by_function:.3f} s "
          f"({asked // RUNS} e-nodes asked for), the same by name {named:.3f} s")


if __name__ == "__main__":
    main()
