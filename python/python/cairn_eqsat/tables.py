"""What operators compute that are not built in, as the tables that ``cairn rules find --tables`` reads: from lists, or from
functions that are called with all values that their arguments may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._native import System
from .errors import CairnError

__all__ = ["tables"]

#: What an operator computes: a function; or its values, with a list inside for each further argument.
Meaning = Callable[..., Any] | Sequence[Any] | Any


def tables(
    system: System, values: Mapping[str, Sequence[Any]], meanings: Mapping[str, Meaning]
) -> dict[str, dict[str, Any]]:
    """The tables of operators of a language, as JSON has them; ``values`` are those of sorts without literals."""
    values = {sort: list(of) for sort, of in values.items()}
    for sort, of in values.items():
        for number, one in enumerate(of):
            if any(one == other or str(one) == str(other) for other in of[:number]):
                raise CairnError(f"values: {sort} has {one!r} twice, or another value that is equal to it or written so")

    def written(name: str, value: Any, sort: str) -> Any:
        """A value of a sort as JSON has it."""
        if sort not in values:
            if not isinstance(value, (bool, int, str)):
                raise CairnError(f"meanings: {name}: found {value!r}, expected a value of {sort}, as a number or a text")
            return value
        known = [str(one) for one in values[sort] if one == value]
        if not known:
            raise CairnError(f"meanings: {name}: found {value!r}, expected a value of {sort}")
        return known[0]

    def called(name: str, of: Callable[..., Any], given: list[Any], sorts: Sequence[str], result: str) -> Any:
        """The values of a function whose first arguments are given."""
        if not sorts:
            return written(name, of(*given), result)
        choices = values[sorts[0]] if sorts[0] in values else system.values(sorts[0])
        return [called(name, of, [*given, choice], sorts[1:], result) for choice in choices]

    def listed(name: str, of: Any, left: int, result: str) -> Any:
        """The values of a list, with lists inside for so many arguments that are left."""
        if left == 0:
            return written(name, of, result)
        if isinstance(of, str) or not isinstance(of, Sequence):
            raise CairnError(f"meanings: {name}: found {of!r}, expected a function, or a list for each argument")
        return [listed(name, one, left - 1, result) for one in of]

    operators: dict[str, Any] = {}
    for name, of in meanings.items():
        operator = system[name]
        sorts, result = operator.arguments, operator.result
        # A value may be a function itself.
        is_value = not sorts and any(of == one for one in values.get(result, []))
        is_called = callable(of) and not is_value
        operators[name] = called(name, of, [], sorts, result) if is_called else listed(name, of, len(sorts), result)
    return {"sorts": {sort: [str(one) for one in of] for sort, of in values.items()}, "operators": operators}
