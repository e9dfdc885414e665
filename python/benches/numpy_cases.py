#!/usr/bin/env python3
"""Functions over arrays before and after `cairn_eqsat.numpy.optimise`: costs, and seconds as the median of five runs.

    python3 python/benches/numpy_cases.py
"""
import itertools
import statistics
import time

import numpy as np

import cairn_eqsat.numpy as cn

RNG = np.random.default_rng(0)


def six(a, b, c, d, e, f):
    return a @ b @ c @ d @ e @ f


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def layers(x, w1, w2):
    return x @ w1 + x @ w2


def solved(a, b):
    return np.linalg.inv(a) @ b


def arrays(*shapes, dtype=np.float64):
    return [RNG.uniform(-1, 1, shape).astype(dtype) for shape in shapes]


CHAIN = list(itertools.pairwise((2000, 1500, 2000, 1000, 1500, 2000, 10)))
CASES = [
    ("six products, " + "×".join(str(m) for m, _ in CHAIN) + "×10", six, arrays(*CHAIN), {}),
    ("GELU, 1000×1000, float32", gelu, arrays((1000, 1000), dtype=np.float32), {}),
    ("the same, approximated", gelu, arrays((1000, 1000), dtype=np.float32), {"approximate": True}),
    ("x @ w1 + x @ w2, 1000×1000", layers, arrays((1000, 1000), (1000, 1000), (1000, 1000)), {}),
    ("inv(a) @ b, 1000×1000 and 1000×3, with SOLVE", solved, arrays((1000, 1000), (1000, 3)), {"rules": cn.SOLVE}),
]


def seconds(function, arguments):
    def once():
        began = time.perf_counter()
        function(*arguments)
        return time.perf_counter() - began

    return statistics.median(once() for _ in range(5))


def main():
    print("| function | cost before : after | seconds before | after | ratio | largest difference |\n| --- | --- | --- | --- | --- | --- |")
    for name, function, arguments, options in CASES:
        fast = cn.optimise(function, *arguments, **options)
        before, after = seconds(function, arguments), seconds(fast, arguments)
        report = fast.report
        difference = np.max(np.abs(function(*arguments) - fast(*arguments)))
        print(f"| {name} | {report.cost_before / report.cost:.1f} | {before:.4f} | {after:.4f} | {before / after:.1f} | {difference:.1e} |",
              flush=True)


if __name__ == "__main__":
    main()
