#!/usr/bin/env python3
"""Tensor graphs: the rules and networks of TENSAT (Yang et al., MLSys 2021), and the e-graphs that TENSAT left in extraction-gym.

    scripts/experiments/published/tensor_graphs.py rules    --tensat REPO --out DIR
    scripts/experiments/published/tensor_graphs.py egraphs  --gym REPO --out DIR
    scripts/experiments/published/tensor_graphs.py networks --tensat REPO --gym REPO --out DIR [--networks bert …]
    scripts/experiments/published/tensor_graphs.py first    --tensat REPO --gym REPO --out DIR

REPO is a clone, or a bare git directory, of github.com/uwplse/tensat and of github.com/egraphs-good/extraction-gym. `rules` evaluates
both sides of every rule on random tensors, with the conditions that are written here and with those alone that TENSAT checks. `egraphs`
extracts from the saturated e-graphs of TENSAT, with the costs that are in them. `networks` rewrites each network, round after round, each
round with one e-graph under each scheduler and with the any-time search, at equal work. `first` extracts from the first e-graph of each
network by Cairn and by HiGHS. One run at a time, with one thread; finished runs are kept in DIR: the same command goes on where it was.

Makes the tables of docs/results.md, "Tensor graphs". Needs a release build, numpy and scipy; ten minutes of processor.
"""
import argparse
import collections
import functools
import itertools
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

import numpy
import scipy.optimize
import scipy.sparse

ROOT = pathlib.Path(__file__).resolve().parents[3]
# How many numbers come before the tensors of an operator, and how many tensors.
PARAMETERS = {"matmul": 1, "conv2d": 4, "concat": 2, "concat3": 2, "concat4": 2, "concat5": 2, "merge": 1, "reshape": 4, "transpose": 4}
TENSORS = {"relu": 1, "tanh": 1, "sigmoid": 1, "ewadd": 2, "ewmul": 2, "matmul": 2, "conv2d": 2, "enlarge": 2}


def stored(repository, path):
    """A file of a git repository, as it is at the head."""
    return subprocess.run(["git", "-C", repository, "show", f"HEAD:{path}"], check=True, capture_output=True, text=True).stdout


# --- Terms and patterns: tuples of a name and arguments; numbers are int, variables of patterns "?…".

def read(text):
    tokens = iter(re.findall(r"[()]|[^\s()]+", text))

    def after(token):
        if token != "(":
            return int(token) if re.fullmatch(r"-?\d+", token) else token
        return tuple(after(part) for part in iter(lambda: next(tokens), ")"))
    return after(next(tokens))


def text(term):
    return f"({' '.join(map(text, term))})" if isinstance(term, tuple) else str(term)


def parts(pattern):
    yield pattern
    if isinstance(pattern, tuple):
        for part in pattern[1:]:
            yield from parts(part)


def renamed(pattern, names):
    return tuple(renamed(part, names) for part in pattern) if isinstance(pattern, tuple) else names.get(pattern, pattern)


def variables(pattern):
    return sorted({part for part in parts(pattern) if isinstance(part, str) and part[0] == "?"})


# --- Shapes of patterns, as expressions over the facts of their variables.

def add(*values):
    return values[0] if len(values) == 1 else f"(+ {values[0]} {add(*values[1:])})"


def dimension(pattern, axis, rank):
    """The size of what a pattern stands for along an axis."""
    if isinstance(pattern, str):
        return f"(d{axis} {pattern})"
    operator, *arguments = pattern
    if operator in ("relu", "tanh", "sigmoid", "ewadd", "ewmul"):
        return dimension(arguments[0], axis, rank)
    if operator == "matmul":
        return dimension(arguments[2 if axis == rank - 1 else 1], axis, rank)
    if operator == "concat":
        along, _, left, right = arguments
        return add(dimension(left, axis, rank), dimension(right, axis, rank)) if axis == along else dimension(left, axis, rank)
    if operator == "conv2d":
        *_, tensor, weight = arguments
        if axis < 2:
            return dimension((tensor, weight)[axis], 0, rank)
        return dimension(tensor, axis, rank)  # padded; strides are 1 where this is asked
    if operator == "enlarge":
        return dimension(arguments[axis // 2], axis, rank)
    raise ValueError(pattern)


def first_part(pattern, axis, rank):
    """Where the last concat along an axis was cut: TASO's split remembers it, here it is a number."""
    operator, *arguments = pattern
    if operator == "concat" and arguments[0] == axis:
        return dimension(arguments[2], axis, rank)
    if operator == "relu":
        return first_part(arguments[0], axis, rank)
    if operator == "matmul":
        return first_part(arguments[1 if axis == 0 else 2], axis, rank)
    if operator == "conv2d":
        return first_part(arguments[4], 0, rank) if axis == 0 else first_part(arguments[5], 0, rank)
    raise ValueError(pattern)


def same(left, right):
    return [] if left == right else [f"(== {left} {right})"]


def checks(pattern, rank):
    """What TASO checks before it makes the operators of a pattern."""
    found = []
    for part in parts(pattern):
        if not isinstance(part, tuple):
            continue
        operator, *arguments = part
        size = lambda argument, axis: dimension(argument, axis, rank)
        if operator in ("ewadd", "ewmul"):
            for axis in range(rank):
                found += same(size(arguments[0], axis), size(arguments[1], axis))
        elif operator == "matmul":
            _, left, right = arguments
            found += same(size(left, rank - 1), size(right, rank - 2))
            for axis in range(rank - 2):
                found += same(size(left, axis), size(right, axis))
        elif operator == "concat":
            along, _, left, right = arguments
            for axis in range(rank):
                found += same(size(left, axis), size(right, axis)) if axis != along else []
        elif operator == "conv2d":
            *_, tensor, weight = arguments
            channels, each, filters = size(tensor, 1), size(weight, 1), size(weight, 0)
            found += [f"(== (% {channels} {each}) 0)"] if channels != each else []
            found += [f"(== (% {filters} (/ {channels} {each})) 0)"] if channels != each else []
        elif operator == "enlarge":
            for axis in (2, 3):
                small, large = size(arguments[0], axis), size(arguments[1], axis)
                found += [f"(<= {small} {large})"]
    return list(dict.fromkeys(found))


def of_groups(pattern, rank):
    """What else must hold where a convolution in groups of channels meets a concat of channels or of filters."""
    found = []
    for part in parts(pattern):
        if isinstance(part, tuple) and part[0] == "conv2d":
            tensor, weight = part[5:]
            size = lambda argument, axis: dimension(argument, axis, rank)
            joined = lambda argument, axis: isinstance(argument, tuple) and argument[0] == "concat" and argument[1] == axis
            if tensor == weight:
                continue
            if joined(tensor, 1) and joined(weight, 1):
                for side in (3, 4):
                    found += same(size(tensor[side], 1), size(weight[side], 1))
            elif joined(tensor, 1) and joined(weight, 0):
                filters = [f"(* {size(weight[side], 0)} {size(tensor[7 - side], 1)})" for side in (3, 4)]
                found += same(*filters)
                for side in (3, 4):
                    found += [f"(== (% {size(tensor[side], 1)} {size(weight, 1)}) 0)"]
            elif joined(weight, 0):
                found += same(size(tensor, 1), size(weight, 1))
            if any(isinstance(inner, tuple) and inner[0] == "enlarge" for inner in parts(weight)):
                found += [f"(== (% {size(inner, axis)} 2) 1)" for inner in parts(weight) if isinstance(inner, str) for axis in (2, 3)]
    return list(dict.fromkeys(found))


def placed(pattern, rank):
    """A pattern in which splits say where they cut."""
    if not isinstance(pattern, tuple):
        return pattern
    if pattern[0] in ("split_0", "split_1"):
        _, (_, axis, whole) = pattern
        return (pattern[0], axis, ("compute", first_part(whole, axis, rank)), placed(whole, rank))
    return tuple(placed(part, rank) for part in pattern)


def ranks(sides):
    """The numbers of axes that a rule is about: those of its concats and convolutions, else of any tensors that fit."""
    named = {part[2] for part in parts(sides) if isinstance(part, tuple) and part[0] == "concat"}
    operators = {part[0] for part in parts(sides) if isinstance(part, tuple)}
    return sorted(named | ({4} if "conv2d" in operators else set())) or ([2, 3] if "matmul" in operators else [0])


def tensat_rules(repository):
    """The rules as (name, left, right, rank, conditions of TASO, further ones). Two patterns that match together are arguments of `both`."""
    single = [tuple(map(read, line.split("=>"))) for line in stored(repository, "converted.txt").splitlines() if line]
    several = [tuple(map(read, line.split("=>"))) for line in stored(repository, "converted_multi.txt").splitlines() if line]
    found, seen = [], set()

    def keep(name, left, right):
        for rank in ranks((left, right)):
            names = {name: f"?{place}" for place, name in enumerate(dict.fromkeys(part for part in parts(left) if str(part)[0] == "?"))}
            key = (renamed(left, names), renamed(right, names), rank)
            if key not in seen and left != right:
                seen.add(key)
                further = of_groups(right, rank) + of_groups(left, rank)
                found.append((f"{name}:{rank}", left, placed(right, rank), rank, checks(right, rank), list(dict.fromkeys(further))))

    for number, (left, right) in enumerate(single, 1):
        keep(f"one-{number}", left, right)
    large, small = "?large", "?small"
    wide = ("concat", 0, 4, ("enlarge", small, large), large)
    for act in (0, 2):
        conv = lambda weight: ("conv2d", 1, 1, 0, act, "?x", weight)
        several += [(conv(small), ("split_0", ("split", 1, conv(wide)))), (conv(large), ("split_1", ("split", 1, conv(wide))))]
    for number, ((one, new_one), (two, new_two)) in enumerate(zip(several[::2], several[1::2]), 1):
        if any(isinstance(part, tuple) and part[0] == "split" for part in parts(new_one)):
            keep(f"two-{number}", ("both", one, two), ("both", new_one, new_two))
        else:
            keep(f"two-{number}a", one, new_one)
            keep(f"two-{number}b", two, new_two)
    return found


HEAD = """(sort Tensor)
(sort Number)
(sort Pair)
(literal i64 Number)
(variable Tensor)
(op input (Number Number Number Number Tensor) Tensor)
(op weight (Number Number Number Number Tensor) Tensor)
(op ewadd (Tensor Tensor) Tensor)
(op ewmul (Tensor Tensor) Tensor)
(op relu (Tensor) Tensor)
(op tanh (Tensor) Tensor)
(op sigmoid (Tensor) Tensor)
(op dropout (Tensor) Tensor)
(op batchnorm (Tensor Tensor Tensor Tensor Tensor) Tensor)
(op matmul (Number Tensor Tensor) Tensor)
(op conv2d (Number Number Number Number Tensor Tensor) Tensor)
(op enlarge (Tensor Tensor) Tensor)
(op merge (Number Tensor) Tensor)
(op poolmax (Tensor Number Number Number Number Number) Tensor)
(op poolavg (Tensor Number Number Number Number Number) Tensor)
(op concat (Number Number Tensor Tensor) Tensor)
(op concat3 (Number Number Tensor Tensor Tensor) Tensor)
(op concat4 (Number Number Tensor Tensor Tensor Tensor) Tensor)
(op concat5 (Number Number Tensor Tensor Tensor Tensor Tensor) Tensor)
(op split_0 (Number Number Tensor) Tensor)
(op split_1 (Number Number Tensor) Tensor)
(op reshape (Number Number Number Number Tensor) Tensor)
(op transpose (Number Number Number Number Tensor) Tensor)
(op noop (Tensor Tensor) Tensor)
(op both (Tensor Tensor) Pair)
(op first (Pair) Tensor)
(op second (Pair) Tensor)
(rewrite (first (both ?a ?b)) ?a :name first)
(rewrite (second (both ?a ?b)) ?b :name second)
"""


def one_if(left, right):
    return f"(max 0 (- 1 (abs (- {left} {right}))))"


def facts():
    """The shape of every tensor, as facts: its rank and four sizes, 0 beyond the rank; and whether it is made of weights alone."""
    lines = [f"(analysis {name} Tensor Number :merge old)" for name in ("rank", "d0", "d1", "d2", "d3")]
    lines.append("(analysis fixed Tensor Number :merge (max old new))")
    say = lambda name, pattern, value: lines.append(f"(transfer ({name} {pattern}) {value})")
    for kind in ("input", "weight"):
        leaf = f"({kind} ?a ?b ?c ?d ?name)"
        say("rank", leaf, "(+ (+ (min 1 ?a) (min 1 ?b)) (+ (min 1 ?c) (min 1 ?d)))")
        for axis, size in enumerate(("?a", "?b", "?c", "?d")):
            say(f"d{axis}", leaf, size)
    like_first = ["(relu ?a)", "(tanh ?a)", "(sigmoid ?a)", "(dropout ?a)", "(ewadd ?a ?b)", "(ewmul ?a ?b)", "(batchnorm ?a ?s ?b ?m ?v)"]
    for pattern in like_first:
        for name in ("rank", "d0", "d1", "d2", "d3"):
            say(name, pattern, f"({name} ?a)")
    for name, count in {**TENSORS, "concat": 2, "concat3": 3, "concat4": 4, "concat5": 5, "merge": 1, "reshape": 1, "transpose": 1}.items():
        numbers = [f"?n{place}" for place in range(PARAMETERS.get(name, 0))]
        tensors = [f"?{letter}" for letter in "abcde"[:count]]
        least = functools.reduce(lambda one, other: f"(min {one} {other})", [f"(fixed {tensor})" for tensor in tensors])
        say("fixed", f"({' '.join([name, *numbers, *tensors])})", least)
    for pattern in ("(dropout ?a)", "(batchnorm ?a ?s ?b ?m ?v)", "(poolmax ?a ?kh ?kw ?sh ?sw ?pad)", "(poolavg ?a ?kh ?kw ?sh ?sw ?pad)",
                    "(split_0 ?axis ?k ?a)", "(split_1 ?axis ?k ?a)"):
        say("fixed", pattern, "(fixed ?a)")
    say("fixed", "(input ?a ?b ?c ?d ?name)", "0")
    say("fixed", "(weight ?a ?b ?c ?d ?name)", "1")
    product = "(matmul ?act ?a ?b)"
    flat = one_if("(rank ?a)", 2)
    say("rank", product, "(rank ?a)")
    say("d0", product, "(d0 ?a)")
    say("d1", product, f"(+ (* {flat} (d1 ?b)) (* (- 1 {flat}) (d1 ?a)))")
    say("d2", product, f"(* (- 1 {flat}) (d2 ?b))")
    say("d3", product, "0")
    convolution = "(conv2d ?sh ?sw ?pad ?act ?x ?w)"
    for pattern, filters, heights in ((convolution, "(d0 ?w)", ("(d2 ?w)", "(d3 ?w)")),
                                      ("(poolmax ?x ?kh ?kw ?sh ?sw ?pad)", "(d1 ?x)", ("?kh", "?kw")),
                                      ("(poolavg ?x ?kh ?kw ?sh ?sw ?pad)", "(d1 ?x)", ("?kh", "?kw"))):
        say("rank", pattern, "4")
        say("d0", pattern, "(d0 ?x)")
        say("d1", pattern, filters)
        for axis, stride, kernel in ((2, "?sh", heights[0]), (3, "?sw", heights[1])):
            whole = f"(/ (- (+ (d{axis} ?x) {stride}) 1) {stride})"
            inner = f"(+ 1 (/ (- (d{axis} ?x) {kernel}) {stride}))"
            say(f"d{axis}", pattern, f"(+ (* (- 1 ?pad) {whole}) (* ?pad {inner}))")
    for count, name in ((2, "concat"), (3, "concat3"), (4, "concat4"), (5, "concat5")):
        arguments = [f"?{letter}" for letter in "abcde"[:count]]
        pattern = f"({name} ?axis ?n {' '.join(arguments)})"
        say("rank", pattern, "?n")
        for axis in range(4):
            others = add(*[f"(d{axis} {argument})" for argument in arguments[1:]])
            say(f"d{axis}", pattern, f"(+ (d{axis} ?a) (* {one_if('?axis', axis)} {others}))")
    for name in ("split_0", "split_1"):
        pattern = f"({name} ?axis ?k ?a)"
        say("rank", pattern, "(rank ?a)")
        for axis in range(4):
            here = one_if("?axis", axis)
            cut = "?k" if name == "split_0" else f"(- (d{axis} ?a) ?k)"
            say(f"d{axis}", pattern, f"(+ (* {here} {cut}) (* (- 1 {here}) (d{axis} ?a)))")
    say("rank", "(enlarge ?a ?b)", "4")
    say("rank", "(merge ?g ?a)", "4")
    for axis in range(4):
        say(f"d{axis}", "(enlarge ?a ?b)", f"(d{axis} ?{'aabb'[axis]})")
        say(f"d{axis}", "(merge ?g ?a)", f"(* 2 (d{axis} ?a))" if axis == 1 else f"(d{axis} ?a)")
        say(f"d{axis}", "(reshape ?a ?b ?c ?d ?x)", f"?{'abcd'[axis]}")
        moved = add(*[f"(* {one_if('?' + 'abcd'[axis], source)} (d{source} ?x))" for source in range(4)])
        say(f"d{axis}", "(transpose ?a ?b ?c ?d ?x)", moved)
    say("rank", "(reshape ?a ?b ?c ?d ?x)", "(+ (+ (min 1 ?a) (min 1 ?b)) (+ (min 1 ?c) (min 1 ?d)))")
    say("rank", "(transpose ?a ?b ?c ?d ?x)", "(rank ?x)")
    return "\n".join(lines) + "\n"


def as_rule(rule):
    name, left, right, rank, taso, further = rule
    tensors = variables(left)
    conditions = ([f"(== (rank {tensors[0]}) {rank})"] if rank else []) + taso + further
    when = f" :when ({' '.join(conditions)})" if conditions else ""
    return f"(rewrite {text(left)} {text(right)} :name {name}{when})"


def merges():
    """Groups of channels of a convolution two by two, with zeros where the channels of the other group are: TENSAT's rules on `merge`."""
    for stride, act in itertools.product((1, 2), (0, 2)):
        conv = f"(conv2d {stride} {stride} 0 {act} ?x"
        groups = "(/ (d1 ?x) (d1 ?w))"
        yield (f"(rewrite {conv} ?w) {conv} (merge (compute {groups}) ?w)) :name merge-{stride}-{act}"
               f" :when ((> (d1 ?x) (d1 ?w)) (== (% {groups} 2) 0)))")


# --- What rules mean: both sides on random tensors.

class Unfit(Exception):
    """Tensors whose shapes don't fit."""


def need(holds):
    if not holds:
        raise Unfit


def convolved(tensor, weight, stride, act):
    """A convolution with zeros around, in as many groups of channels as the shapes say."""
    need(tensor.shape[1] % weight.shape[1] == 0)
    groups = tensor.shape[1] // weight.shape[1]
    need(weight.shape[0] % groups == 0)
    count, _, high, wide = tensor.shape
    filters, each, kernel_high, kernel_wide = weight.shape
    rows, columns = -(-high // stride), -(-wide // stride)
    edge = [max((out - 1) * stride + kernel - size, 0)
            for out, kernel, size in ((rows, kernel_high, high), (columns, kernel_wide, wide))]
    padded = numpy.pad(tensor, ((0, 0), (0, 0), *((total // 2, total - total // 2) for total in edge)))
    result = numpy.zeros((count, filters, rows, columns), dtype=numpy.int64)
    for group in range(groups):
        some = slice(group * filters // groups, (group + 1) * filters // groups)
        channels = padded[:, group * each:(group + 1) * each]
        for row, column in itertools.product(range(kernel_high), range(kernel_wide)):
            window = channels[:, :, row:row + (rows - 1) * stride + 1:stride, column:column + (columns - 1) * stride + 1:stride]
            result[:, some] += numpy.einsum("bchw,fc->bfhw", window, weight[some, :, row, column])
    return numpy.maximum(result, 0) if act == 2 else result


def value(term, tensors):
    if isinstance(term, (int, numpy.integer)):
        return term
    if isinstance(term, str):
        return tensors[term]
    operator, *arguments = term
    if operator == "compute":
        return computed(arguments[0] if isinstance(arguments[0], tuple) else read(arguments[0]), tensors)
    got = [value(argument, tensors) for argument in arguments]
    if operator == "relu":
        return numpy.maximum(got[0], 0)
    if operator in ("ewadd", "ewmul"):
        need(got[0].shape == got[1].shape)
        return got[0] + got[1] if operator == "ewadd" else got[0] * got[1]
    if operator == "matmul":
        _, left, right = got
        need(left.ndim == right.ndim and left.ndim in (2, 3) and left.shape[-1] == right.shape[-2] and left.shape[:-2] == right.shape[:-2])
        return left @ right
    if operator == "concat":
        axis, rank, left, right = got
        need(left.ndim == right.ndim == rank)
        need(all(left.shape[other] == right.shape[other] for other in range(rank) if other != axis))
        return numpy.concatenate((left, right), axis)
    if operator in ("split_0", "split_1"):
        axis, place, whole = got
        need(0 < place < whole.shape[axis])
        return numpy.split(whole, [place], axis)[int(operator[-1])]
    if operator == "conv2d":
        _, stride, _, act, tensor, weight = got
        need(tensor.ndim == weight.ndim == 4)
        return convolved(tensor, weight, stride, act)
    if operator == "enlarge":
        small, large = got
        edge = [large.shape[axis] - small.shape[axis] for axis in (2, 3)]
        need(min(edge) >= 0)
        return numpy.pad(small, ((0, 0), (0, 0), *((total // 2, total - total // 2) for total in edge)))
    if operator == "merge":
        groups, weight = got
        filters, each = weight.shape[:2]
        wide = numpy.zeros((filters, 2 * each, *weight.shape[2:]), dtype=numpy.int64)
        for number in range(filters):
            side = number // (filters // groups) % 2
            wide[number, side * each:(side + 1) * each] = weight[number]
        return wide
    if operator == "both":
        return got
    raise ValueError(operator)


def computed(expression, tensors):
    if isinstance(expression, int):
        return expression
    operator, *arguments = expression
    if operator == "rank":
        return tensors[arguments[0]].ndim
    if re.fullmatch(r"d\d", operator):
        shape = tensors[arguments[0]].shape
        return shape[int(operator[1])] if int(operator[1]) < len(shape) else 0
    left, right = (computed(argument, tensors) for argument in arguments)
    return {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right, "/": lambda: left // right, "%": lambda: left % right,
            "==": lambda: left == right, "<=": lambda: left <= right, ">": lambda: left > right}[operator]()


def drawn(left, rank, random):
    """Random tensors for the variables of a rule, whose shapes may fit."""
    weights = {part for whole in parts(left) if isinstance(whole, tuple) and whole[0] == "conv2d" for part in parts(whole[6])}
    palette = {}
    found = {}
    for name in variables(left):
        role = "weight" if name in weights else "tensor"
        shape = []
        for axis in range(rank or 2):
            sizes = [1, 3] if rank == 4 and axis > 1 else [1, 2, 3, 4]
            key = (axis,) if role == "tensor" or random.random() < 0.5 else (axis, role)
            if key not in palette:
                palette[key] = random.choice(sizes, size=random.choice([1, 1, 2]))
            shape.append(int(random.choice(palette[key])))
        found[name] = random.integers(-3, 4, size=shape)
    return found


def tried(left, right, rank, conditions, random, wanted=100, most=20000):
    """How many random tensors fit, and of which of these the sides differ."""
    conditions = [read(condition) for condition in conditions]
    fit = wrong = unfit = 0
    for _ in range(most):
        if fit == wanted:
            break
        tensors = drawn(left, rank, random)
        try:
            before = value(left, tensors)
        except Unfit:
            continue
        if not all(computed(condition, tensors) for condition in conditions):
            continue
        fit += 1
        try:
            after = value(right, tensors)
        except Unfit:
            unfit += 1
            continue
        pairs = zip(before, after) if isinstance(before, list) else [(before, after)]
        wrong += not all(numpy.array_equal(one, other) for one, other in pairs)
    return fit, wrong, unfit


def tell_rules(arguments):
    random = numpy.random.default_rng(0)
    rules = tensat_rules(arguments.tensat)
    merged = [read(line) for line in merges()]
    rules += [(f"merge-{number}", line[1], line[2], 4, [text(condition) for condition in line[6]], []) for number, line in enumerate(merged)]
    counts = collections.Counter()
    for name, left, right, rank, taso, further in rules:
        full = tried(left, right, rank, taso + further, random)
        less = tried(left, right, rank, taso, random) if further else full
        counts["rules"] += 1
        counts["never fit"] += not full[0]
        counts["wrong"] += bool(full[1] or full[2])
        counts["wrong with TENSAT's conditions"] += bool(less[1])
        if not full[0] or full[1] or full[2] or less[1] or less[2]:
            print(f"{name}\tfit, wrong, without a value: {full}; with TENSAT's conditions {less}\t{text(left)} => {text(right)}")
    print(dict(counts))
    system = arguments.out / "tensat.rules"
    system.write_text(HEAD + facts() + "\n".join([*map(as_rule, tensat_rules(arguments.tensat)), *merges()]) + "\n")
    print(system)


# --- Networks: what has a name, as an operator over numbers and names.

class Network:
    """A graph of tensors; equal nodes are one node."""

    def __init__(self):
        self.nodes, self.names, self.shapes = {}, {}, {}

    def add(self, operator, *arguments):
        node = (operator, *arguments)
        if node not in self.names:
            name = f"t{len(self.nodes)}"
            self.names[node] = name
            self.nodes[name] = node
            self.shapes[name] = shape_of(node, self.shapes)
        return self.names[node]

    def leaf(self, kind, *shape):
        count = sum(node[0] == kind for node in self.nodes.values())
        return self.add(kind, *shape, *[0] * (4 - len(shape)), f"{kind[0]}{count}")

    def conv(self, tensor, filters, kernel, stride=1, act=2, groups=1, pad=0):
        kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        weight = self.leaf("weight", filters, self.shapes[tensor][1] // groups, *kernel)
        return self.add("conv2d", stride, stride, pad, act, tensor, weight)

    def product(self, tensor, columns):
        return self.add("matmul", 0, tensor, self.leaf("weight", self.shapes[tensor][-1], columns))


def shape_of(node, shapes):
    """The shape of a node from those of its arguments; None for what is only a bundle of outputs."""
    operator, *arguments = node
    got = [shapes[argument] if isinstance(argument, str) and argument in shapes else argument for argument in arguments]
    if operator in ("input", "weight", "reshape"):
        return tuple(size for size in got[:4] if size)
    if operator == "noop":
        return None
    if operator == "matmul":
        _, left, right = got
        return left[:-1] + right[-1:]
    if operator in ("conv2d", "poolmax", "poolavg"):
        if operator == "conv2d":
            *strides, pad, _, tensor, weight = got
            filters, _, *kernel = weight
        else:
            tensor, *kernel_and_strides, pad = got
            kernel, strides, filters = kernel_and_strides[:2], kernel_and_strides[2:], tensor[1]
        sizes = [(size - side) // stride + 1 if pad else -(-size // stride) for size, side, stride in zip(tensor[2:], kernel, strides)]
        return (tensor[0], filters, *sizes)
    if operator.startswith("concat"):
        axis, _, first, *others = got
        return first[:axis] + (first[axis] + sum(other[axis] for other in others),) + first[axis + 1:]
    if operator in ("split_0", "split_1"):
        axis, place, whole = got
        return whole[:axis] + (place if operator == "split_0" else whole[axis] - place,) + whole[axis + 1:]
    if operator == "transpose":
        *order, tensor = got
        return tuple(tensor[axis] for axis in order if axis >= 0)
    if operator == "enlarge":
        return got[0][:2] + got[1][2:]
    if operator == "merge":
        return (got[1][0], 2 * got[1][1], *got[1][2:])
    return got[0]


def of_taso(serialised):
    """A network in the format of TASO's files: a number, an operator, the operands, parameters."""
    network, made = Network(), {}
    lines = serialised.splitlines()
    order = lambda parameters: parameters[1:-1] if parameters[0] + 2 == len(parameters) else parameters[:-1]  # some files have the number first
    for number, kind, operands, parameters in zip(*[iter(lines)] * 4):
        parameters = [int(part) for part in parameters.split(",")]
        operands = [made.get(part.split(":")[0]) for part in operands.split(",")]
        add = network.add
        made[number] = {
            "0": lambda: network.leaf("input", *parameters),
            "1": lambda: network.leaf("weight", *parameters),
            "3": lambda: add("conv2d", *parameters[8:12], *operands[:2]),
            "4": lambda: add("dropout", operands[0]),
            "6": lambda: add("poolmax", operands[0], *parameters[5:10]),
            "7": lambda: add("poolavg", operands[0], *parameters[5:10]),
            "8": lambda: add("relu", operands[0]),
            "12": lambda: add("concat" + str(len(operands)).replace("2", ""), parameters[0], len(network.shapes[operands[0]]), *operands),
            "14": lambda: add("reshape", *parameters, *[0] * (4 - len(parameters)), operands[0]),
            "15": lambda: add("transpose", *order(parameters), *[-1] * (4 - len(order(parameters))), operands[0]),
            "18": lambda: add("matmul", 0, *operands),
        }[kind]()
    return network, ends(network)


def ends(network):
    """All outputs as one, as TENSAT bundles them."""
    used = {argument for node in network.nodes.values() for argument in node[1:] if isinstance(argument, str)}
    outputs = [name for name, node in network.nodes.items() if name not in used and node[0] not in ("weight", "input")]
    return functools.reduce(lambda one, other: network.add("noop", one, other), outputs)


def nasrnn(cells, width=512):
    network = Network()
    inputs = [network.leaf("input", 1, width) for _ in range(cells)]
    state = network.leaf("weight", 1, width)
    for tensor in inputs:
        add = network.add
        gates = [add("ewadd", network.product(tensor, width), network.product(state, width)) for _ in range(8)]
        left = add("ewadd", add("relu", gates[0]), add("sigmoid", gates[3]))
        right = add("ewadd", add("sigmoid", gates[1]), add("tanh", gates[2]))
        upper = add("ewmul", add("sigmoid", gates[4]), add("tanh", gates[5]))
        lower = add("ewmul", add("sigmoid", gates[6]), add("relu", gates[7]))
        middle = add("ewadd", add("sigmoid", right), add("tanh", upper))
        outer = add("ewmul", add("tanh", left), add("tanh", lower))
        state = add("tanh", add("ewmul", add("tanh", middle), add("tanh", outer)))
    return network, state


def residual(first, groups, wide, expansion):
    """ResNet-50 and ResNeXt-50: blocks of three convolutions and what goes past them."""
    network = Network()
    tensor = first(network)
    for stage, blocks in enumerate((3, 4, 6, 3)):
        filters = wide << stage
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            inner = network.conv(network.conv(tensor, filters, 1), filters, 3, stride, groups=groups)
            inner = network.conv(inner, filters * expansion, 1, act=0)
            if stride > 1 or network.shapes[tensor][1] != filters * expansion:
                tensor = network.conv(tensor, filters * expansion, 1, stride)
            tensor = network.add("relu", network.add("ewadd", tensor, inner))
    return network, tensor


def stem(network):
    tensor = network.conv(network.leaf("input", 1, 3, 224, 224), 64, 7, 2)
    return network.add("poolmax", tensor, 3, 3, 2, 2, 0)


def nasnet():
    """NasNet-A as TENSAT has it: three times five normal cells and a reduction."""
    network = Network()
    add, shapes = network.add, network.shapes

    def separable(tensor, filters, kernel, stride):
        inner = network.conv(tensor, filters, kernel, stride, act=0, groups=filters)
        return network.conv(inner, filters, 1, act=0)

    def pair(before, now, filters):
        now = network.conv(now, filters, 1)
        fits = shapes[before][2] == shapes[now][2]
        return network.conv(before, filters, 1 if fits else 3, 1 if fits else 2), now

    tensor = stem(network)
    for stage in range(3):
        filters = 128 << stage
        before = now = tensor
        for _ in range(5):
            last = now
            past, here = pair(before, now, filters)
            pool = lambda whole: add("poolavg", whole, 3, 3, 1, 1, 0)
            some = lambda whole: separable(whole, filters, 3, 1)
            sums = [(some(here), here), (some(past), some(here)), (pool(here), past), (pool(past), pool(past)), (some(past), some(past))]
            now = add("concat5", 1, 4, *[add("ewadd", *both) for both in sums])
            before = last
        filters *= 2
        past, here = pair(before, now, filters)
        one = add("ewadd", separable(past, filters, 7, 2), separable(here, filters, 5, 2))
        two = add("ewadd", add("poolmax", here, 3, 3, 2, 2, 0), separable(past, filters, 7, 2))
        three = add("ewadd", add("poolavg", here, 3, 3, 2, 2, 0), separable(past, filters, 5, 2))
        four = add("ewadd", add("poolmax", here, 3, 3, 2, 2, 0), separable(one, filters, 3, 1))
        five = add("ewadd", add("poolavg", one, 3, 3, 1, 1, 0), two)
        tensor = add("concat5", 1, 4, one, two, three, four, five)
    return network, tensor


def networks(repository):
    of_file = lambda name: lambda: of_taso(stored(repository, f"model/{name}.model"))
    return {
        "bert": of_file("bts"), "resnet50": lambda: residual(lambda network: network.leaf("input", 1, 64, 56, 56), 1, 64, 4),
        "vgg": of_file("vgg"), "nasrnn": lambda: nasrnn(5), "resnext50": lambda: residual(stem, 32, 128, 2),
        "squeezenet": of_file("squeezenet"), "inceptionv3": of_file("inceptionv3"), "nasneta": nasnet,
    }


# --- What an operator costs, in nanoseconds: as TENSAT's authors measured it, or what was fitted to these measurements.

def egraph(repository, name):
    """The e-nodes of a file of extraction-gym, as (operator, class, classes of the arguments, cost, text), and the class of the root."""
    data = json.loads(stored(repository, f"data/tensat/{name}.json"))
    nodes = data["nodes"]
    rows = [(re.split(r"[(\[]", node["op"])[0].lower(), node["eclass"], [nodes[child]["eclass"] for child in node["children"]], node["cost"], node["op"])
            for node in nodes.values()]
    return rows, data["root_eclasses"][0]


def sized(rows):
    """The shape, number or name of every class."""
    known = {}

    def of_row(kind, children, words):
        if kind == "num":
            return int(re.search(r"-?\d+", words)[0])
        if kind == "var":
            return re.search(r'"(.*)"', words)[1]
        got = [known.get(child) for child in children]
        if None in got:
            return None
        if kind in ("input", "weight", "reshape"):
            return tuple(int(size) for size in got[-1].split("@")[-1].split("_"))
        if kind == "noop":
            return (0,)
        if kind == "transpose":
            return tuple(got[0][int(axis)] for axis in got[1].split("_"))
        if kind == "merge":
            return (got[0][0], got[0][1] * got[1], *got[0][2:])
        if kind == "poolmax":
            got = got[:6]
        if kind.startswith("split"):
            return ("split",) if kind == "split" else None
        places = [f"t{place}" if isinstance(size, tuple) else size for place, size in enumerate(got)]
        return shape_of((kind, *places), {f"t{place}": size for place, size in enumerate(got) if isinstance(size, tuple)})

    while True:
        before = len(known)
        for kind, group, children, _, words in rows:
            if group not in known:
                found = of_row(kind, children, words)
                if found is not None:
                    known[group] = found
        if len(known) == before:
            return known


PUBLISHED = {"bert": ["bert", "bert_acyclic"], "resnet50": ["resnet50", "resnet50_acyclic"], "vgg": ["vgg", "vgg_acyclic"]}
UNKNOWN = 4000000000  # of an operator with shapes that were not measured, where others of it were: it is never chosen
COSTLY = ("matmul", "conv2d", "relu", "ewadd", "poolmax", "concat")


def measured_costs(repository, names):
    """The median cost of each operator with numbers and shapes, in nanoseconds, from e-graphs of extraction-gym."""
    found = collections.defaultdict(list)
    for name in names:
        rows, _ = egraph(repository, name)
        shapes = sized(rows)
        for kind, _, children, cost, _ in rows:
            if kind in COSTLY and kind != "concat":
                arguments = [shapes[child] for child in children]
                found[kind, *(arguments[:6] if kind == "poolmax" else arguments)].append(cost * 1e6)
    return {key: round(float(numpy.median(costs))) for key, costs in found.items()}


def effort(kind, arguments):
    """Operations of small kernels, operations of large kernels, bytes."""
    tensors = [argument for argument in arguments if isinstance(argument, tuple)]
    places = [f"t{place}" if isinstance(argument, tuple) else argument for place, argument in enumerate(arguments)]
    out = shape_of((kind, *places), {f"t{place}": argument for place, argument in enumerate(arguments) if isinstance(argument, tuple)})
    moved = 4 * sum(int(numpy.prod(shape)) for shape in [*tensors, out])
    if kind == "matmul":
        return 2 * int(numpy.prod(out)) * tensors[0][-1], 0, moved
    if kind == "conv2d":
        each = 2 * int(numpy.prod(out)) * tensors[1][1] * tensors[1][2] * tensors[1][3]
        return (each, 0, moved) if tensors[1][2] * tensors[1][3] == 1 else (0, each, moved)
    return 0, 0, moved


def fitted(table):
    """For each kind, what a call, a thousand operations of both sorts and a thousand bytes cost, in 1/1000 ns; and the median relative error."""
    found, errors = {}, {}
    for kinds in (("matmul",), ("conv2d",), ("relu", "ewadd", "poolmax")):
        rows = [(effort(key[0], key[1:]), cost) for key, cost in table.items() if key[0] in kinds]
        factors = numpy.array([[1, *(part / 1e3 for part in parts)] for parts, _ in rows])
        costs = numpy.array([cost for _, cost in rows])
        weights, _ = scipy.optimize.nnls(factors / costs[:, None], numpy.ones(len(rows)))
        weights = [round(1000 * weight) for weight in weights]
        error = float(numpy.median(abs(factors @ numpy.array(weights) / 1000 / costs - 1)))
        for kind in kinds:
            found[kind], errors[kind] = weights, (len(rows), error)
    return found, errors


ELEMENTWISE = {"relu": 1, "tanh": 1, "sigmoid": 1, "ewadd": 2, "ewmul": 2, "batchnorm": 1}


def price(node, shapes, table, fit, fixed):
    """What a node costs: Cairn computes the same from `costs`."""
    kind, *arguments = node
    got = [shapes.get(argument, argument) if isinstance(argument, str) else argument for argument in arguments]
    if (kind, *got) in table:
        return table[kind, *got]
    like = "relu" if kind in ELEMENTWISE or kind.startswith("concat") else "poolmax" if kind == "poolavg" else kind
    if any(kind == other for other, *_ in table):
        return UNKNOWN
    if like not in fit or kind.startswith("concat") and (table or fixed):
        return 30 if kind.startswith("concat") and table else 0
    if kind in ("batchnorm",):
        got = got[:1]
    small, large, moved = effort(kind, got)
    call, *rates = fit[like]
    return (call * 1000 + small * rates[0] + large * rates[1] + moved * rates[2]) // 1000000


def multiplied(*values):
    return values[0] if len(values) == 1 else f"(* {values[0]} {multiplied(*values[1:])})"


def costs(table, fit):
    """The costs of operators as expressions over facts."""
    lines = []

    def say(pattern, kind, small, large, moved, entries):
        call, *rates = fit[kind]
        terms = [str(call * 1000)] + [f"(* {rate} {part})" for rate, part in zip(rates, (small, large, moved)) if rate and part != "0"]
        general = f"(/ {add(*terms)} 1000000)"
        if entries:
            unknown = f"(* {UNKNOWN} (max 0 (- 1 {balanced([test for test, _ in entries])})))"
            general = f"(+ {unknown} {balanced([f'(* {cost} {test})' for test, cost in entries])})"
        lines.append(f"(cost {pattern} {general} :name ns)")

    def balanced(values):
        if len(values) == 1:
            return values[0]
        return f"(+ {balanced(values[:len(values) // 2])} {balanced(values[len(values) // 2:])})"

    def equal(pairs):
        return f"(max 0 (- 1 {balanced([f'(abs (- {left} {right}))' for left, right in pairs])}))"

    def entries(kind, names):
        """Tests of the shapes in the table: of all numbers, and of all sizes of tensors."""
        found = []
        for (other, *arguments), cost in table.items():
            if other == kind:
                pairs = []
                for name, argument in zip(names, arguments):
                    if isinstance(argument, tuple):
                        pairs += [(f"(d{axis} {name})", argument[axis] if axis < len(argument) else 0) for axis in range(4)]
                    else:
                        pairs.append((name, argument))
                found.append((equal(pairs), cost))
        return found

    volume = lambda name: multiplied(*[f"(max 1 (d{axis} {name}))" for axis in range(4)])
    for kind, count in ELEMENTWISE.items():
        names = ["?a", "?b"][:count]
        pattern = f"({kind} {' '.join(names)})" if kind != "batchnorm" else "(batchnorm ?a ?s ?b ?m ?v)"
        say(pattern, "relu" if kind != "ewadd" else "ewadd", "0", "0", f"(* {4 * (count + 1)} {volume('?a')})", entries(kind, names))
    last = f"(+ (* {one_if('(rank ?a)', 2)} (d1 ?a)) (* {one_if('(rank ?a)', 3)} (d2 ?a)))"
    wide = f"(+ (* {one_if('(rank ?b)', 2)} (d1 ?b)) (* {one_if('(rank ?b)', 3)} (d2 ?b)))"
    made = f"(* (/ {volume('?a')} {last}) {wide})"
    say("(matmul ?act ?a ?b)", "matmul", f"(* 2 (* {made} {last}))", "0", f"(* 4 (+ {made} (+ {volume('?a')} {volume('?b')})))",
        entries("matmul", ["?act", "?a", "?b"]))

    def out(axis, kernel, stride):
        return f"(+ (* (- 1 ?pad) (/ (- (+ (d{axis} ?x) {stride}) 1) {stride})) (* ?pad (+ 1 (/ (- (d{axis} ?x) {kernel}) {stride}))))"

    area = multiplied("(d0 ?x)", out(2, "(d2 ?w)", "?sh"), out(3, "(d3 ?w)", "?sw"))
    made = f"(* (d0 ?w) {area})"
    work = f"(* 2 (* {made} {multiplied('(d1 ?w)', '(d2 ?w)', '(d3 ?w)')}))"
    point = one_if("(* (d2 ?w) (d3 ?w))", 1)
    say("(conv2d ?sh ?sw ?pad ?act ?x ?w)", "conv2d", f"(* {point} {work})", f"(* (- 1 {point}) {work})",
        f"(* 4 (+ {made} (+ {volume('?x')} {volume('?w')})))", entries("conv2d", ["?sh", "?sw", "?pad", "?act", "?x", "?w"]))
    for kind in ("poolmax", "poolavg"):
        made = multiplied("(d0 ?x)", "(d1 ?x)", out(2, "?kh", "?sh"), out(3, "?kw", "?sw"))
        say(f"({kind} ?x ?kh ?kw ?sh ?sw ?pad)", "poolmax", "0", "0", f"(* 4 (+ {made} {volume('?x')}))",
            entries(kind, ["?x", "?kh", "?kw", "?sh", "?sw", "?pad"]))
    for count, name in ((2, "concat"), (3, "concat3"), (4, "concat4"), (5, "concat5")):
        tensors = [f"?{letter}" for letter in "abcde"[:count]]
        pattern = f"({name} ?axis ?n {' '.join(tensors)})"
        if table:
            lines.append(f"(cost {pattern} 30 :name ns)")
        else:
            call, *rates = fit["relu"]
            least = functools.reduce(lambda one, other: f"(min {one} {other})", [f"(fixed {tensor})" for tensor in tensors])
            moved = f"(* 8 {add(*map(volume, tensors))})"
            lines.append(f"(cost {pattern} (* (- 1 {least}) (/ (+ {call * 1000} (* {rates[2]} {moved})) 1000000)) :name ns)")
    lines.append("(cost (both ?a ?b) (- 0 1) :name ns)")
    return "\n".join(lines) + "\n"


# --- Runs.

class Sized:
    """A shape, where conditions read that of a tensor."""

    def __init__(self, shape):
        self.shape, self.ndim = shape, len(shape)


def matched(pattern, argument, network, names):
    """Whether a pattern is what a node says; `names` grows."""
    if isinstance(pattern, int):
        return pattern == argument
    if isinstance(pattern, str):
        return names.setdefault(pattern, argument) == argument
    node = network.nodes.get(argument)
    return bool(node) and node[0] == pattern[0] and len(node) == len(pattern) and all(
        matched(part, other, network, names) for part, other in zip(pattern[1:], node[1:]))


def pairs(network, rules, most):
    """The pairs of nodes that a rule with two patterns is about, as far as the graph has them, and neither is computed from the other."""
    above = {}
    for name, node in network.nodes.items():
        above[name] = {name}.union(*[above[argument] for argument in node[1:] if isinstance(argument, str) and argument in above])
    found = {}
    for name, left, _, rank, taso, further in rules:
        if left[0] != "both":
            continue
        conditions = [read(condition) for condition in taso + further]
        for one in network.nodes:
            first = {}
            if not matched(left[1], one, network, first):
                continue
            for two in network.nodes:
                names = dict(first)
                if one == two or two in above[one] or one in above[two] or (two, one) in found or not matched(left[2], two, network, names):
                    continue
                sizes = {variable: Sized(network.shapes[node]) for variable, node in names.items()}
                if all(size.ndim == rank for size in sizes.values()) and all(computed(condition, sizes) for condition in conditions):
                    found[one, two] = name
    return list(found)[:most]


def system(rules, network, together, table, fit):
    """A rules file: the rules, the graph as names for its nodes, and which nodes to look at in pairs."""
    lines = [HEAD, facts(), *map(as_rule, rules), *merges(), costs(table, fit)]
    written = {}
    for name, node in network.nodes.items():
        words = " ".join(written.get(argument, str(argument)) for argument in node[1:])
        if node[0] in ("input", "weight"):
            written[name] = f"({node[0]} {words})"
        else:
            written[name] = name
            lines += [f"(op {name} () Tensor)", f"(cost {name} (- 0 1) :name ns)", f"(given {name} ({node[0]} {words}))"]
    for one, two in together:
        both = f"(both {written[one]} {written[two]})"
        lines += [f"(given {written[one]} (first {both}))", f"(given {written[two]} (second {both}))"]
    return "\n".join(lines) + "\n"


def reached(proof):
    """The term that a proof ends with, as nodes over earlier ones; numbers and names stand for themselves."""
    terms, kept, places = proof["terms"], [], {}
    waiting = [proof["end"]]
    while waiting:
        place = waiting[-1]
        missing = [other for other in terms[place].get("args", []) if other not in places]
        waiting += missing
        if not missing:
            waiting.pop()
            if place not in places:
                places[place] = len(kept)
                kept.append([terms[place]["op"], *[places[other] for other in terms[place]["args"]]] if "op" in terms[place] else terms[place]["leaf"])
    return kept


def graph_of(nodes):
    """A network from such nodes, and its root."""
    network, made = Network(), []
    for node in nodes:
        if isinstance(node, str):
            made.append(int(node) if re.fullmatch(r"-?\d+", node) else node)
        else:
            made.append(network.add(node[0], *[made[place] for place in node[1:]]))
    return network, made[-1]


def total(network, table, fit):
    """The cost of all nodes, each once, and how much of it stands in the table."""
    fixed = {}
    whole = known = 0
    for name, node in network.nodes.items():
        operands = [fixed[part] for part in node[1:] if isinstance(part, str) and part in fixed]
        fixed[name] = node[0] == "weight" or node[0] != "input" and all(operands)
        cost = price(node, network.shapes, table, fit, fixed[name])
        whole += cost
        got = [network.shapes.get(part, part) if isinstance(part, str) else part for part in node[1:]]
        known += cost if (node[0], *got) in table or table and node[0].startswith("concat") else 0
    return whole, known / max(whole, 1)


def measured(path, command, seconds):
    """What a command said last, with its seconds of processor and the most MiB that it took, unless it is known."""
    if not path.exists():
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit) as child:
            said = child.stdout.read()
            wrong = child.stderr.read()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode < 0 or not said.strip():
            last = {"ended": wrong.strip()[-200:] or "out of time", "best": [], "work": 0, "peak_bytes": 0, "e_graphs": 0}
        else:
            last = json.loads(said.splitlines()[-1])
        # No term was found; or it has no cost, since its tree costs more than a number holds, and nothing better was found.
        last["best"] = last["best"] or [{"cost": {}, "work": 0}]
        if "proof" in last:
            last["reached"] = reached(last.pop("proof"))
        last |= {"seconds": used.ru_utime + used.ru_stime, "resident": used.ru_maxrss / 1024}
        path.write_text(json.dumps(last))
    return json.loads(path.read_text())


METHODS = {
    "simple": ["--scheduler", "simple", "--no-ranker"],
    "back-off": ["--scheduler", "backoff", "--no-ranker"],
    "search": ["--no-ranker"],
    "ranker any": ["--scheduler", "mixed", "--ranker", "any"],
}


def tell_networks(arguments):
    rules = tensat_rules(arguments.tensat)
    published = {name: measured_costs(arguments.gym, files) for name, files in PUBLISHED.items()}
    fit, errors = fitted({key: cost for table in published.values() for key, cost in table.items()})
    for kind, (count, error) in errors.items():
        print(f"{kind}: {count} measured, fitted {fit[kind]}, median error {error:.0%}")
    print("| network | nodes | search | cost before, ms | after, ms | ratio | rounds | work | e-graphs | MiB | seconds | the last round ended |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name, make in networks(arguments.tensat).items():
        if name not in arguments.networks:
            continue
        table = published.get(name, {})
        start, root = make()
        before, known = total(start, table, fit)
        for method in arguments.methods:
            network, top, best = start, root, before
            work = seconds = e_graphs = memory = 0
            for turn in range(1, arguments.rounds + 1):
                stem = arguments.out / f"{name}-{re.sub('[^a-z-]', '', method)}-{arguments.work}-{turn}"
                together = pairs(network, rules, arguments.pairs)
                rules_file = stem.with_suffix(".rules")
                rules_file.write_text(system(rules, network, together, table, fit))
                cap = arguments.work if method in ("simple", "back-off") else arguments.cap
                said = measured(stem.with_suffix(".json"), [
                    arguments.cairn, "optimise", "--system", rules_file, "--term", top, "--cost", "ns", "--shared", "--exact-time", arguments.exact,
                    "--cap", cap, "--work", arguments.work, "--patience", "off", "--threads", 1, "--no-shorten", "--format", "json", "--quiet",
                    *METHODS[method]], arguments.seconds)
                work, e_graphs, seconds = work + said["work"], e_graphs + said["e_graphs"], seconds + said["seconds"]
                memory = max(memory, said["peak_bytes"] / 2**20)
                after = said["best"][-1]["cost"].get("ns", before)
                if after >= best:
                    break
                network, top = graph_of(said["reached"])
                counted, _ = total(network, table, fit)
                if counted != after:
                    sys.exit(f"{stem}: {after} by Cairn, {counted} by this script")
                best = after
            print(f"| {name} | {len(start.nodes)} | {method} | {before / 1e6:.3f} ({known:.0%} measured) | {best / 1e6:.3f} | {best / before:.3f} | {turn} "
                  f"| {work:,} | {e_graphs} | {memory:.1f} | {seconds:.1f} | {said['ended']} |", flush=True)


def rules_of_egraph(rows):
    """A rules file whose one e-graph is that of the rows: every class is a name, and equals each of its e-nodes."""
    operators, equal = {}, []
    for number, (kind, group, children, cost, _) in enumerate(rows):
        operator = f"{kind}:{round(cost * 1e6)}" if children else f"leaf{group}"
        operators[operator] = f"(op {operator} ({' '.join(['Tensor'] * len(children))}) Tensor :cost {round(cost * 1e6)})"
        node = f"({operator} {' '.join(f'c{child}' for child in children)})" if children else operator
        equal.append(f"(given c{group} {node} :name e{number})")
    classes = [f"(op c{group} () Tensor :cost {UNKNOWN})" for group in sorted({row[1] for row in rows})]
    return "\n".join(["(sort Tensor)", *operators.values(), *classes, *equal]) + "\n"


def best_tree(rows, root):
    """What the best tree of each class costs as a graph, where equal parts count once, in nanoseconds."""
    least, chosen = {}, {}
    changed = True
    while changed:
        changed = False
        for row in rows:
            _, group, children, cost, _ = row
            if all(child in least for child in children):
                whole = cost + sum(least[child] for child in children)
                if whole < least.get(group, float("inf")) - 1e-9:
                    least[group], chosen[group], changed = whole, row, True
    used, waiting = set(), [root]
    while waiting:
        group = waiting.pop()
        if group not in used:
            used.add(group)
            waiting += chosen[group][2]
    return round(sum(round(chosen[group][3] * 1e6) for group in used))


def by_solver(rows, root, seconds):
    """The least cost by HiGHS: an e-node of each class that is needed, without circles. What it found, what is below all, and the e-nodes."""
    classes = {group: place for place, group in enumerate(sorted({row[1] for row in rows}))}
    members = collections.defaultdict(list)
    for place, row in enumerate(rows):
        members[row[1]].append(place)
    entries, low = [], []

    def row_of(pairs, least):
        entries.extend((len(low), column, weight) for column, weight in pairs)
        low.append(least)

    row_of([(place, 1) for place in members[root]], 1)
    for place, (_, group, children, _, _) in enumerate(rows):
        for child in set(children):
            row_of([*[(other, 1) for other in members[child]], (place, -1)], 0)
            row_of([(len(rows) + classes[group], 1), (len(rows) + classes[child], -1), (place, -len(classes) - 1)], -len(classes))
    at, columns, weights = zip(*entries)
    matrix = scipy.sparse.coo_matrix((weights, (at, columns)), shape=(len(low), len(rows) + len(classes)))
    costs = numpy.array([round(row[3] * 1e6) for row in rows] + [0] * len(classes))
    before = os.times()
    found = scipy.optimize.milp(costs, constraints=scipy.optimize.LinearConstraint(matrix.tocsr(), low, numpy.inf),
                                integrality=[1] * len(rows) + [0] * len(classes),
                                bounds=scipy.optimize.Bounds(0, [1] * len(rows) + [len(classes)] * len(classes)), options={"time_limit": seconds})
    after = os.times()
    chosen = [] if found.x is None else [place for place in range(len(rows)) if found.x[place] > 0.5]
    return found.fun, found.mip_dual_bound, found.status == 0, after.user - before.user, chosen


def tell_egraphs(arguments):
    print("| e-graph | e-nodes | classes | best trees, ms | Cairn, ms | MiB | seconds | HiGHS, ms | not below, ms | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    shown = lambda cost: "-" if cost is None else f"{cost / 1e6:.4f}"
    for name in arguments.egraphs:
        rows, root = egraph(arguments.gym, name)
        rules_file = arguments.out / f"{name}.rules"
        rules_file.write_text(rules_of_egraph(rows))
        said = measured(rules_file.with_suffix(".json"), [
            arguments.cairn, "optimise", "--system", rules_file, "--term", f"c{root}", "--shared", "--exact-time", arguments.exact, "--scheduler", "simple",
            "--cap", 400000, "--patience", "off", "--no-ranker", "--threads", 1, "--no-shorten", "--format", "json", "--quiet"], 1200)
        kept = arguments.out / f"{name}-solver.json"
        if not kept.exists():
            kept.write_text(json.dumps(by_solver(rows, root, arguments.solver)))
        found, bound, proved, seconds, _ = json.loads(kept.read_text())
        print(f"| {name} | {len(rows):,} | {len({row[1] for row in rows}):,} | {shown(best_tree(rows, root))} "
              f"| {shown(said['best'][-1]['cost'].get('cost'))} ({said['ended']}) | {said['peak_bytes'] / 2**20:.1f} | {said['seconds']:.1f} "
              f"| {shown(found)}{' (proved)' if proved else ''} | {shown(bound)} | {seconds:.0f} |", flush=True)


def exported(arguments, rules_file, top):
    """The saturated e-graph of a rules file and a term, as rows of (operator, class, classes of the arguments, cost), and the class of the term."""
    path = rules_file.with_suffix(".egraph.json")
    if not path.exists():
        subprocess.run([arguments.cairn, "saturate", "--system", rules_file, "--term", top, "--cost", "ns", "--export", path],
                       check=True, capture_output=True)
    data = json.loads(path.read_text())
    nodes = data["nodes"]
    rows = [(node["op"], node["eclass"], [nodes[child]["eclass"] for child in node["children"]], node["cost"] / 1e6, "") for node in nodes.values()]
    return rows, data["root_eclasses"][0]


def solved(arguments, rules_file, rows, root):
    path = rules_file.with_suffix(".solver.json")
    if not path.exists():
        path.write_text(json.dumps(by_solver(rows, root, arguments.solver)))
    return json.loads(path.read_text())


def chosen_graph(rows, root, chosen):
    """A network from e-nodes, one of each class."""
    network, made = Network(), {}
    of_class = {rows[place][1]: rows[place] for place in chosen}

    def graph(group):
        if group not in made:
            operator, _, children, *_ = of_class[group]
            leaf = int(operator) if re.fullmatch(r"-?\d+", operator) else operator
            made[group] = network.add(operator, *map(graph, children)) if children else leaf
        return made[group]
    return network, graph(root)


def tell_first(arguments):
    """The first e-graph of each network, extracted by Cairn and by HiGHS; and rounds in which HiGHS extracts."""
    rules = tensat_rules(arguments.tensat)
    published = {name: measured_costs(arguments.gym, files) for name, files in PUBLISHED.items()}
    fit, _ = fitted({key: cost for table in published.values() for key, cost in table.items()})
    print("| network | e-nodes with a cost | before, ms | best tree, ms | Cairn, ms | seconds | HiGHS, ms | not below, ms | seconds | HiGHS, after rounds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    shown = lambda cost: "-" if cost is None else f"{cost / 1e6:.3f}"
    for name, make in networks(arguments.tensat).items():
        if name not in arguments.networks:
            continue
        table = published.get(name, {})
        network, top = make()
        before, _ = total(network, table, fit)
        costs_of_rounds = []
        for turn in range(1, arguments.rounds + 1):
            rules_file = arguments.out / f"{name}-{turn}.rules"
            rules_file.write_text(system(rules, network, pairs(network, rules, arguments.pairs), table, fit))
            rows, root = exported(arguments, rules_file, top)
            found, bound, proved, seconds, chosen = solved(arguments, rules_file, rows, root)
            if turn == 1:
                said = measured(rules_file.with_suffix(".json"), [
                    arguments.cairn, "optimise", "--system", rules_file, "--term", top, "--cost", "ns", "--shared", "--exact-time", arguments.exact,
                    "--scheduler", "simple", "--no-ranker", "--cap", arguments.work, "--work", arguments.work, "--patience", "off", "--threads", 1,
                    "--no-shorten", "--format", "json", "--quiet"], arguments.seconds)
                words = (f"| {name} | {len(rows):,} | {before / 1e6:.3f} | {shown(best_tree(rows, root))} "
                         f"| {shown(said['best'][-1]['cost'].get('ns'))} ({said['ended']}) | {said['seconds']:.1f} "
                         f"| {shown(found)}{' (proved)' if proved else ''} | {shown(bound)} | {seconds:.0f} |")
            if not chosen:
                break
            better, better_top = chosen_graph(rows, root, chosen)
            counted, _ = total(better, table, fit)
            if counted > round(found) or proved and counted < round(found):
                sys.exit(f"{rules_file}: {found} by HiGHS, {counted} by this script")
            if counted >= min([before, *costs_of_rounds]):
                break
            network, top = better, better_top
            costs_of_rounds.append(counted)
        last = f"{costs_of_rounds[-1] / 1e6:.3f}, {costs_of_rounds[-1] / before:.3f}, {len(costs_of_rounds)} rounds" if costs_of_rounds else "-"
        print(f"{words} {last} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rules", "egraphs", "networks", "first"])
    parser.add_argument("--tensat", type=pathlib.Path)
    parser.add_argument("--gym", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn")
    parser.add_argument("--networks", nargs="+", default=["bert", "resnet50", "vgg", "nasrnn", "resnext50", "squeezenet", "inceptionv3", "nasneta"])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    files = [f"{name}{kind}" for name in PUBLISHED for kind in ("_acyclic", "")]
    parser.add_argument("--egraphs", nargs="+", default=files, choices=files)
    parser.add_argument("--exact", type=int, default=60, help="seconds of Cairn's exact extraction")
    parser.add_argument("--solver", type=int, default=300, help="seconds of the solver")
    parser.add_argument("--work", type=int, default=100000, help="e-nodes of a round")
    parser.add_argument("--cap", type=int, default=10000, help="e-nodes of one e-graph of a search")
    parser.add_argument("--rounds", type=int, default=5, help="at most")
    parser.add_argument("--pairs", type=int, default=1000, help="at most, of a round")
    parser.add_argument("--seconds", type=int, default=300, help="at most, of a run")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    {"rules": tell_rules, "egraphs": tell_egraphs, "networks": tell_networks, "first": tell_first}[arguments.what](arguments)


if __name__ == "__main__":
    main()
