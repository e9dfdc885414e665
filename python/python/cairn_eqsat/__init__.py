"""Equality saturation guided by learning.

>>> import cairn_eqsat as cairn
>>> system = cairn.System.load("halide")
>>> answer = cairn.prove(system, "(<= (+ x 1) (+ y 1))", "(<= x y)")
>>> bool(answer), str(answer.proof.end)
(True, '(<= x y)')
>>> best = cairn.optimise(system, "(+ (* x 2) (- x x))", cost="size")
>>> print(best.term, best.cost_before, best.cost)
(+ x x) 7 3

Whatever is reported as equal has a proof that a separate checker accepted. The engine runs without the
interpreter's lock, and Ctrl-C ends it.
"""

from __future__ import annotations

from pathlib import Path as _Path

from . import _native, rules
from ._native import (
    Answer,
    EGraph,
    Extraction,
    GuideRequest,
    Match,
    Model,
    Operator,
    Optimised,
    Proof,
    Ranker,
    RunReport,
    Step,
    System,
    Table,
    Term,
    optimise,
    prove,
    read_parquet,
)
from ._options import FindOptions, LearnOptions, OptimiseOptions, SearchOptions, TaskOptions
from .commands import Dataset, evaluate, find_rules, generate, learn, run, tasks
from .errors import (
    CairnError,
    InternalError,
    NotProved,
    ProofRefused,
    RuleFileError,
    TermError,
)
from .rules import Language, variables

_native.keep_models_in(_Path(__file__).parent / "models")

__all__ = [
    "Answer",
    "CairnError",
    "Dataset",
    "EGraph",
    "Extraction",
    "FindOptions",
    "GuideRequest",
    "InternalError",
    "Language",
    "LearnOptions",
    "Match",
    "Model",
    "NotProved",
    "Operator",
    "OptimiseOptions",
    "Optimised",
    "Proof",
    "ProofRefused",
    "Ranker",
    "RuleFileError",
    "RunReport",
    "SearchOptions",
    "Step",
    "System",
    "Table",
    "TaskOptions",
    "Term",
    "TermError",
    "evaluate",
    "find_rules",
    "generate",
    "learn",
    "optimise",
    "prove",
    "read_parquet",
    "rules",
    "run",
    "tasks",
    "variables",
]
