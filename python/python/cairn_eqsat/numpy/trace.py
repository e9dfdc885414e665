"""A Python function over arrays as a term: it is called once, with stand-ins that write down what is done to them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Never, TypeGuard

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .._native import System, Term
from ..errors import CairnError

Shape = tuple[int, ...]


class NotTraced(CairnError):
    """A function does what can't be written as a term; the message says where, and what to do."""


#: NumPy's elementwise functions that the rules know, by the name of the operator.
ELEMENTWISE = {
    np.add: "add", np.subtract: "subtract", np.multiply: "multiply", np.true_divide: "divide", np.maximum: "maximum",
    np.minimum: "minimum", np.negative: "negative", np.absolute: "absolute", np.sqrt: "sqrt", np.exp: "exp", np.log: "log",
    np.sin: "sin", np.cos: "cos", np.tanh: "tanh",
}
#: What compares numbers, by the name of the function.
COMPARISONS = {"greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_not"}
#: The other functions of NumPy that the rules know, by what they are called.
OTHERS: dict[Any, str] = {
    np.transpose: "np.transpose", np.dot: "np.dot", np.linalg.solve: "np.linalg.solve", np.linalg.inv: "np.linalg.inv",
    np.linalg.multi_dot: "np.linalg.multi_dot",
}
#: Powers with whole exponents up to this one are written as such.
LARGEST_POWER = 64


@dataclass(frozen=True)
class Leaf:
    """An argument, or a number that has a dtype of its own."""

    #: The argument's name; of a number, what it is.
    name: str
    shape: Shape
    dtype: np.dtype[Any]
    #: The number, if it is one.
    value: float | None = None


class Traced(NDArrayOperatorsMixin):
    """What stands for an array: its term, its shape as NumPy has it, and its dtype, none of a Python number, which takes that
    of what it meets; and whether it is an argument itself, or a view of one."""

    def __init__(
        self, trace: Trace, term: Term, shape: Shape, dtype: np.dtype[Any] | None, *, aliases: bool = False
    ) -> None:
        self.trace, self.term, self.shape, self.dtype, self.aliases = trace, term, shape, dtype, aliases

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

    def copy(self) -> Traced:
        return Traced(self.trace, self.term, self.shape, self.dtype)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Traced:
        name = function.__name__
        if name in COMPARISONS:
            raise self.trace.refused(f"np.{name}: truth values of the numbers in an array: expected no `if`, `while`, np.where or "
                                     "comparison on arrays; np.maximum, np.minimum and np.absolute choose by numbers")
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

    def __setitem__(self, index: Any, value: Any) -> Never:
        raise self.trace.refused("a part of an array is set: expected whole arrays, which are not changed")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __getattr__(self, name: str) -> Any:
        # What an array has, and this has not; hasattr gets no answer either. Other names are no array's.
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"an array has no attribute '{name}'")
        raise self.trace.refused(f".{name} of an array: expected elementwise functions of NumPy, operators, `@`, .T, .transpose(), "
                                 ".dot(), .copy(), .shape, .ndim, .size and .dtype")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.trace.refused("an array is asked for its numbers: expected functions of NumPy, `@` and operators")

    def __float__(self) -> float:
        raise self.trace.refused("an array is asked for its number: expected functions of NumPy")

    __int__ = __index__ = __complex__ = __float__

    def __round__(self, digits: int | None = None) -> Never:
        raise self.trace.refused("an array is rounded: expected functions of NumPy that the rules know")

    def __hash__(self) -> int:
        raise self.trace.refused("an array as a key, or in a set: arrays can't be hashed")


class Trace:
    """What is known of the function that is called."""

    def __init__(self, system: System, code: CodeType) -> None:
        self.system, self.code = system, code
        #: What the terms call arguments and numbers with a dtype.
        self.leaves: dict[str, Leaf] = {}
        #: The dtypes of the arguments.
        self.dtypes: set[np.dtype[Any]] = set()

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

    def input(self, number: int, name: str, example: Any) -> Traced:
        """The stand-in for an argument."""
        if not is_plain(example):
            raise self.refused(f"argument {number} is a {type(example).__name__}: expected an array of NumPy, or a number")
        array = np.asarray(example)
        if array.dtype not in (np.float32, np.float64):
            raise self.refused(f"argument {number} is of dtype {array.dtype}: expected float32 or float64")
        if array.ndim > 2:
            raise self.refused(f"argument {number} has {array.ndim} dimensions: expected at most 2")
        leaf = Leaf(name, array.shape, array.dtype)
        self.dtypes.add(array.dtype)
        return self.leaf(f"x{number}", leaf, aliases=True)

    def leaf(self, name: str, leaf: Leaf, aliases: bool) -> Traced:
        self.leaves[name] = leaf
        term = self.system["input"](*matrix_shape(leaf.shape), name)
        return Traced(self, term, leaf.shape, leaf.dtype, aliases=aliases)

    def traced(self, value: Any) -> Traced:
        """A stand-in as it is, and a number as one."""
        if isinstance(value, Traced):
            return value
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise self.refused(f"a {type(value).__name__} in the function: expected its arguments, and numbers")
        try:
            number = float(value)
        except OverflowError:
            raise self.refused("a number beyond the largest of float64: expected a smaller one") from None
        if not np.isfinite(number):
            raise self.refused(f"the number {value}: expected a finite one")
        if self.promotes(value):
            # A number of NumPy has a dtype, to which it brings what it meets.
            if np.result_type(value.dtype, *self.dtypes) != np.float64:
                raise self.refused(f"a number of dtype {value.dtype}: expected float({number!r})")
            here = next((name for name, leaf in self.leaves.items() if leaf.value is not None and repr(leaf.value) == repr(number)),
                        f"c{len(self.leaves)}")
            return self.leaf(here, Leaf(here, (), np.dtype(np.float64), number), aliases=False)
        return Traced(self, self.system["number"](self.system.term(repr(number), "Real")), (), None)

    def promotes(self, value: Any) -> TypeGuard[np.generic]:
        """Whether a number changes the dtype of an argument that it meets. Python's numbers never do."""
        return isinstance(value, np.generic) and any(np.result_type(value.dtype, dtype) != dtype for dtype in self.dtypes)

    def elementwise(self, op: str, inputs: Sequence[Any]) -> Traced:
        arguments = [self.traced(value) for value in inputs]
        try:
            shape = np.broadcast_shapes(*(argument.shape for argument in arguments))
        except ValueError as wrong:
            raise self.refused(f"np.{op}: {wrong}") from None
        return self.result(op, arguments, shape)

    def power(self, base: Any, exponent: Any) -> Traced:
        whole = isinstance(exponent, (int, np.integer)) or isinstance(exponent, (float, np.floating)) and float(exponent).is_integer()
        if isinstance(base, Traced) and whole and 1 <= exponent <= LARGEST_POWER and not self.promotes(exponent):
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
        turned = self.result("transpose", [array], array.shape[::-1])
        turned.aliases = array.aliases
        return turned

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

    def result(self, op: str, arguments: Sequence[Traced], shape: Shape) -> Traced:
        term = self.system[op](*(argument.term for argument in arguments))
        dtypes = [argument.dtype for argument in arguments if argument.dtype is not None]
        return Traced(self, term, shape, np.result_type(*dtypes) if dtypes else None)


def is_plain(argument: Any) -> bool:
    """Whether an argument is an array as operators of NumPy mean it, or a number: those of a list, or of `np.matrix`, mean
    something else."""
    return isinstance(argument, (np.ndarray, np.generic, int, float)) and not isinstance(argument, (np.matrix, np.ma.MaskedArray))


def matrix_shape(shape: Shape) -> tuple[int, int]:
    """Rows and columns: a vector is a row, a number has one of each."""
    return (1, 1) if not shape else (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])


@dataclass(frozen=True)
class Tracing:
    """What a function gives for arguments like the examples."""

    result: Traced
    signature: inspect.Signature
    #: The arguments that examples were given for.
    arguments: list[Leaf]
    #: What inputs in terms are.
    leaves: dict[str, Leaf]
    #: Where the function is, for messages.
    place: str


def traced(system: System, function: Callable[..., Any], examples: Sequence[Any]) -> Tracing:
    """Calls a function with stand-ins for arguments like these."""
    try:
        signature = inspect.signature(function)
        code = function.__code__
    except (TypeError, ValueError, AttributeError):
        raise NotTraced(f"{function!r}: expected a function written in Python") from None
    place = f"{code.co_filename}:{code.co_firstlineno}: {function.__name__}"
    try:
        bound = signature.bind(*examples)
    except TypeError as wrong:
        raise NotTraced(f"{place}: {wrong}") from None
    if bound.kwargs or any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
        raise NotTraced(f"{place}: expected arguments by position")
    trace = Trace(system, code)
    inputs = [trace.input(number, name, example) for number, (name, example) in enumerate(bound.arguments.items())]
    for number, example in enumerate(examples):
        if isinstance(example, float) and not isinstance(example, np.generic) and np.dtype(np.float32) in trace.dtypes:
            raise NotTraced(f"{place}: argument {number} is a Python number beside arrays of float32: expected np.float32({example!r}) or "
                            f"np.float64({example!r}), which say of what dtype results are")
    arguments = list(trace.leaves.values())
    result = function(*inputs)
    if not isinstance(result, Traced):
        raise NotTraced(f"{place} gives a {type(result).__name__}: expected one array that comes of its arguments")
    return Tracing(result, signature, arguments, trace.leaves, place)
