#!/usr/bin/env python3
"""Kernels of signal processing as scalar terms, made into vector programs by the rules beside this file: the kernels, the sizes and
the cost of Diospyros (VanHattum et al., ASPLOS 2021), which Isaria (ASPLOS 2024) has, too.

    scripts/experiments/published/vectors.py --out DIR [--isaria ISARIA] [--only choose learn test]

`choose` tries strategies on kernels of other sizes and other kernels, `learn` learns a ranker from the same, `test` runs all methods
on the published kernels. With --isaria, a git directory of sgpthomas/comp-gen, the costs and the memory that its authors
measured stand beside ours. Each answer is evaluated on random inputs beside the kernel, and its cost is counted again.

Makes the tables of docs/results.md, "Vectorisation". Needs a release build and pyarrow and `time` of Debian, no data; an hour on one core. Finished runs
are kept in DIR: the same command goes on where it was.
"""
import argparse
import csv
import io
import json
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys

import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/experiments"))
from rules_text import parsed

RULES = pathlib.Path(__file__).with_name("vectors.rules")
CONVOLUTIONS = [(3, 3, 2, 2), (3, 3, 3, 3), (3, 5, 3, 3), (4, 4, 3, 3), (8, 8, 3, 3), (10, 10, 2, 2), (10, 10, 3, 3),
                (10, 10, 4, 4), (16, 16, 2, 2), (16, 16, 3, 3), (16, 16, 4, 4)]
PRODUCTS = [(2, 2, 2), (2, 3, 3), (3, 3, 3), (4, 4, 4), (8, 8, 8), (10, 10, 10), (16, 16, 16)]


# Terms are tuples, numbers and names; sums and products are folded as far as one side is 0 or 1.

def add(a, b):
    return b if a == 0 else a if b == 0 else a + b if number(a) and number(b) else ("+", a, b)


def sub(a, b):
    return a if b == 0 else neg(b) if a == 0 else a - b if number(a) and number(b) else ("-", a, b)


def mul(a, b):
    return 0 if a == 0 or b == 0 else b if a == 1 else a if b == 1 else ("*", a, b)


def neg(a):
    return ("neg", a)


def number(a):
    return isinstance(a, int)


def total(terms):
    """Their sum, from the right."""
    whole = terms[-1]
    for term in reversed(terms[:-1]):
        whole = add(term, whole)
    return whole


def array(name, length):
    return [("Get", name, at) for at in range(length)]


def matrix(name, rows, columns):
    flat = array(name, rows * columns)
    return [flat[row * columns:(row + 1) * columns] for row in range(rows)]


def times(left, right):
    return [[total([mul(a, b) for a, b in zip(row, column)]) for column in zip(*right)] for row in left]


# Kernels: lists of outputs, each of which is padded to whole vectors.

def convolution(rows, columns, high, wide):
    image, mask = matrix("A", rows, columns), matrix("B", high, wide)
    return [[total([mul(image[y - v][x - u], mask[v][u]) for v in reversed(range(high)) for u in reversed(range(wide))
                    if 0 <= y - v < rows and 0 <= x - u < columns])
             for y in range(rows + high - 1) for x in range(columns + wide - 1)]]


def product(rows, inner, columns):
    return [sum(times(matrix("A", rows, inner), matrix("B", inner, columns)), [])]


def cross(a, b):
    return [sub(mul(a[1], b[2]), mul(a[2], b[1])), sub(mul(a[2], b[0]), mul(a[0], b[2])), sub(mul(a[0], b[1]), mul(a[1], b[0]))]


def quaternion():
    """Of two rotations with translations: the quaternions are A and C, the translations B and D."""
    p, s, q, t = array("A", 4), array("B", 3), array("C", 4), array("D", 3)
    turned = [sub(total([mul(p[3], q[i]), mul(p[i], q[3]), mul(p[j], q[k])]), mul(p[k], q[j]))
              for i, j, k in [(0, 1, 2), (1, 2, 0), (2, 0, 1)]]
    last = mul(p[3], q[3])
    for i in range(3):
        last = sub(last, mul(p[i], q[i]))
    twice = [mul(2, x) for x in cross(p, t)]
    again = cross(p, twice)
    return [[*turned, last], [add(s[i], total([t[i], mul(p[3], twice[i]), again[i]])) for i in range(3)]]


def norm(vector):
    return ("sqrt", total([mul(x, x) for x in vector]))


def orthogonal(n):
    """Q and R by Householder's reflections."""
    start = rest = matrix("A", n, n)
    whole = [[int(i == j) for j in range(n)] for i in range(n)]
    for k in range(n - 1):
        column = [rest[i][k] for i in range(k, n)]
        length = mul(neg(("sgn", column[0])), norm(column))
        across = [add(column[0], length), *column[1:]]
        size = norm(across)
        unit = [("/", x, size) for x in across]
        turn = [[int(i == j) if min(i, j) < k else sub(int(i == j), mul(2, mul(unit[i - k], unit[j - k]))) for j in range(n)] for i in range(n)]
        whole, rest = times(turn, whole) if k else turn, times(turn, rest)
    return [[whole[j][i] for i in range(n) for j in range(n)], sum(rest, [])]


def complexes(count):
    """Products of pairs of complex numbers."""
    return [sum(([sub(mul(a, c), mul(b, d)), add(mul(a, d), mul(b, c))]
                 for (a, b), (c, d) in zip(matrix("A", count, 2), matrix("B", count, 2))), [])]


def crosses(count):
    return [sum((cross(a, b) for a, b in zip(matrix("A", count, 3), matrix("B", count, 3))), [])]


def normalised(length):
    vector = array("A", length)
    return [[("/", x, norm(vector)) for x in vector]]


def inverse():
    """Of a matrix of two rows."""
    (a, b), (c, d) = matrix("A", 2, 2)
    whole = sub(mul(a, d), mul(b, c))
    return [[("/", d, whole), ("/", neg(b), whole), ("/", neg(c), whole), ("/", a, whole)]]


def moved(rows):
    """A matrix times a vector, from another vector."""
    turned = times(matrix("A", rows, rows), [[x] for x in array("B", rows)])
    return [[sub(x, row[0]) for x, row in zip(array("C", rows), turned)]]


MADE = {"2DConv": convolution, "MatMul": product, "QProd": quaternion, "QR": orthogonal, "complex": complexes, "cross": crosses,
        "normalise": normalised, "inverse": inverse, "residual": moved}


def published():
    return [("2DConv", *size) for size in CONVOLUTIONS] + [("MatMul", *size) for size in PRODUCTS] + [("QProd",), ("QR", 3)]


def drawn():
    """Other sizes of the published kernels, and other kernels."""
    draw = random.Random(1)
    found = []
    while len(found) < 8:
        high, wide = draw.randint(2, 4), draw.randint(2, 4)
        size = (draw.randint(high, 9), draw.randint(wide, 9), high, wide)
        if size not in CONVOLUTIONS and ("2DConv", *size) not in found:
            found.append(("2DConv", *size))
    while len(found) < 16:
        size = (draw.randint(2, 7), draw.randint(2, 7), draw.randint(2, 7))
        if size not in PRODUCTS and ("MatMul", *size) not in found:
            found.append(("MatMul", *size))
    return found + [("QR", 2), ("complex", 2), ("complex", 4), ("cross", 1), ("cross", 2), ("normalise", 3), ("normalise", 4),
                    ("inverse",), ("residual", 3), ("residual", 4)]


LARGE = [("2DConv", 14, 14, 3, 3), ("MatMul", 12, 12, 12)]


def called(kernel):
    name, *size = kernel
    shape = {"2DConv": "{}x{} by {}x{}", "MatMul": "{0}x{1} by {1}x{2}"}.get(name, "{}" if size else "")
    return f"{name} {shape.format(*size)}".strip()


def text(term, known=None):
    known = {} if known is None else known
    if not isinstance(term, tuple):
        return str(term)
    if id(term) not in known:
        known[id(term)] = f"({' '.join(text(part, known) for part in term)})"
    return known[id(term)]


def program(outputs):
    """Outputs as vectors of four, from the right."""
    known = {}
    padded = [text(term, known) for part in outputs for term in [*part, *[0] * (-len(part) % 4)]]
    vectors = [f"(Vec {' '.join(padded[at:at + 4])})" for at in range(0, len(padded), 4)]
    whole = vectors.pop()
    while vectors:
        whole = f"(Concat {vectors.pop()} {whole})"
    return whole


# What an answer is worth, apart from the program.

def read(words):
    """A term; equal ones are one tuple."""
    known, stack = {}, [[]]
    for word in words.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            stack.append([])
        elif word == ")":
            term = tuple(stack.pop())
            stack[-1].append(known.setdefault(term, term))
        else:
            stack[-1].append(int(word) if word.lstrip("-").isdigit() else word)
    return stack[0][0]


def parts(term):
    """Its different subterms, each after those in it."""
    seen, stack = {}, [(term, False)]
    while stack:
        part, done = stack.pop()
        if not isinstance(part, tuple) or id(part) in seen:
            continue
        if done:
            seen[id(part)] = part
        else:
            stack.append((part, True))
            stack.extend((child, False) for child in part[1:])
    return seen.values()


def easy(lane):
    return not isinstance(lane, tuple) or lane[0] == "Get"


def diospyros(term):
    """The cost of Diospyros, in thousandths."""
    costs = {}
    for part in parts(term):
        name, *inside = part
        if name == "Get":
            own = 3
        elif name == "Concat":
            own = 100
        elif name != "Vec":
            own = 1000
        elif not all(map(easy, inside)):
            own = 100_000
        else:
            arrays = {lane[1] if isinstance(lane, tuple) else lane for lane in inside if lane != 0}
            own = 1 if len(arrays) < 2 and not any(map(number, arrays)) else 100
        costs[id(part)] = own + (0 if name == "Get" else sum(costs[id(lane)] if isinstance(lane, tuple) else 1 for lane in inside))
    return costs[id(term)]


def isaria(term):
    """Isaria's cost of the same (`alternative` in its cost.rs)."""
    costs = {}
    for part in parts(term):
        name, *inside = part
        below = sum(costs[id(lane)] if isinstance(lane, tuple) else 0.001 for lane in inside)
        if name == "Get":
            own, below = 0.003, 0
        elif name == "Concat":
            own = 0.1
        elif name != "Vec":
            own = 10 if name in ("+", "-", "*", "/", "neg", "sgn", "sqrt") else 1
        elif not all(map(easy, inside)):
            own = 100 * below
        else:
            arrays = {lane[1] for lane in inside if isinstance(lane, tuple)}
            zeros = sum(lane == 0 for lane in inside)
            one = len(arrays) == 1 and zeros < 2 and zeros + sum(isinstance(lane, tuple) for lane in inside) == 4
            own = 0.001 if one else 0.1 * len(set(inside))
        costs[id(part)] = own + below
    return costs[id(term)]


def sgn(a):
    return (a > 0) - (a < 0)


LANES = {"VecAdd": lambda a, b: a + b, "VecMinus": lambda a, b: a - b, "VecMul": lambda a, b: a * b, "VecDiv": lambda a, b: a / b,
         "VecNeg": lambda a: -a, "VecSgn": sgn, "VecSqrt": math.sqrt, "VecMAC": lambda a, b, c: a + b * c,
         "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b, "neg": lambda a: -a,
         "sgn": sgn, "sqrt": math.sqrt}


def value(term, arrays):
    """The numbers that a program comes to."""
    known = {}
    for part in parts(term):
        name, *inside = part
        below = [known[id(x)] if isinstance(x, tuple) else x for x in inside]
        if name == "Get":
            known[id(part)] = arrays[inside[0]][inside[1]]
        elif name == "Vec":
            known[id(part)] = below
        elif name == "Concat":
            known[id(part)] = below[0] + below[1]
        elif name.startswith("Vec"):
            known[id(part)] = [LANES[name](*lanes) for lanes in zip(*below)]
        else:
            known[id(part)] = LANES[name](*below)
    return known[id(term)]


def near(a, b):
    return abs(a - b) <= 1e-6 * (1 + abs(a) + abs(b))


def wanted(kernel, arrays):
    """What the kernel gives on these inputs, by its definition; None for QR."""
    name, *size = kernel
    a, b, c, d = (arrays[x] for x in "ABCD")
    if name == "2DConv":
        rows, columns, high, wide = size
        out = [0.0] * ((rows + high - 1) * (columns + wide - 1))
        for at, x in enumerate(a[:rows * columns]):
            for by, y in enumerate(b[:high * wide]):
                out[(at // columns + by // wide) * (columns + wide - 1) + at % columns + by % wide] += x * y
        return out
    if name == "MatMul":
        rows, inner, columns = size
        return [sum(a[i * inner + k] * b[k * columns + j] for k in range(inner)) for i in range(rows) for j in range(columns)]
    if name == "QProd":
        def hamilton(p, q):
            (x, y, z, w), (e, f, g, h) = p, q
            return [w * e + x * h + y * g - z * f, w * f - x * g + y * h + z * e, w * g + x * f - y * e + z * h, w * h - x * e - y * f - z * g]
        # The rotation by a unit quaternion, and its formula for any: t + 2w(v × t) + 2v × (v × t).
        x, y, z, w = a[:4]
        turn = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
        return hamilton(a[:4], c[:4]) + [b[i] + sum(turn[i][j] * d[j] for j in range(3)) for i in range(3)]
    return None


def right(kernel, term):
    """Whether a program gives what the kernel does, on random inputs."""
    draw = random.Random(7)
    for _ in range(5):
        arrays = {name: [draw.uniform(-2, 2) for _ in range(256)] for name in "ABCD"}
        got = value(term, arrays)
        if kernel[0] == "QR":
            n = kernel[1]
            skip = n * n + -n * n % 4
            q, r = got[:n * n], got[skip:skip + n * n]
            ok = all(near(sum(q[i * n + k] * r[k * n + j] for k in range(n)), arrays["A"][i * n + j])
                     and near(sum(q[i * n + k] * q[j * n + k] for k in range(n)), float(i == j))
                     and (i <= j or near(r[i * n + j], 0)) for i in range(n) for j in range(n))
        else:
            want = wanted(kernel, arrays)
            ok = all(map(near, got, want)) and not any(got[len(want):]) and len(got) - len(want) < 4
        if not ok:
            return False
    return True


# Strategies.

# What is not in Diospyros without its rules of order.
OTHERS = "order", "element", "sub-add", "neg-mul", "neg-one", "zero-sgn", "zero-sqrt"
BASE = "lift pad simplify"
GROWTH = {"nothing more": "", "order": "order", "signs": "sign", "signs, elements": "sign element",
          "order, signs, elements": "order sign element", "all": "order sign element grow"}


def candidates(limit=20_000):
    """Strategies by name: which rules run beside the base, in one e-graph or in phases, with and without back-off."""
    found = {}

    def turns(more, times):
        """As Isaria does: some iterations of the scalar rules, then those that lift."""
        return f"(until-stable (phase (limit :nodes {limit} (repeat {times} (run pad simplify {more})) (until-stable (run lift pad)))))"

    for said, more in GROWTH.items():
        both = f"(until-stable (run {BASE} {more}))"
        again = f"(until-stable (phase (limit :nodes {limit} {both})))"
        first = f"(phase (until-stable (run {BASE})))"
        shapes = {"one e-graph": both, "rebasing": again}
        if more:
            shapes |= {"turns": turns(more, 2), "lift first": f"{first} {again}"}
        # With these rules the shapes above left least, so further ones were tried.
        if said == "signs, elements":
            shapes |= {f"turns of {times}": turns(more, times) for times in (1, 3, 4)}
            shapes |= {"lift first, turns of 1": f"{first} {turns(more, 1)}", "turns of 1, then rebasing": f"{turns(more, 1)} {again}"}
        for shape, strategy in shapes.items():
            found[f"{shape}: {said}"] = strategy
            if more:
                found[f"{shape}, back-off: {said}"] = f"(backoff {strategy})"
    return found


# Runs.

# What is said of a program that took more of the processor than it may.
STOPPED = 137, 152

def start(arguments, where, kernel, options):
    """One kernel by one method, unless it is done: its row, with seconds of processor. What takes too long found nothing."""
    place = arguments.out / where / called(kernel).replace(" ", "-")
    done = place / "used.json"
    if not done.exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / "term.txt").write_text(program(MADE[kernel[0]](*kernel[1:])) + "\n")
        options = [str(part).replace("RULES", applicable(kernel)).replace("OWN", applicable(kernel, OTHERS)) for part in options]
        # A program of its own says what this one took: what Python starts is never said to take less than Python itself.
        command = ["/usr/bin/time", "-f", "%U %S %M", "-o", place / "time.txt", "prlimit", f"--cpu={arguments.seconds}", arguments.cairn, "optimise",
                   "--system", RULES, "--terms", place / "term.txt", "--out", place / "run", "--threads", 1, "--cost", "cost", "--quiet", *options]
        ran = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if ran.returncode not in (0, 3, *STOPPED):
            sys.exit(f"{' '.join(map(str, command))}\n{ran.stderr.strip()}")
        user, system, most = (place / "time.txt").read_text().splitlines()[-1].split()
        done.write_text(json.dumps({"seconds": float(user) + float(system), "resident": int(most) / 1024, "code": ran.returncode}))
    said = json.loads(done.read_text())
    if said["code"] in STOPPED:
        before = diospyros(read((place / "term.txt").read_text()))
        return {**said, "cost_before": before, "cost_after": before, "work": 0, "peak_bytes": 0, "best": None, "ended": "time"}
    return {**pyarrow.parquet.read_table(place / "run/optimised.parquet").to_pylist()[0], **said}


def mean(numbers):
    return math.exp(statistics.mean(map(math.log, numbers)))


def budget(mebibytes, work):
    return ["--cap", f"{mebibytes}MiB", "--work", str(work)]


def row(*cells):
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def header(*cells):
    row(*cells)
    row(*["---"] + ["---:"] * (len(cells) - 1))


def tried(arguments, strategies, kernels, mebibytes):
    """Strategies on kernels: what is left of the cost, the work, the name and the text of the best; of equal ones the shorter."""
    found = []
    work = arguments.work * mebibytes // 64
    header("strategy", "cost left", "mean work", "largest e-graph, MiB", "seconds")
    for name, strategy in strategies.items():
        runs = [start(arguments, f"choose/{re.sub('[^a-z0-9]+', '-', name)}", kernel,
                      ["--scheduler", "simple", "--strategy", strategy, *budget(mebibytes, work)]) for kernel in kernels]
        left, spent = mean(run["cost_after"] / run["cost_before"] for run in runs), mean(run["work"] for run in runs)
        found.append((round(left, 6), spent, len(strategy), name))
        row(name, f"{100 * left:.2f} %", f"{spent:,.0f}", f"{max(run['peak_bytes'] for run in runs) / 2**20:.1f}",
            f"{sum(run['seconds'] for run in runs):.1f}")
    print()
    return min(found)[-1]


def choose(arguments):
    """The strategy that leaves least of the cost of the drawn kernels, and then the limit of its e-graphs on two large ones."""
    best = tried(arguments, candidates(), drawn(), 16)
    limits = {f"{best}, {limit}": candidates(limit)[best] for limit in (20_000, 50_000, 200_000)}
    name = tried(arguments, limits, LARGE, 64)
    (arguments.out / "chosen.json").write_text(json.dumps({"name": name, "strategy": limits[name]}))
    print(f"chosen: {name}: {limits[name]}\n")


def learn(arguments):
    """A ranker from the drawn kernels."""
    seeds = arguments.out / "seeds.txt"
    seeds.write_text("".join(program(MADE[kernel[0]](*kernel[1:])) + "\n" for kernel in drawn()))
    if not (arguments.out / "learned/ranker.json").exists():
        subprocess.run([str(part) for part in (arguments.cairn, "learn", "--system", RULES, "--seeds", seeds, "--cost", "cost", "--cap", 4000,
                                               "--work", 20_000, "--rounds", 3, "--seed", arguments.seed, "--threads", 1,
                                               "--out", arguments.out / "learned", *(["--from-nothing"] if arguments.from_nothing else []))], check=True)


def applicable(kernel, but=()):
    """The rules about operators that a kernel has: as Diospyros, those of /, neg, sgn and sqrt are left out where there are none."""
    words = set(program(MADE[kernel[0]](*kernel[1:])).replace("(", " ").split())
    found = []
    for form in parsed(RULES.read_text(encoding="utf-8")):
        if form[0] in ("rewrite", "birewrite") and not {"/", "neg", "sgn", "sqrt"} & set(flat(form[1:3])) - words:
            at = form.index(":name") + 1
            if form[at] not in but and form[-1] not in but:
                found += [form[at], f"{form[at]}-rev"] if form[0] == "birewrite" else [form[at]]
    return " ".join(found)


def flat(tree):
    return [tree] if isinstance(tree, str) else [atom for part in tree for atom in flat(part)]


def methods(arguments):
    """By name: the options, RULES for all rules that a kernel can use, OWN for those of Diospyros but of order."""
    chosen = json.loads((arguments.out / "chosen.json").read_text())["strategy"]
    work, few, memory = arguments.work, arguments.work // 5, arguments.memory

    def whole(strategy):
        return ["--scheduler", "simple", "--strategy", strategy, *budget(memory, 10_000_000_000)]

    # The ranker for any system takes the longest, and gets less.
    found = {
        f"one e-graph, {memory} MiB": whole("(until-stable (run RULES))"),
        f"back-off, {memory} MiB": whole("(backoff (until-stable (run RULES)))"),
        f"no order, {memory} MiB": whole("(until-stable (run OWN))"),
        f"base, {memory} MiB": whole(f"(until-stable (run {BASE}))"),
        f"search, work {work:,}": ["--work", work, "--no-ranker"],
        f"search, smallest first, work {work:,}": ["--work", work, "--no-ranker", "--scheduler", "mixed"],
        f"search, ranker any, work {few:,}": ["--work", few, "--ranker", "any"],
        f"search, learned ranker, work {work:,}": ["--work", work, "--ranker", arguments.out / "learned"],
        f"chosen, work {work:,}": ["--scheduler", "simple", "--strategy", chosen, *budget(64, work)],
    }
    return {name: options for name, options in found.items() if not arguments.methods or name.startswith(tuple(arguments.methods))}


def by_hand(kernel):
    """What sums of products cost at most: in each vector as many multiplications as the longest sum has."""
    if kernel[0] not in ("2DConv", "MatMul"):
        return None
    (outputs,) = MADE[kernel[0]](*kernel[1:])
    outputs += [0] * (-len(outputs) % 4)

    def products(term):
        return [] if term == 0 else [term] if term[0] == "*" else [term[1], *products(term[2])]

    whole = 0
    for at in range(0, len(outputs), 4):
        lanes = [products(term) for term in outputs[at:at + 4]]
        for step in range(max(map(len, lanes))):
            for side in (1, 2):
                whole += diospyros(("Vec", *(lane[step][side] if step < len(lane) else 0 for lane in lanes)))
            whole += 1000
    return whole + 100 * (len(outputs) // 4 - 1)


def test(arguments):
    """All methods on the published kernels."""
    kernels = published()[:arguments.first]
    found = {name: {kernel: start(arguments, f"test/{re.sub('[^a-z0-9]+', '-', name)}", kernel, options) for kernel in kernels}
             for name, options in methods(arguments).items()}
    for name, runs in found.items():
        for kernel, run in runs.items():
            if run["best"] is not None:
                term = read(run["best"])
                run["right"], run["isaria"] = right(kernel, term), isaria(term)
                if diospyros(term) != run["cost_after"]:
                    sys.exit(f"{name}, {called(kernel)}: {run['cost_after']} is said, {diospyros(term)} counted")
    header("kernel", "before", *found, "by hand")
    for kernel in kernels:
        known = by_hand(kernel)
        row(called(kernel), f"{diospyros(read(program(MADE[kernel[0]](*kernel[1:])))) / 1000:,.1f}",
            *(f"{runs[kernel]['cost_after'] / 1000:,.1f}" for runs in found.values()), f"{known / 1000:,.1f}" if known else "")
    print()
    header("method", "cost left", "beside the first", "e-graph, MiB", "most", "beside", "process, MiB", "most", "beside", "work, mean", "seconds", "right")
    first = next(iter(found.values()))
    for name, runs in found.items():
        done = [kernel for kernel in kernels if runs[kernel]["best"] is not None]

        def beside_first(what):
            return f"{100 * mean(runs[kernel][what] / first[kernel][what] for kernel in done):.1f} %"

        row(name, f"{100 * mean(runs[kernel]['cost_after'] / runs[kernel]['cost_before'] for kernel in kernels):.2f} %", beside_first("cost_after"),
            f"{mean(runs[kernel]['peak_bytes'] / 2**20 for kernel in done):.2f}", f"{max(run['peak_bytes'] for run in runs.values()) / 2**20:.1f}",
            beside_first("peak_bytes"), f"{mean(runs[kernel]['resident'] for kernel in done):.1f}",
            f"{max(run['resident'] for run in runs.values()):.1f}", beside_first("resident"),
            f"{mean(runs[kernel]['work'] for kernel in done):,.0f}", f"{sum(run['seconds'] for run in runs.values()):.1f}",
            f"{sum(run.get('right', False) for run in runs.values())} of {len(done)}")
    if arguments.isaria and not arguments.methods:
        beside(arguments, found)


def figures(arguments, name):
    said = subprocess.run(["git", "-C", arguments.isaria, "show", f"HEAD:server/figs/data/{name}.csv"], capture_output=True, text=True, check=True)
    return {(line["benchmark"], line["params"]): line for line in csv.DictReader(io.StringIO(said.stdout.strip())) if line["kernel"] in ("dios", "compgen")}


def beside(arguments, found):
    """What the authors of Isaria measured for Diospyros and for Isaria, and ours."""
    theirs, own = figures(arguments, "diospyros"), figures(arguments, "est_cycles")
    ours = next(runs for name, runs in found.items() if name.startswith("chosen"))
    print()
    header("kernel", "Diospyros, s", "GB", "saturated", "Isaria, s", "GB", "its cost", "ours by its cost", "chosen, s", "process, MiB", "work")
    for kernel, run in ours.items():
        name, *size = kernel
        key = {"2DConv": ("2d-conv", "{}x{}_{}x{}"), "MatMul": ("mat-mul", "{0}x{1}_{1}x{2}"), "QProd": ("q-prod", "0"), "QR": ("qr-decomp", "{}")}[name]
        key = key[0], key[1].format(*size)
        other, isarias = theirs[key], own[key]
        row(called(kernel), f"{float(other['eqsat_time']):.1f}", f"{float(other['max_ram_used']):.2f}", other["saturated"],
            f"{float(isarias['eqsat_time']):.1f}", f"{float(isarias['max_ram_used']):.2f}", f"{float(isarias['cost']):,.3f}", f"{run['isaria']:,.3f}",
            f"{run['seconds']:.2f}", f"{run['resident']:.0f}", f"{run['work']:,}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the directory for results")
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn", help="the program")
    parser.add_argument("--isaria", type=pathlib.Path, help="a git directory of sgpthomas/comp-gen")
    parser.add_argument("--work", type=int, default=500_000, help="e-nodes that a method may build for a kernel")
    parser.add_argument("--seconds", type=int, default=120, help="of the processor that a run may take")
    parser.add_argument("--memory", type=int, default=64, help="MiB of an e-graph of methods with one e-graph")
    parser.add_argument("--methods", nargs="*", help="test only those whose names begin so")
    parser.add_argument("--seed", type=int, default=0, help="of the learned ranker, which a directory has one of")
    parser.add_argument("--from-nothing", action="store_true", help="learn without the ranker for any system to begin with")
    parser.add_argument("--first", type=int, help="test only the first kernels, so many")
    parser.add_argument("--only", nargs="+", default=["choose", "learn", "test"])
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if "choose" in arguments.only:
        choose(arguments)
    if "learn" in arguments.only:
        learn(arguments)
    if "test" in arguments.only:
        test(arguments)


if __name__ == "__main__":
    main()
