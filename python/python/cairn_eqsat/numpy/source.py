"""A term as a Python function over arrays."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._native import Term
from .trace import Leaf, Shape, Traced

INFIX = {"add": ("+", 1), "subtract": ("-", 1), "multiply": ("*", 2), "divide": ("/", 2), "matmul": ("@", 2)}
#: How tightly an argument of a function, a sign, a power and an atom bind.
LOOSE, SIGN, TIGHT, ATOM = 0, 3, 4, 5
#: An expression nested more deeply has a name: Python can't read one that is very deep, and nobody can.
DEEPEST = 40


@dataclass(frozen=True)
class Expression:
    """What is written for a term. A term knows rows and columns; NumPy has vectors and numbers beside matrices, and dtypes."""

    text: str
    binding: int
    #: The shape that NumPy gives it: as many rows and columns as the term has, a vector as a row.
    shape: Shape
    #: Whether it is a number of Python, which takes the dtype of what it meets.
    weak: bool = False
    #: Whether it is an argument, or a view of one.
    aliases: bool = False
    depth: int = 0

    def within(self, binding: int) -> str:
        """Its text, in brackets where what is around it binds more tightly."""
        return f"({self.text})" if self.binding < binding else self.text

    def view(self, suffix: str, shape: Shape) -> Expression:
        return replace(self, text=self.within(ATOM) + suffix, binding=ATOM, shape=shape)

    def matrix(self) -> Expression:
        """With two dimensions, as `@` takes them; no number."""
        return self.view("[None, :]", (1, *self.shape)) if len(self.shape) == 1 else self


@dataclass(frozen=True)
class Written:
    """A function as text."""

    name: str
    text: str
    #: What it calls NumPy.
    module: str


def python_source(name: str, term: Term, arguments: Sequence[Leaf], leaves: dict[str, Leaf], like: Traced) -> Written:
    """A function of these arguments that computes the term, as an array like that. Parts that are needed more than once have
    names."""
    # That of a lambda is no name.
    name = name if name.isidentifier() and not keyword.iskeyword(name) else "function"
    names = [argument.name for argument in arguments]
    taken = {name, *names}
    module = next(module for module in ["np", "numpy", *(f"numpy_{i}" for i in range(len(taken)))] if module not in taken)
    writer = _Writer(term, leaves, module, taken)
    result = writer.like(writer.expression(), like).text
    return Written(name, "\n".join([f"def {name}({', '.join(names)}):", *writer.lines, f"    return {result}", ""]), module)


class _Writer:
    def __init__(self, term: Term, leaves: dict[str, Leaf], module: str, taken: set[str]) -> None:
        self.rows, self.leaves, self.module, self.taken = term.rows(), leaves, module, taken
        self.lines: list[str] = []
        self.count = 0

    def arrays(self, row: int) -> list[int]:
        """The arrays that an operation takes."""
        op, _, children = self.rows[row]
        return [] if op in ("input", "number") else [child for child in children if self.rows[child][1] == "Array"]

    def expression(self) -> Expression:
        """That of the whole; what has a name is written before."""
        root = len(self.rows) - 1
        uses: dict[int, int] = {}
        order: list[int] = []
        # Arguments before what they are arguments of; no recursion, terms may be deep.
        stack = [(root, False)]
        while stack:
            row, done = stack.pop()
            if done:
                order.append(row)
                continue
            uses[row] = uses.get(row, 0) + 1
            if uses[row] == 1:
                stack.append((row, True))
                stack.extend((child, False) for child in reversed(self.arrays(row)))
        made: dict[int, Expression] = {}
        for row in order:
            arguments = [made[child] for child in self.arrays(row)]
            depth = 1 + max((argument.depth for argument in arguments), default=-1)
            here = replace(self.written(row, arguments), depth=depth)
            if row != root and arguments and (uses[row] > 1 or depth >= DEEPEST):
                name = self.fresh()
                self.lines.append(f"    {name} = {here.text}")
                here = replace(here, text=name, binding=ATOM, depth=0)
            made[row] = here
        return made[root]

    def fresh(self) -> str:
        while f"t{self.count}" in self.taken:
            self.count += 1
        self.count += 1
        return f"t{self.count - 1}"

    def written(self, row: int, arguments: list[Expression]) -> Expression:
        """What stands for a row of the term."""
        op, _, children = self.rows[row]
        if op == "input":
            leaf = self.leaves[self.rows[children[2]][0]]
            if leaf.value is None:
                return Expression(leaf.name, ATOM, leaf.shape, aliases=True)
            return Expression(f"{self.module}.float64({leaf.value!r})", ATOM, ())
        if op == "number":
            text = repr(float(self.rows[children[0]][0]))
            return Expression(text, LOOSE if text.startswith("-") else ATOM, (), weak=True)
        first = arguments[0]
        if op == "transpose":
            return self.transposed(first)
        if op in ("matmul", "solve", "inv"):
            return self.of_matrices(op, arguments)
        shape = np.broadcast_shapes(*(argument.shape for argument in arguments))
        weak = all(argument.weak for argument in arguments)
        if op in INFIX:
            return self.infix(op, arguments, shape)
        if op == "negative":
            return Expression(f"-{first.within(SIGN)}", SIGN, shape, weak)
        if op == "power":
            return Expression(f"{first.within(ATOM)} ** {self.rows[children[1]][0]}", TIGHT, shape, weak)
        if op == "float_power" and not weak:
            return Expression(" ** ".join(argument.within(ATOM) for argument in arguments), TIGHT, shape)
        function = "power" if op == "float_power" else op
        called = self.call(function, arguments, shape)
        # NumPy makes its own number of one of Python's.
        return replace(called, text=f"{called.text}.item()", weak=True) if weak else called

    def infix(self, op: str, arguments: Sequence[Expression], shape: Shape) -> Expression:
        sign, own = INFIX[op]
        left, right = arguments
        return Expression(f"{left.within(own)} {sign} {right.within(own + 1)}", own, shape, left.weak and right.weak)

    def call(self, function: str, arguments: Sequence[Expression], shape: Shape) -> Expression:
        return Expression(f"{self.module}.{function}({', '.join(argument.text for argument in arguments)})", ATOM, shape)

    def transposed(self, array: Expression) -> Expression:
        if len(array.shape) == 2:
            return array.view(".T", array.shape[::-1])
        # A row becomes a column, a number stays what it is.
        return array.view("[:, None]", (*array.shape, 1)) if array.shape else array

    def of_matrices(self, op: str, arguments: list[Expression]) -> Expression:
        """Where an argument is a number, which stands for a matrix of one row and one column, it is all elementwise."""
        if any(argument.shape == () for argument in arguments):
            if op == "inv":
                return self.infix("divide", [Expression("1.0", ATOM, (), weak=True), *arguments], ())
            shape = np.broadcast_shapes(*(argument.shape for argument in arguments))
            return self.infix("multiply", arguments, shape) if op == "matmul" else self.infix("divide", arguments[::-1], shape)
        matrices = [argument.matrix() for argument in arguments]
        shape = (matrices[0].shape[0], matrices[-1].shape[1])
        return self.infix(op, matrices, shape) if op == "matmul" else self.call(f"linalg.{op}", matrices, shape)

    def like(self, result: Expression, like: Traced) -> Expression:
        """With the shape that is wanted; and no argument itself where none was returned before: who has the result may change
        it."""
        if result.weak:
            dtype = f"{self.module}.{np.dtype(like.dtype or np.float64)}"
            text = f"{dtype}({result.text})" if like.shape == () else f"{self.module}.full({like.shape}, {result.text}, {dtype})"
            return Expression(text, ATOM, like.shape)
        if result.shape != like.shape:
            row = len(result.shape) == 1 and len(like.shape) == 2
            result = result.matrix() if row else Expression(
                f"{self.module}.reshape({result.text}, {like.shape})", ATOM, like.shape, aliases=result.aliases)
        if result.aliases and not like.aliases:
            return replace(result, text=result.text + ".copy()" if like.shape else f"+{result.text}")
        return result
