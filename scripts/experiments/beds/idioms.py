#!/usr/bin/env python3
"""Kernels of LIAR (Van der Cruysse and Dubach, CGO 2024) by the rules of `idioms`: the call of a library that does the work
of loops, and of stencils whose radius grows, as loops over windows and as sums that are written out.

    scripts/experiments/beds/idioms.py [--radii 1 2 3 4 5] [--memory 1GiB] [--scheduler simple]

The table says what was found, after how many iterations, at how many e-nodes, by how many different steps, and the
milliseconds of all iterations (the median of five runs).

Makes the table of docs/results.md, "Stencils become library calls", with --radii 1 2 3 5 8. Needs a release build, no data and no
packages; a second.
"""
import argparse
import json
import pathlib
import statistics

from program import run

ROOT = pathlib.Path(__file__).resolve().parents[3]
KERNELS = [
    ("axpy", "(build n i (+ (get y i) (* a (get x i))))", "(axpy n a x y)"),
    ("gemv", "(build m i (+ (* a (ifold n 0 j (step s (+ s (* (get (get A i) j) (get x j)))))) (* b (get y i))))",
     "(gemv m n a A x b y)"),
    ("gemv without a rest", "(build m i (ifold n 0 j (step s (+ s (* (get (get A i) j) (get x j))))))",
     "(gemv m n 1 A x 0 (zeros m))"),
    ("gemm", "(build m i (build n j (+ (* b (get (get C i) j)) (* a (ifold k 0 l (step s (+ s (* (get (get A i) l) (get (get B j) l)))))))))",
     "(gemm m n k a A B b C)"),
    ("gemm without a rest", "(build m i (build n j (ifold k 0 l (step s (+ s (* (get (get A i) l) (get (get B l) j)))))))",
     "(gemm m n k 1 A (transpose n k B) 0 (zero-rows m n))"),
]


def at(index, by):
    return f"(plus {index} {by})" if by != 0 else index


def total(products):
    """Their sum, from left to right."""
    first, *others = products
    for product in others:
        first = f"(+ {first} {product})"
    return first


def stencils(radius):
    """Stencils of this radius, in one and two dimensions, and the calls that do their work."""
    k = 2 * radius + 1
    window = range(k)
    one, two = f"(conv1d n {k} w x)", f"(conv2d m n {k} {k} w x)"
    row = f"(ifold {k} 0 q (step t (+ t (* (get (get w p) q) (get (get x (plus i p)) (plus j q))))))"
    yield "stencil, loop", f"(build n i (ifold {k} 0 q (step s (+ s (* (get w q) (get x (plus i q)))))))", one
    products = (f"(* (get w {q}) (get x {at('i', q)}))" for q in window)
    yield "stencil, written out", f"(build n i {total(products)})", one
    yield "2D stencil, loops", f"(build m i (build n j (ifold {k} 0 p (step s (+ s {row})))))", two
    products = (f"(* (get (get w {p}) {q}) (get (get x {at('i', p)}) {at('j', q)}))" for p in window for q in window)
    yield "2D stencil, written out", f"(build m i (build n j {total(products)}))", two


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn", help="the program")
    parser.add_argument("--system", default="idioms")
    parser.add_argument("--radii", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--memory", default="1GiB")
    parser.add_argument("--scheduler", default="simple", choices=["simple", "backoff"])
    arguments = parser.parse_args()
    rows = [(name, "", *terms) for name, *terms in KERNELS]
    rows += sorted((name, radius, *terms) for radius in arguments.radii for name, *terms in stencils(radius))
    print("| kernel | radius | call | iterations | e-nodes | steps | ms |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, radius, start, call in rows:
        command = [arguments.cairn, "saturate", "--system", arguments.system, "--term", start, "--goal", call, "--memory", arguments.memory,
                   "--scheduler", arguments.scheduler, "--format", "json", "--quiet"]
        # The last line is of the whole search, those before it are of its iterations.
        runs = [[json.loads(line) for line in run(*command, codes=(0, 3)).splitlines()] for _ in range(5)]
        milliseconds = statistics.median(1000 * sum(line.get("seconds", 0) for line in said[:-1]) for said in runs)
        last = runs[0][-1]
        found = f"`{call}`" if last["stop"] == "goal" else f"none ({last['stop']})"
        steps = sum("rule" in step["how"] for step in last["proof"]["steps"]) if last["stop"] == "goal" else ""
        print(f"| {name} | {radius} | {found} | {last['iteration']} | {last['e_nodes']:,} | {steps} | {milliseconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
