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

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np

from .. import _native
from .._native import System
from ..errors import CairnError, InternalError
from .function import Function, Report, WrongArgument
from .results import ResultsDiffer, compared
from .source import Written, python_source
from .trace import NotTraced, traced as called

__all__ = [
    "APPROXIMATE", "Function", "NotTraced", "Report", "ResultsDiffer", "SOLVE", "WrongArgument", "optimise", "rules",
]

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
    numbers in an array is refused, as :class:`NotTraced`, with the line. Parameters that get no example keep their defaults, which
    are fixed. Both functions are then called with random arguments: where their results differ by more than one part in a hundred,
    and by more than rounding accounts for, that is a :class:`ResultsDiffer`. ``approximate`` allows rules that are no
    equations (:data:`APPROXIMATE`); ``rules`` are more rules, as :data:`SOLVE` is. ``work`` is what the search may build, in
    e-nodes; ``time`` are seconds at most.
    """
    if work < 1:
        raise CairnError(f"work: expected 1 e-node at least, found {work}")
    system = System.from_rules(globals()["rules"](approximate=approximate, more=rules), "arrays.rules")
    traced = called(system, function, examples)
    result, leaves = traced.result, traced.leaves
    best = _native.optimise(
        system, result.term, cost="flops", shared=True, cap=min(work, 20_000), work=work, time=time, seed=seed, threads=threads)
    term, proof = best.term, best.proof
    if term is None or proof is None:
        raise InternalError("a search without a goal has no answer")
    proof.check()
    written = python_source(function.__name__, term, traced.arguments, leaves, result)
    made = _compiled(written)
    terms = (result.term, term)
    compares = compared(traced.place, function, made, traced.arguments, examples, terms, leaves, seed, approximate)
    report = Report(int(best.cost_before), int(best.cost), *compares, proof.rules)
    return Function(written.text, report, proof, made, traced.signature, tuple(traced.arguments))


def _compiled(written: Written) -> Callable[..., Any]:
    names: dict[str, Any] = {written.module: np}
    exec(compile(written.text, f"<{written.name}, optimised>", "exec"), names)
    made: Callable[..., Any] = names[written.name]
    return made
