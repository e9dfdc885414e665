"""Functions over NumPy arrays, made cheaper: ``optimise`` calls a function once with stand-ins, looks for a cheaper term that
equals what it does, checks the proof, and gives back a function.

>>> import numpy as np
>>> import cairn_eqsat.numpy
>>> def f(a, b, v):
...     return a @ b @ v + a @ v
>>> fast = cairn_eqsat.numpy.optimise(f, np.ones((300, 300)), np.ones((300, 300)), np.ones((300, 1)))
>>> print(fast.source)
def f(a, b, v):
    return a @ (b @ v + v)
<BLANKLINE>
>>> fast.report.cost_before > 100 * fast.report.cost
True

Costs are operations on numbers: 2mkn for a product of m×k by k×n, and so many for each number of an elementwise
operation; what is needed twice is computed, and counted, once. The rules are equations of real numbers, so results differ in rounding; ``report``
says by how much on random arguments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from .. import _native
from .._native import Proof, System
from ..errors import InternalError
from .source import python_source
from .trace import NotTraced, Traced, traced

__all__ = ["APPROXIMATE", "Function", "NotTraced", "Report", "SOLVE", "optimise", "rules"]

#: A rule that ``optimise(rules=…)`` may add: the product by an inverse is the solution of equations.
SOLVE = "(rewrite (matmul (inv ?a) ?b) (solve ?a ?b) :name solve)\n"
#: What ``approximate=True`` adds: tanh by its Padé approximant of degrees 7 and 6, its argument cut off at ±4.97. It is
#: no equation: the two differ by less than 0.0001 everywhere.
APPROXIMATE = """
(rewrite (tanh ?u) (tanh_of (maximum (number -4.97) (minimum (number 4.97) ?u)))          :name cut-off)
(rewrite (tanh_of ?u)
         (divide (multiply ?u (add (number 135135.0) (multiply (multiply ?u ?u) (add (number 17325.0)
                   (multiply (multiply ?u ?u) (add (number 378.0) (multiply ?u ?u)))))))
                 (add (number 135135.0) (multiply (multiply ?u ?u) (add (number 62370.0)
                   (multiply (multiply ?u ?u) (add (number 3150.0) (multiply (number 28.0) (multiply ?u ?u))))))))
                                                                                           :name pade)
"""
#: What stands for tanh on an argument that is cut off; it is dear, so that it is never in an answer.
_TANH_OF = """
(op tanh_of (Array) Array)
(transfer (rows (tanh_of ?a)) (rows ?a))
(transfer (cols (tanh_of ?a)) (cols ?a))
(cost (tanh_of ?a) (* 1000 (* (rows ?a) (cols ?a))) :name flops)
"""


def rules(*, approximate: bool = False, more: str = "") -> str:
    """The text of the rewrite system.

    >>> import cairn_eqsat.numpy
    >>> "(op solve" in cairn_eqsat.numpy.rules()
    True
    """
    text = (files(__package__) / "arrays.rules").read_text(encoding="utf-8")
    return text + (_TANH_OF + APPROXIMATE if approximate else "") + more


@dataclass(frozen=True)
class Report:
    """What became of a function."""

    #: Operations on numbers, before and after.
    cost_before: int
    cost: int
    #: The largest difference of a number of the result, on random arguments, and the largest number there.
    largest_difference: float
    largest_value: float
    #: How often the proof uses each rule.
    rules: dict[str, int]

    def __str__(self) -> str:
        used = ", ".join(f"{name} {count}" for name, count in self.rules.items()) or "none"
        return (f"cost {self.cost_before:,} before, {self.cost:,} after; largest difference {self.largest_difference:.3g} "
                f"of {self.largest_value:.3g}; rules used: {used}")


@dataclass(frozen=True)
class Function:
    """A function that was optimised: it is called as the one that it was made of."""

    #: Its text, as Python.
    source: str
    #: What became of it.
    report: Report
    #: That it equals the one that it was made of, by the rules; it was checked.
    proof: Proof
    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


def optimise(
    function: Callable[..., Any],
    *examples: Any,
    approximate: bool = False,
    rules: str = "",
    work: int = 200_000,
    time: float | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Function:
    """Makes a function over arrays cheaper, for arguments with the shapes and dtypes of these.

    >>> import numpy as np
    >>> import cairn_eqsat.numpy
    >>> def cube(x):
    ...     return x ** 3
    >>> cairn_eqsat.numpy.optimise(cube, np.ones(1000)).source
    'def cube(x):\\n    return x * (x * x)\\n'

    The function is called once, with stand-ins: loops over ``range(n)`` are unrolled by that, and what depends on the
    numbers in an array is refused, as :class:`NotTraced`, with the line. ``approximate`` allows rules that are no
    equations (:data:`APPROXIMATE`); ``rules`` are more rules, as :data:`SOLVE` is. ``work`` is what the search may build, in
    e-nodes; ``time`` are seconds at most.
    """
    system = System.from_rules(globals()["rules"](approximate=approximate, more=rules), "arrays.rules")
    result, parameters = traced(system, function, examples)
    best = _native.optimise(
        system, result.term, cost="flops", shared=True, cap=min(work, 20_000), work=work, time=time, seed=seed, threads=threads)
    term, proof = best.term, best.proof
    if term is None or proof is None:
        raise InternalError("a search without a goal has no answer")
    proof.check()
    dimensions = [np.ndim(example) for example in examples]
    source = python_source(function.__name__, term, parameters, dimensions, result.ndim)
    made = _compiled(source, function.__name__)
    solves = any(part.op in ("solve", "inv") for part in result.term.subterms())
    difference, value = _compared(function, made, examples, seed, solves)
    used = Counter(step.rule for step in proof.steps)
    report = Report(int(best.cost_before), int(best.cost), difference, value, dict(used.most_common()))
    return Function(source, report, proof, made)


def _compiled(source: str, name: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"np": np}
    exec(compile(source, f"<{name}, optimised>", "exec"), names)
    made: Callable[..., Any] = names[name]
    return made


def _compared(
    before: Callable[..., Any], after: Callable[..., Any], examples: Sequence[Any], seed: int, solves: bool
) -> tuple[float, float]:
    """The largest difference of the results on random arguments of the examples' shapes, and the largest number there."""
    rng = np.random.default_rng(seed)

    def random(example: Any) -> Any:
        array = np.asarray(example)
        drawn = rng.uniform(0.5, 1.5, array.shape).astype(array.dtype)
        if solves and array.ndim == 2 and array.shape[0] == array.shape[1]:
            # So that it has an inverse, and is far from having none.
            drawn = drawn + array.shape[0] * np.eye(*array.shape, dtype=array.dtype)
        return drawn

    arguments = [random(example) for example in examples]
    one, other = (np.asarray(f(*arguments)) for f in (before, after))
    if one.size == 0:
        return 0.0, 0.0
    return float(np.max(np.abs(one - other))), float(np.max(np.abs(one)))
