"""Stages of a matrix multiplication: nests of loops that a program, or a class of an e-graph, has, and the sketches and
terms that say them.

A stage is (loops, end, kept). `loops` are pairs of an operator and a size, outermost first, around the arithmetic, whose `end` is an
operator of stages.rules. `kept` is None, or the number of the loop that goes through what is kept in memory and the
loops that put it there, the last of which has a third part, the width, if it copies vectors.
"""
import collections

MAPS = ("map", "mapPar")
REDUCES = ("reduceSeq", "reduceSeqUnroll")
ENDS = {"mul": "(* ? ?)", "mac": "(+ ? (contains (* ? ?)))", "vmac": "(v+ ? (contains (v* ? ?)))"}
# Loops of a stage, and stages of a class, beyond which no e-graph is read.
MOST_LOOPS = 6
MOST_STAGES = 4_000


class Product:
    """Of n × k by k × m numbers, in blocks of b, and of c."""

    def __init__(self, n, m, k, b, c):
        self.n, self.m, self.k, self.b, self.c = n, m, k, b, c
        self.names = {n: "rows", m: "columns", k: "inner", n // b: "row-blocks", m // b: "column-blocks", k // c: "chunks",
                      b: "block", c: "chunk", 1: "one"}
        self.maps = {n, m, n // b, m // b, b}
        self.reduces = {k, k // c, c}

    def term(self):
        return (f"(app (map {self.n} (lam x (app (map {self.m} (lam y (app (reduce {self.k} (each z (lam u (+ u z))) 0) "
                f"(app (map {self.k} (lam z (* (fst z) (snd z)))) (zip x y))))) (app (transpose {self.k} {self.m}) B)))) A)")

    def start(self):
        return (("map", self.n), ("map", self.m), ("map", self.k)), "mul", None

    def done(self, loops, end):
        """How much of the numbers the loops go through, of those to be computed and of those to be summed up."""
        computed = summed = 1
        for operator, size in loops:
            if operator in MAPS:
                computed *= size
            else:
                summed *= size
        return computed, summed

    def wanted(self, end):
        return self.n * self.m // (self.b if end == "vmac" else 1), self.k

    def may_have(self, loops, end):
        """Whether these may be the inner loops of a stage: only the outermost loop is parallel, only the last of vectors has
        one turn, and a product that is not summed up is not split."""
        if end == "mul":
            return loops == self.start()[0][len(self.start()[0]) - len(loops):]
        if len(loops) > MOST_LOOPS or any(operator == "mapPar" for operator, _ in loops[1:]):
            return False
        for operator, size in loops:
            sizes = self.maps if operator in MAPS else self.reduces
            if size not in sizes and not (size == 1 and end == "vmac" and loops[-1] == (operator, size)):
                return False
        return all(whole % part == 0 for whole, part in zip(self.wanted(end), self.done(loops, end)))

    def is_whole(self, stage):
        loops, end, _ = stage
        return stage == self.start() if end == "mul" else self.done(loops, end) == self.wanted(end)

    def may_keep(self, nest):
        """Whether one of the matrices may be kept like this: in blocks of columns or rows."""
        (_, outer), middle, last = nest
        size = outer * middle[1] * last[1]
        return middle == ("map", self.k) and last[0] != "mapPar" and size in (self.m * self.k, self.n * self.k)

    def named(self, stage):
        """The stage with names for sizes."""
        name = lambda loops: tuple((loop[0], *(self.names.get(size, size) for size in loop[1:])) for loop in loops)
        loops, end, kept = stage
        return name(loops), end, kept and (kept[0], name(kept[1]))

    def sized(self, stage):
        """The stage with sizes for names."""
        sizes = {name: size for size, name in self.names.items()}
        size = lambda loops: tuple((loop[0], *(sizes[name] for name in loop[1:])) for loop in loops)
        loops, end, kept = stage
        return size(loops), end, kept and (kept[0], size(kept[1]))


def stages_of(classes, root, product):
    """The stages that terms of the class `root` have, by the numbers and e-nodes of all classes; None if there are too many."""
    number = {at: int(name) for at, nodes in classes.items() for name, _ in nodes if name.isdigit()}
    vectors = collections.defaultdict(set)      # what is split into vectors: how many numbers, of which width
    turns = collections.defaultdict(set)        # sizes of maps
    for at, nodes in classes.items():
        for name, of in nodes:
            if name == "map" and of[0] in number:
                turns[at].add(number[of[0]])
            elif name == "app":
                vectors[at] |= {(number[inner[0]], number[inner[1]]) for name, inner in classes[of[0]]
                                if name == "asVector" and inner[0] in number and inner[1] in number}
    found, direct, moved, kept = (collections.defaultdict(set) for _ in range(4))

    def read(at, name, of):
        stages = found[at]
        if name in MAPS or name in REDUCES:
            if of[0] not in number:
                return
            loop = (name, number[of[0]])
            for loops, end, at_loop in found[of[1]]:
                if product.may_have((loop, *loops), end):
                    direct[at].add(((loop, *loops), end, at_loop and (at_loop[0] + 1, at_loop[1])))
            stages |= direct[at]
            if name in MAPS:
                moved[at] |= {(loop, *nest) for nest in moved[of[1]] if len(nest) < 3} | {(loop,)}
        elif name == "*":
            stages.add(((), "mul", None))
        elif name == "v*":
            stages.add(((), "vmul", None))
        elif name in ("+", "v+"):
            product_of = {"+": "mul", "v+": "vmul"}[name]
            if ((), product_of, None) in found[of[1]]:
                stages.add(((), {"+": "mac", "v+": "vmac"}[name], None))
            stages |= {stage for part in of for stage in found[part] if stage[0] or stage[1] in ("mac", "vmac")}
        elif name == "app":
            stages |= found[of[0]] | found[of[1]]
            stages |= {(loops, end, (0, nest)) for loops, end, none in direct[of[0]] if none is None and end != "mul"
                       for nest in kept[of[1]]}
            moved[at] |= {(("vectors", many, width),) for turn in turns.get(of[0], ())
                          for many, width in vectors.get(of[1], ()) if many == turn * width}
        else:
            for part in of:
                stages |= found[part]
            if name == "lam":
                moved[at] |= moved[of[0]]
            elif name == "let":
                kept[at] |= {nest for name, inner in classes[of[0]] if name == "toMem" for name, parts in classes[inner[0]]
                             if name == "app" for nest in moved[parts[0]] if len(nest) == 3 and product.may_keep(nest)}
        for part in of:
            kept[at] |= kept[part]

    tables, before = (found, direct, moved, kept), None
    while (size := sum(len(stages) for table in tables for stages in table.values())) != before:
        before = size
        for at, nodes in classes.items():
            for name, of in nodes:
                read(at, name, of)
        if max(map(len, found.values())) > MOST_STAGES:
            return None
    return {stage for stage in found[root] if product.is_whole(stage)}


def sketch(stage):
    """What a program of this stage satisfies."""
    loops, end, kept = stage
    text = ENDS[end]
    for i, (operator, size) in reversed(list(enumerate(loops))):
        text = f"({operator} {size} (contains {text}){' ?' if operator in REDUCES else ''})"
        if kept and kept[0] == i:
            text = f"(app {text} (contains (let (toMem (app {moving(kept[1])} ?)) x ?)))"
    return f"(contains {text})"


def moving(nest):
    (outer, many), (middle, each), last = nest
    if last[0] == "vectors":
        inner = f"(app (map {last[1] // last[2]} ?) (app (asVector {last[1]} {last[2]}) ?))"
        return f"({outer} {many} (contains ({middle} {each} (contains {inner}))))"
    return f"({outer} {many} ({middle} {each} ({last[0]} {last[1]} ?)))"


def of_sketch(tree):
    """The stage of a sketch, as lists of lists and atoms."""
    name, *parts = tree
    if name == "contains":
        return of_sketch(parts[0])
    if name in MAPS + REDUCES:
        loops, end, kept = of_sketch(parts[1])
        return ((name, int(parts[0])), *loops), end, kept and (kept[0] + 1, kept[1])
    if name == "app":
        loops, end, _ = of_sketch(parts[0])
        (_, (_, (_, (_, moved, _)), _, _)) = parts[1]
        return loops, end, (0, of_moving(moved))
    return {"*": ((), "mul", None), "+": ((), "mac", None), "v+": ((), "vmac", None)}[name]


def of_moving(tree):
    """The loops of a sketch of what is moved."""
    name, *parts = tree
    if name == "contains":
        return of_moving(parts[0])
    if name in MAPS:
        return ((name, int(parts[0])), *(() if parts[1] == "?" else of_moving(parts[1])))
    (_, (_, (_, many, width), _)) = parts
    return (("vectors", int(many), int(width)),)


def written(stage):
    """The stage, with names for sizes, as a term of stages.rules."""
    loops, end, kept = stage
    text = end
    for i, (operator, size) in reversed(list(enumerate(loops))):
        text = f"({operator} {size} {text})"
        if kept and kept[0] == i:
            nest = "copied"
            for loop in reversed(kept[1]):
                nest = f"({' '.join(map(str, loop))})" if loop[0] == "vectors" else f"({loop[0]} {loop[1]} {nest})"
            text = f"(kept {text} {nest})"
    return text


def of_written(tree):
    """The stage of such a term, as lists of lists and atoms; None if it is none."""
    if isinstance(tree, str):
        return ((), tree, None) if tree in ENDS else None
    name, *parts = tree
    if name in MAPS + REDUCES and isinstance(parts[0], str):
        inner = of_written(parts[1])
        return inner and (((name, parts[0]), *inner[0]), inner[1], inner[2] and (inner[2][0] + 1, inner[2][1]))
    if name == "kept":
        around, nest = of_written(parts[0]), parts[1]
        loops = []
        while isinstance(nest, list) and nest[0] in MAPS:
            loops.append((nest[0], nest[1]))
            nest = nest[2]
        if isinstance(nest, list) and nest[0] == "vectors":
            loops.append(("vectors", nest[1], nest[2]))
        return around and around[0] and len(loops) == 3 and (around[0], around[1], (0, tuple(loops))) or None
    return None
