"""A function that was optimised."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._native import Proof
from ..errors import CairnError
from .trace import Leaf, is_plain


class WrongArgument(CairnError, TypeError):
    """A function is called with an argument that it was not optimised for."""


@dataclass(frozen=True)
class Report:
    """What became of a function."""

    #: Operations on numbers, before and after.
    cost_before: int
    cost: int
    #: The largest difference of a number of the result, on random arguments, and the largest number there.
    largest_difference: float
    largest_value: float
    #: Whether that is large and nothing but rounding: the function is ill-conditioned at these arguments.
    ill_conditioned: bool
    #: How often the proof uses each rule, what is used in many places once.
    rules: dict[str, int]

    def __str__(self) -> str:
        used = ", ".join(f"{name} {count}" for name, count in self.rules.items()) or "none"
        why = " (ill-conditioned: rounding accounts for it)" if self.ill_conditioned else ""
        return (f"cost {self.cost_before:,} before, {self.cost:,} after; largest difference {self.largest_difference:.3g} "
                f"of {self.largest_value:.3g}{why}; rules used: {used}")


@dataclass(frozen=True)
class Function:
    """A function that was optimised: it is called as the one that it was made of, with arguments of the shapes and dtypes of the
    examples."""

    #: Its text, as Python.
    source: str
    #: What became of it.
    report: Report
    #: That it equals the one that it was made of, by the rules; it was checked.
    proof: Proof
    #: The function that the text is: it takes what had examples, by position, and looks at nothing.
    function: Callable[..., Any]
    #: What it is called with.
    signature: inspect.Signature
    arguments: tuple[Leaf, ...]

    def __call__(self, *given: Any, **named: Any) -> Any:
        if named or len(given) != len(self.arguments):
            given = self._bound(given, named)
        for number, (argument, value) in enumerate(zip(self.arguments, given, strict=True)):
            if type(value) is np.ndarray and value.shape == argument.shape and value.dtype == argument.dtype:
                continue
            if argument.shape == () and type(value) in (int, float):
                given = (*given[:number], argument.dtype.type(value), *given[number + 1 :])
                continue
            self._expect(argument, value)
        return self.function(*given)

    def _bound(self, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments that had examples, of all that are given."""
        bound = self.signature.bind(*given, **named)
        values = bound.arguments
        for argument in self.arguments:
            if argument.name not in values:
                raise WrongArgument(f"argument {argument.name} is missing: the function was optimised with an example for it")
        names = [argument.name for argument in self.arguments]
        for name in values.keys() - set(names):
            default = self.signature.parameters[name].default
            same = values[name] is default or type(values[name]) is type(default) and np.array_equal(values[name], default)
            if not same:
                raise WrongArgument(f"argument {name} is fixed at {default!r}, for it had no example when the function was optimised")
        return tuple(values[name] for name in names)

    @staticmethod
    def _expect(argument: Leaf, value: Any) -> None:
        wanted = f"{argument.dtype} of shape {argument.shape}"
        if not is_plain(value):
            raise WrongArgument(f"argument {argument.name} is a {type(value).__name__}: the function was optimised for an array, {wanted}")
        array = np.asarray(value)
        if (array.shape, array.dtype) != (argument.shape, argument.dtype):
            raise WrongArgument(
                f"argument {argument.name} is {array.dtype} of shape {array.shape}: the function was optimised for {wanted}")
