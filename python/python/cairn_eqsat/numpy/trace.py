"""A Python function over arrays as a term: it is called once, with stand-ins that write down what is done to them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .._native import System, Term
from ..errors import CairnError


class NotTraced(CairnError):
    """A function does what can't be written as a term; the message says where, and what to do."""


#: NumPy's elementwise functions that the rules know, by the name of the operator.
ELEMENTWISE = {
    np.add: "add", np.subtract: "subtract", np.multiply: "multiply", np.true_divide: "divide", np.maximum: "maximum",
    np.minimum: "minimum", np.negative: "negative", np.absolute: "absolute", np.sqrt: "sqrt", np.exp: "exp", np.log: "log",
    np.sin: "sin", np.cos: "cos", np.tanh: "tanh",
}
#: The other functions of NumPy that the rules know, by what they are called.
OTHERS: dict[Any, str] = {
    np.transpose: "np.transpose", np.dot: "np.dot", np.linalg.solve: "np.linalg.solve", np.linalg.inv: "np.linalg.inv",
    np.linalg.multi_dot: "np.linalg.multi_dot",
}
#: Powers with whole exponents up to this one are written as such.
LARGEST_POWER = 64


class Traced(NDArrayOperatorsMixin):
    """What stands for an array: its term, its shape as NumPy has it, and its dtype."""

    def __init__(self, trace: Trace, term: Term, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.trace, self.term, self.shape, self.dtype = trace, term, shape, dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def T(self) -> Traced:
        return self.trace.transpose(self)

    def transpose(self) -> Traced:
        return self.trace.transpose(self)

    def dot(self, other: Any) -> Traced:
        return self.trace.matmul(self, other)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Traced:
        name = function.__name__
        if method != "__call__":
            raise self.trace.refused(f"np.{name}.{method}: expected elementwise functions, `@` and .T")
        if options:
            raise self.trace.refused(f"np.{name} with {', '.join(options)}: expected arrays alone")
        if function is np.matmul:
            return self.trace.matmul(*inputs)
        if function is np.power:
            return self.trace.power(*inputs)
        if function is np.square:
            return self.trace.power(inputs[0], 2)
        if function in ELEMENTWISE:
            return self.trace.elementwise(ELEMENTWISE[function], inputs)
        raise self.trace.refused(f"np.{name}: the rules know {', '.join(sorted(ELEMENTWISE.values()))}, power and matmul")

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Traced:
        name = OTHERS.get(function)
        if name is None:
            known = ", ".join(OTHERS.values())
            raise self.trace.refused(f"{function.__name__}: the rules know {known}, and elementwise functions")
        if options or len(args) > (2 if name in ("np.dot", "np.linalg.solve") else 1):
            raise self.trace.refused(f"{name} with options: expected arrays alone")
        does: Callable[..., Traced] = getattr(self.trace, {"dot": "matmul"}.get(function.__name__, function.__name__))
        return does(*args)

    def __bool__(self) -> bool:
        raise self.trace.refused("the value of an array decides what is done: expected no `if`, `while`, `and` or `or` on arrays")

    def __iter__(self) -> Any:
        raise self.trace.refused("a loop over an array: expected `for i in range(n)` with a number n")

    def __getitem__(self, index: Any) -> Any:
        raise self.trace.refused("parts of an array: expected whole arrays")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.trace.refused("an array is asked for its numbers: expected functions of NumPy, `@` and operators")

    def __float__(self) -> float:
        raise self.trace.refused("an array is asked for its number: expected functions of NumPy")

    __int__ = __index__ = __float__


class Trace:
    """What is known of the function that is called."""

    def __init__(self, system: System, code: CodeType) -> None:
        self.system, self.code = system, code

    def refused(self, why: str) -> NotTraced:
        """An error with the line of the function that is being run."""
        frame: FrameType | None = sys._getframe(1)
        line = self.code.co_firstlineno
        while frame is not None:
            if frame.f_code.co_filename == self.code.co_filename and frame.f_code is not Trace.refused.__code__:
                line = frame.f_lineno
                break
            frame = frame.f_back
        return NotTraced(f"{self.code.co_filename}:{line}: {why}")

    def input(self, number: int, example: Any) -> Traced:
        """The stand-in for an argument."""
        array = np.asarray(example)
        if array.dtype not in (np.float32, np.float64):
            raise self.refused(f"argument {number} is of dtype {array.dtype}: expected float32 or float64")
        if array.ndim > 2:
            raise self.refused(f"argument {number} has {array.ndim} dimensions: expected at most 2")
        rows, cols = matrix_shape(array.shape)
        term = self.system["input"](rows, cols, f"x{number}")
        return Traced(self, term, array.shape, array.dtype)

    def traced(self, value: Any) -> Traced:
        """A stand-in as it is, and a number as one."""
        if isinstance(value, Traced):
            return value
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise self.refused(f"a {type(value).__name__} in the function: expected its arguments, and numbers")
        if not np.isfinite(value):
            raise self.refused(f"the number {value}: expected a finite one")
        literal = self.system.term(repr(float(value)), "Real")
        # A Python number takes the dtype of what it meets.
        dtype = value.dtype if isinstance(value, np.floating) else np.dtype(np.float32)
        return Traced(self, self.system["number"](literal), (), dtype)

    def elementwise(self, op: str, inputs: Sequence[Any]) -> Traced:
        arguments = [self.traced(value) for value in inputs]
        try:
            shape = np.broadcast_shapes(*(argument.shape for argument in arguments))
        except ValueError as wrong:
            raise self.refused(f"np.{op}: {wrong}") from None
        return self.result(op, arguments, shape)

    def power(self, base: Any, exponent: Any) -> Traced:
        whole = isinstance(exponent, (int, float, np.integer, np.floating)) and float(exponent).is_integer()
        if isinstance(base, Traced) and whole and 1 <= exponent <= LARGEST_POWER:
            term = self.system["power"](base.term, int(exponent))
            return Traced(self, term, base.shape, base.dtype)
        return self.elementwise("float_power", [base, exponent])

    def matmul(self, left: Any, right: Any) -> Traced:
        a, b = self.traced(left), self.traced(right)
        if a.ndim != 2 or b.ndim != 2:
            raise self.refused(f"a product of shapes {a.shape} and {b.shape}: expected two dimensions each; v[:, None] makes a column "
                               "of a vector, before the call")
        if a.shape[1] != b.shape[0]:
            raise self.refused(f"a product of shapes {a.shape} and {b.shape}: {a.shape[1]} is not {b.shape[0]}")
        return self.result("matmul", [a, b], (a.shape[0], b.shape[1]))

    def multi_dot(self, arrays: Sequence[Any]) -> Traced:
        product = self.traced(arrays[0])
        for array in arrays[1:]:
            product = self.matmul(product, array)
        return product

    def transpose(self, value: Any) -> Traced:
        array = self.traced(value)
        if array.ndim < 2:
            return array
        return self.result("transpose", [array], array.shape[::-1])

    def solve(self, matrix: Any, right: Any) -> Traced:
        a, b = self.traced(matrix), self.traced(right)
        if a.ndim != 2 or b.ndim != 2 or a.shape[0] != a.shape[1] or a.shape[0] != b.shape[0]:
            raise self.refused(f"np.linalg.solve of shapes {a.shape} and {b.shape}: expected (n, n) and (n, k)")
        return self.result("solve", [a, b], b.shape)

    def inv(self, matrix: Any) -> Traced:
        a = self.traced(matrix)
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            raise self.refused(f"np.linalg.inv of shape {a.shape}: expected (n, n)")
        return self.result("inv", [a], a.shape)

    def result(self, op: str, arguments: Sequence[Traced], shape: tuple[int, ...]) -> Traced:
        term = self.system[op](*(argument.term for argument in arguments))
        return Traced(self, term, shape, np.result_type(*(argument.dtype for argument in arguments)))


def matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns: a vector is a row, a number has one of each."""
    return (1, 1) if not shape else (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])


def traced(system: System, function: Callable[..., Any], examples: Sequence[Any]) -> tuple[Traced, list[str]]:
    """What a function gives for arguments like these, and the names of its parameters."""
    try:
        signature = inspect.signature(function)
        code = function.__code__
    except (TypeError, ValueError, AttributeError):
        raise NotTraced(f"{function!r}: expected a function written in Python") from None
    try:
        bound = signature.bind(*examples)
    except TypeError as wrong:
        raise NotTraced(f"{code.co_filename}:{code.co_firstlineno}: {function.__name__}: {wrong}") from None
    if bound.kwargs or any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
        raise NotTraced(f"{code.co_filename}:{code.co_firstlineno}: {function.__name__}: expected arguments by position")
    trace = Trace(system, code)
    result = function(*(trace.input(number, example) for number, example in enumerate(examples)))
    if not isinstance(result, Traced):
        raise NotTraced(f"{code.co_filename}:{code.co_firstlineno}: {function.__name__} gives a {type(result).__name__}: expected one "
                        "array that comes of its arguments")
    return result, list(bound.arguments)
