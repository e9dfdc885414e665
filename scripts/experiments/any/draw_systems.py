#!/usr/bin/env python3
"""Draws rewrite systems at random, each with a finite model in which not everything is equal.

    scripts/experiments/any/draw_systems.py --count 256 --out DIR [--seed 0]

A model comes first: one to three sorts, each a set of 2 to 16 values (numbers modulo n, sets, relations, functions from a
set to itself, or nothing but values), and two to twelve operators with their tables (sums, minima, unions,
compositions, closures, or drawn at random). All laws of a catalogue that hold in the model, and equations between small terms
that do, are candidates; some of each become rules, in one direction or both. So no system makes all terms equal, and what
its rules prove is true of the model. DIR gets NAME.rules, with the model in a comment.

`learn_any.py` learns on these; docs/results.md, "A ranker for every system". Needs numpy; seconds.
"""
import argparse
import itertools
import pathlib
import random

import numpy

#: Values of a sort at most, so that a law with three variables is 4,096 sums.
MOST = 16


class Sort:
    """A set of values, and what is known to do on it."""

    def __init__(self, name, kind, rng):
        self.name, self.kind = name, kind
        # Whether 0 and 1 are literals instead of operators.
        self.literals = kind == "numbers" and rng.random() < 0.5
        points = 2
        if kind == "numbers":
            self.size = rng.randint(2, 7)
        elif kind == "sets":
            self.bits = rng.choice([2, 3])
            self.size = 1 << self.bits
        elif kind == "relations":
            self.size = 1 << (points * points)
        elif kind == "functions":
            self.size = points**points if rng.random() < 0.5 else 27
            if self.size > MOST:
                self.size = 4
        else:
            self.size = rng.randint(2, 5)
        self.values = numpy.arange(self.size)

    def binary(self, rng):
        """Names and tables of what there is on two values of the sort."""
        n, (a, b) = self.size, numpy.meshgrid(self.values, self.values, indexing="ij")
        drawn = numpy.array([[rng.randrange(n) for _ in range(n)] for _ in range(n)])
        symmetric = numpy.triu(drawn) + numpy.triu(drawn, 1).T
        any_sort = {"symmetric": symmetric, "drawn": drawn, "larger": numpy.maximum(a, b),
                    "smaller": numpy.minimum(a, b)}
        if self.kind == "numbers":
            return {"plus": (a + b) % n, "times": (a * b) % n, "minus": (a - b) % n, "max": numpy.maximum(a, b),
                    "min": numpy.minimum(a, b), "symmetric": symmetric, "monus": numpy.maximum(a - b, 0),
                    "distance": numpy.abs(a - b), "power": numpy.vectorize(lambda x, y: pow(int(x), int(y), n))(a, b) % n}
        if self.kind == "sets":
            return {"or": a | b, "and": a & b, "xor": a ^ b, "without": a & ~b, "implies": (~a | b) & (n - 1),
                    "nand": ~(a & b) & (n - 1), "overwrite": numpy.where(b == 0, a, b)}
        if self.kind == "relations":
            return {"or": a | b, "and": a & b, "then": self.then(a, b), "without": a & ~b,
                    "residual": ~self.then(self.converse(a), ~b & 15) & 15}
        if self.kind == "functions":
            return {"then": numpy.vectorize(self.compose)(a, b), "pick": numpy.where(a == 0, b, a)}
        return any_sort

    @staticmethod
    def then(a, b):
        """The composition of relations on two points, four bits each."""
        bit = lambda x, i, j: x >> (2 * i + j) & 1
        return sum((bit(a, i, 0) & bit(b, 0, j) | bit(a, i, 1) & bit(b, 1, j)) << (2 * i + j)
                   for i in range(2) for j in range(2))

    @staticmethod
    def converse(a):
        return (a & 9) | (a >> 1 & 2) | (a << 1 & 4)

    @staticmethod
    def compose(f, g):
        """g after f, of functions from two points to themselves."""
        image = lambda h, x: h >> x & 1
        return sum(image(g, image(f, x)) << x for x in range(2))

    def unary(self, rng):
        """The same on one value."""
        n, a = self.size, self.values
        order = list(range(n))
        rng.shuffle(order)
        onto = numpy.array([rng.randrange(n) for _ in range(n)])
        drawn = {"permuted": numpy.array(order), "projected": numpy.where(onto[onto] == onto, onto, a), "drawn": onto}
        if self.kind == "numbers":
            return drawn | {"neg": -a % n, "next": (a + 1) % n, "square": a * a % n, "other": n - 1 - a, "double": 2 * a % n}
        if self.kind == "sets":
            return {"not": ~a & (n - 1), "full": numpy.where(a > 0, n - 1, 0), "turn": (a << 1 & (n - 1)) | a >> (self.bits - 1)}
        if self.kind == "relations":
            star = a | 9
            star = star | self.then(star, star)
            return {"star": star, "converse": self.converse(a), "not": ~a & 15, "domain": self.then(a, 15 + 0 * a) & 9}
        if self.kind == "functions":
            return {"twice": numpy.vectorize(self.compose)(a, a), "permuted": numpy.array(order)}
        return drawn

    def constants(self):
        n = self.size
        by_kind = {"numbers": [0, 1 % n, n - 1], "sets": [0, n - 1], "relations": [0, 9, 15], "functions": [2]}
        return by_kind.get(self.kind, [0, n - 1])


class Operator:
    def __init__(self, name, args, result, table, what):
        self.name, self.args, self.result, self.table, self.what = name, args, result, table, what


def draw_signature(rng):
    """Sorts and operators with their tables."""
    kinds = ["numbers", "numbers", "sets", "sets", "relations", "functions", "values"]
    sorts = [Sort(f"S{i}", rng.choice(kinds), rng) for i in range(rng.choice([1, 1, 1, 2, 2, 3]))]
    operators, names = [], itertools.count()

    def add(args, result, table, what):
        operators.append(Operator(f"op{next(names)}", args, result, numpy.asarray(table), what))

    wanted = rng.randint(2, 12)
    for sort in sorts:
        binary, unary = sort.binary(rng), sort.unary(rng)
        for what in rng.sample(sorted(binary), min(len(binary), rng.choice([1, 2, 2, 3]))):
            add([sort, sort], sort, binary[what], what)
        for what in rng.sample(sorted(unary), min(len(unary), rng.choice([0, 1, 1, 2]))):
            add([sort], sort, unary[what], what)
        for value in rng.sample(sorted(set(sort.constants())), min(len(set(sort.constants())), rng.choice([0, 1, 1, 2, 2]))):
            add([], sort, value, f"value {value}")
            if sort.literals and value < 2:
                operators[-1].name = str(value)
    for _ in range(3):
        if len(operators) >= wanted or len(sorts) < 2:
            break
        a, b = rng.sample(sorts, 2)
        how = rng.choice(["map", "act", "test", "choose"])
        if how == "map":
            table = a.values % b.size if rng.random() < 0.7 else [rng.randrange(b.size) for _ in a.values]
            add([a], b, table, "map")
        elif how == "act":
            shift = numpy.add.outer(a.values, b.values) % b.size
            keep = numpy.where(a.values[:, None] == 0, b.values[None], 0 * b.values[None])
            add([a, b], b, rng.choice([shift, keep]), "act")
        elif how == "test":
            add([a, a], b, numpy.where(numpy.equal.outer(a.values, a.values), b.size - 1, 0), "test")
        else:
            table = numpy.where((a.values == 0)[:, None, None], b.values[None, None], b.values[None, :, None])
            add([a, b, b], b, numpy.broadcast_to(table, (a.size, b.size, b.size)), "choose")
    rng.shuffle(operators)
    return sorts, operators


# Terms are variables, (sort, number), or (operator, terms…).
def sort_of(term):
    return term[0].result if isinstance(term[0], Operator) else term[0]


def variables(term):
    if isinstance(term[0], Operator):
        return [v for child in term[1:] for v in variables(child)]
    return [term]


def size(term):
    return 1 + sum(map(size, term[1:])) if isinstance(term[0], Operator) else 1


def values(term, order):
    """What it is for all values of the variables, by axis."""
    if not isinstance(term[0], Operator):
        shape = [1] * len(order)
        shape[order.index(term)] = term[0].size
        return term[0].values.reshape(shape)
    children = [values(child, order) for child in term[1:]]
    return term[0].table[tuple(numpy.broadcast_arrays(*children))] if children else numpy.full([1] * len(order), term[0].table)


def holds(left, right):
    order = sorted(set(variables(left) + variables(right)), key=lambda v: (v[0].name, v[1]))
    a, b = values(left, order), values(right, order)
    return bool(numpy.equal(*numpy.broadcast_arrays(a, b)).all())


def text(term):
    if not isinstance(term[0], Operator):
        return f"?{term[0].name.lower()}{term[1]}"
    return f"({term[0].name} {' '.join(map(text, term[1:]))})" if len(term) > 1 else term[0].name


def renamed(term, known):
    """The term with a variable's place among those that are known as its number."""
    if isinstance(term[0], Operator):
        return (term[0], *(renamed(child, known) for child in term[1:]))
    return (term[0], known.index(term))


def catalogue(operators):
    """Laws by name as pairs of terms, whether they hold or not."""
    binary = [op for op in operators if len(op.args) == 2]
    unary = [op for op in operators if len(op.args) == 1]
    constants = [(op,) for op in operators if not op.args]

    def fits(term):
        return not isinstance(term[0], Operator) or (
            len(term) - 1 == len(term[0].args)
            and all(fits(child) and sort_of(child) is want for child, want in zip(term[1:], term[0].args)))

    def laws():
        for f in binary:
            s, t = f.args
            x, y, z, u = (s, 0), (s, 1), (s, 2), (t, 0)
            w, v = (t, 1), (t, 2)
            yield "commutative", (f, x, y), (f, y, x)
            yield "associative", (f, (f, x, y), z), (f, x, (f, y, z))
            yield "permuted", (f, x, (f, y, u)), (f, y, (f, x, u))
            yield "idempotent", (f, x, x), x
            yield "collapsed", (f, x, (f, x, u)), (f, x, u)
            for c in constants:
                yield "unit", (f, c, u), u
                yield "unit", (f, x, c), x
                yield "zero", (f, c, u), c
                yield "zero", (f, x, c), c
                yield "cancels", (f, x, x), c
            for h in unary:
                yield "inverse", (f, (h, x), (f, x, u)), u
                yield "homomorphism", (h, (f, x, w)), (f, (h, x), (h, w))
                yield "homomorphism", (h, (f, x, w)), (f, (h, w), (h, x))
                yield "pulled", (h, (f, x, w)), (f, (h, x), w)
                yield "pushed", (f, (h, x), w), (f, x, (h, w))
                yield "fixed", (f, x, (h, x)), (h, x)
                yield "absorbed", (f, x, (h, x)), x
                for c in constants:
                    yield "inverse", (f, x, (h, x)), c
                    yield "inverse", (f, (h, x), x), c
                    yield "shift", (h, x), (f, x, c)
                for g in binary:
                    yield "de Morgan", (h, (f, x, w)), (g, (h, x), (h, w))
                    yield "definition", (f, x, w), (g, x, (h, w))
            for g in binary:
                if g is not f:
                    p, q = (g.args[0], 3), (g.args[1], 4)
                    yield "distributes", (f, x, (g, p, q)), (g, (f, x, p), (f, x, q))
                    yield "distributes", (f, (g, p, q), w), (g, (f, p, w), (f, q, w))
                    yield "absorbs", (f, x, (g, x, q)), x
                    yield "absorbs", (f, x, (g, p, x)), x
                    yield "acts", (f, (g, p, q), w), (f, p, (f, q, w))
                    yield "exchanged", (f, x, (g, p, q)), (g, p, (f, x, q))
                    yield "modular", (f, x, (g, p, (f, x, v))), (f, (g, p, x), v)
        for h in unary:
            x = (h.args[0], 0)
            yield "involution", (h, (h, x)), x
            yield "projection", (h, (h, x)), (h, x)
            yield "constant image", (h, (h, (h, x))), (h, x)
            for c in constants:
                for d in constants:
                    yield "image", (h, c), d
            for g in unary:
                if g is not h:
                    yield "inverses", (h, (g, x)), x
                    yield "commuting", (h, (g, x)), (g, (h, x))
                    yield "last wins", (h, (g, x)), (g, x)
        for op in operators:
            if len(op.args) == 3 and op.args[1] is op.args[2]:
                c, a, b, d = (op.args[0], 0), (op.args[1], 0), (op.args[1], 1), (op.args[1], 2)
                yield "choice", (op, c, a, a), a
                yield "choice", (op, c, (op, c, a, b), d), (op, c, a, d)
                for k in constants:
                    yield "choice", (op, k, a, b), a
                    yield "choice", (op, k, a, b), b
                for f in unary:
                    yield "choice", (f, (op, c, a, b)), (op, c, (f, a), (f, b))
                for f in binary:
                    if f.args[0] is op.args[1]:
                        w = (f.args[1], 3)
                        yield "choice", (f, (op, c, a, b), w), (op, c, (f, a, w), (f, b, w))

    for name, left, right in laws():
        if fits(left) and fits(right) and sort_of(left) is sort_of(right) and left != right:
            yield name, left, right


def draw_term(operators, sort, nodes, rng):
    fitting = [op for op in operators if op.result is sort and len(op.args) < nodes]
    if nodes <= 1 or not fitting:
        constants = [op for op in operators if op.result is sort and not op.args]
        return (rng.choice(constants),) if constants and rng.random() < 0.2 else (sort, rng.randrange(3))
    op = rng.choice(fitting)
    rest, children = nodes - 1, []
    for i, want in enumerate(op.args):
        part = rest if i + 1 == len(op.args) else rng.randint(1, max(1, rest - (len(op.args) - i - 1)))
        rest -= part
        children.append(draw_term(operators, want, part, rng))
    return (op, *children)


def free_equations(sorts, operators, rng, count):
    """Equations between small terms that hold in the model."""
    by_values, found = {}, []
    for _ in range(3_000):
        sort = rng.choice(sorts)
        term = draw_term(operators, sort, rng.randint(1, 7), rng)
        order = [(s, i) for s in sorts for i in range(3)] if len(sorts) == 1 else sorted(
            set(variables(term)), key=lambda v: (v[0].name, v[1]))
        if numpy.prod([v[0].size for v in order], dtype=float) > 20_000:
            continue
        axes = tuple((v[0].name, v[1]) for v in order)
        full = numpy.broadcast_to(values(term, order), [v[0].size for v in order]) if order else values(term, order)
        key = (sort.name, axes, full.tobytes())
        same = by_values.setdefault(key, [])
        for other in same[:3]:
            left, right = (term, other) if size(term) >= size(other) else (other, term)
            if left != right and set(variables(right)) <= set(variables(left)) and isinstance(left[0], Operator):
                found.append(("free", left, right))
        same.append(term)
    rng.shuffle(found)
    return found[:count]


def draw_system(rng):
    """The text of a system; nothing if too little holds."""
    sorts, operators = draw_signature(rng)
    laws = [law for law in catalogue(operators) if holds(law[1], law[2])]
    rng.shuffle(laws)
    keep = rng.uniform(0.5, 1.0)
    chosen = [law for law in laws if rng.random() < keep][:30]
    chosen += [law for law in free_equations(sorts, operators, rng, rng.randint(0, 6)) if holds(law[1], law[2])]
    # How often what makes terms larger is a rule, too.
    lines, seen, grows = [], [], rng.uniform(0.4, 1.0)

    def add(left, right, name):
        known = list(dict.fromkeys(variables(left)))
        if not isinstance(left[0], Operator) or not set(variables(right)) <= set(known):
            return
        shape = [text(renamed(side, known)) for side in (left, right)]
        if shape not in seen:
            seen.append(shape)
            lines.append(f"(rewrite {' '.join(shape)})  ; {name}")

    for name, left, right in chosen:
        add(left, right, name)
        back = 0.9 if size(right) == size(left) else grows if len(right) > 1 else 0.0
        if rng.random() < back and name not in ("commutative",):
            add(right, left, name)
    useful = {name for name, *_ in chosen}
    if len(lines) < 4 or len(useful) < 3:
        return None
    head = [f"; Drawn at random. Its model: {', '.join(f'{s.name} are {s.size} {s.kind}' for s in sorts)};",
            f"; {', '.join(f'{op.name} is {op.what}' for op in operators)}.", ""]
    head += [f"(sort {s.name})" for s in sorts] + [f"(variable {s.name})" for s in sorts]
    head += [f"(literal i64 {s.name})" for s in sorts if s.literals] + [""]
    declared = [op for op in operators if not op.name.isdigit()]
    head += [f"(op {op.name} ({' '.join(s.name for s in op.args)}) {op.result.name})" for op in declared]
    return "\n".join(head + [""] + lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    made = tried = 0
    while made < args.count:
        system = draw_system(random.Random(f"{args.seed} {tried}"))
        tried += 1
        if system:
            (args.out / f"drawn-{made:03}.rules").write_text(system)
            made += 1
    print(f"{made} systems of {tried} tried")


if __name__ == "__main__":
    main()
