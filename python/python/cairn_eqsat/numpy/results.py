"""What two functions give for the same arguments, and how far rounding alone may take them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._native import Term
from ..errors import CairnError
from .trace import Leaf, NotTraced, matrix_shape

Array = np.ndarray[Any, np.dtype[Any]]

#: Differences up to this part of the largest number are reported, and no more.
SMALL = 0.01
#: How far the approximation of tanh is off, at most.
TANH_OFF = 1e-4
#: Bounds on rounding are of the first order, and operations round as they like.
MARGIN = 16


class ResultsDiffer(CairnError):
    """The optimised function does not give what the function gives: that does other things with arrays than with the stand-ins
    that it was called with, or not the same at every call; or a rule that was added is no equation."""


def compared(
    place: str,
    before: Callable[..., Any],
    after: Callable[..., Any],
    arguments: Sequence[Leaf],
    examples: Sequence[Any],
    terms: tuple[Term, Term],
    leaves: dict[str, Leaf],
    seed: int,
    approximate: bool,
) -> tuple[float, float, bool]:
    """The largest difference of the results on random arguments, the largest number there, and whether only rounding accounts
    for a difference that is large."""
    rng = np.random.default_rng(seed)
    inverts = any(op in ("solve", "inv") for op, _, _ in terms[0].rows())

    def random(leaf: Leaf) -> Any:
        drawn = np.asarray(rng.uniform(0.5, 1.5, leaf.shape)).astype(leaf.dtype)
        if inverts and len(leaf.shape) == 2 and leaf.shape[0] == leaf.shape[1]:
            # So that it has an inverse, and is far from having none.
            drawn = drawn + leaf.shape[0] * np.eye(*leaf.shape, dtype=leaf.dtype)
        return drawn[()]

    with np.errstate(all="ignore"):
        given = [random(leaf) for leaf in arguments]
        try:
            one = np.asarray(before(*given))
        except np.linalg.LinAlgError:
            given = list(examples)
            try:
                one = np.asarray(before(*given))
            except np.linalg.LinAlgError as why:
                raise NotTraced(f"{place}: {why} on random arguments and on the examples, so that nothing can be compared: expected "
                                "examples on which the function gives numbers") from None
        try:
            other = np.asarray(after(*given))
        except (ArithmeticError, TypeError, ValueError, np.linalg.LinAlgError) as why:
            raise ResultsDiffer(f"{place}: the optimised function fails on random arguments, the function does not: {why}") from None
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            raise ResultsDiffer(f"{place}: the optimised function gives {other.dtype} of shape {other.shape}, the function gives "
                                f"{one.dtype} of shape {one.shape}")
        finite = np.isfinite(one)
        value = float(np.max(np.abs(one), where=finite, initial=0.0))
        apart = np.abs(one.astype(np.float64) - other)
        difference = float(np.max(apart, where=finite & np.isfinite(other), initial=0.0))
        if np.any(finite & ~np.isfinite(other)):
            raise ResultsDiffer(f"{place}: on random arguments the optimised function gives infinities or NaN where the function gives "
                                "numbers")
        large = finite & ~(apart <= SMALL * value)
        if not np.any(large):
            return difference, value, False
        values = {name: given[arguments.index(leaf)] if leaf.value is None else leaf.value for name, leaf in leaves.items()}
        coarse = any(leaf.dtype == np.float32 for leaf in leaves.values())
        kind = np.float32 if coarse else np.float64
        allowed = rounding(terms[0], values, kind, approximate) + rounding(terms[1], values, kind, approximate)
        allowed = SMALL * value + np.broadcast_to(allowed, matrix_shape(one.shape)).reshape(one.shape)
        if np.any(large & ~(apart <= allowed)):
            raise ResultsDiffer(
                f"{place}: on random arguments the optimised function differs by {difference:.3g} from the function, whose largest "
                f"number is {value:.3g}: expected a function that does the same at every call and with every kind of array, and rules that "
                "are equations")
        return difference, value, True


def rounding(term: Term, given: dict[str, Any], dtype: type, approximate: bool) -> Array:
    """How far rounding may take the numbers of a term from those of exact arithmetic, and somewhat more; infinite where
    that is not known."""
    unit = float(np.finfo(dtype).eps)
    rows = term.rows()
    made: list[tuple[Array, Array]] = []
    nothing = np.zeros((1, 1))
    for op, sort, children in rows:
        arguments = [made[child] for child in children if rows[child][1] == "Array"]
        # Names of inputs have that sort, too.
        if sort != "Array" or not children:
            made.append((nothing, nothing))
        elif op == "input":
            value = np.asarray(given[rows[children[2]][0]], np.float64)
            made.append((value.reshape(matrix_shape(value.shape)), nothing))
        elif op == "number":
            value = np.full((1, 1), float(rows[children[0]][0]))
            made.append((value, unit * np.abs(value)))
        else:
            whole = int(rows[children[1]][0]) if op == "power" else 1
            value, off = _rounded(op, arguments, whole, unit)
            if op == "tanh" and approximate:
                off = off + TANH_OFF
            made.append((value, np.where(np.isnan(off), np.inf, off)))
    value, off = made[-1]
    return MARGIN * np.broadcast_to(off, value.shape)


def _rounded(op: str, arguments: Sequence[tuple[Array, Array]], whole: int, unit: float) -> tuple[Array, Array]:
    """The value of an operation, and how far it may be off, where its arguments are so far off."""
    (a, x), (b, y) = arguments[0], arguments[-1]
    if op == "transpose":
        return a.T, np.broadcast_to(x, a.shape).T
    if op in ("matmul", "solve", "inv"):
        x, y = np.broadcast_to(x, a.shape), np.broadcast_to(y, b.shape)
        steps = 10 * a.shape[1] * unit
        if op == "matmul":
            return a @ b, np.abs(a) @ y + x @ np.abs(b) + x @ y + steps * (np.abs(a) @ np.abs(b))
        inverted = np.linalg.inv(a)
        inverse = np.abs(inverted)
        if op == "inv":
            return inverted, inverse @ (2 * x + steps * np.abs(a)) @ inverse
        value = np.linalg.solve(a, b)
        return value, inverse @ ((2 * x + steps * np.abs(a)) @ np.abs(value) + 2 * y)
    if op == "power":
        value, off = a**whole, whole * (np.abs(a) + x) ** (whole - 1) * x
    elif op == "float_power":
        value = a**b
        off = np.where(x < a, np.abs(value) * np.expm1((np.abs(b) + y) * -np.log1p(-x / a) + y * np.abs(np.log(a))), np.inf)
    elif op == "divide":
        value = a / b
        off = np.where(y < np.abs(b), (x + np.abs(value) * y) / (np.abs(b) - y), np.inf)
    elif op == "multiply":
        value, off = a * b, np.abs(a) * y + np.abs(b) * x + x * y
    elif op == "sqrt":
        value, off = np.sqrt(a), np.sqrt(np.maximum(a, 0) + x) - np.sqrt(np.maximum(a - x, 0))
    elif op == "exp":
        value, off = np.exp(a), np.exp(a) * np.expm1(x)
    elif op == "log":
        value, off = np.log(a), np.where(x < a, -np.log1p(-x / a) + unit, np.inf)
    elif op in ("sin", "cos", "tanh"):
        value, off = getattr(np, op)(a), np.minimum(x, 2) + unit
    elif op in ("add", "subtract", "maximum", "minimum"):
        value, off = getattr(np, op)(a, b), x + y
    elif op in ("negative", "absolute"):
        value, off = getattr(np, op)(a), x
    else:
        return np.zeros((1, 1)), np.full((1, 1), np.inf)
    return value, off + 2 * whole * unit * np.abs(value)
