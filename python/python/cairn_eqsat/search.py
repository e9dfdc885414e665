"""``prove`` and ``optimise``: one question, or many in the threads of the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, TypeAlias, overload

from ._native import (
    Answer,
    GuideRequest,
    Match,
    Model,
    Optimised,
    Ranker,
    System,
    Term,
    optimise_all,
    prove_all,
)

#: What stands for a term: itself, its text, or a number as a literal.
TermLike: TypeAlias = Term | str | int | float
#: What orders the matches of best-first saturation: a learned ranker, its file or name, a function from matches to
#: ranks, of which the largest come first, or ``False`` for none.
RankerLike: TypeAlias = Ranker | str | PathLike[str] | Callable[[list[Match]], Sequence[float]] | bool


@overload
def prove(
    system: System,
    start: TermLike,
    target: TermLike,
    *,
    method: str | None = None,
    ranker: RankerLike | None = None,
    model: Model | str | PathLike[str] | None = None,
    guides: Callable[[GuideRequest], Iterable[Term | str]] | None = None,
    score: Callable[[list[Term], Term], Sequence[float]] | None = None,
    cap: int | str | None = None,
    work: int | None = None,
    scheduler: str | None = None,
    per_request: int | None = None,
    expansion: int | str | None = None,
    walk: int | None = None,
    slack: int | None = None,
    drawn: int | None = None,
    nucleus: float | None = None,
    certain: float | None = None,
    seed: int = 0,
    time: float | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Answer: ...


@overload
def prove(
    system: System,
    start: Iterable[tuple[TermLike, TermLike]],
    target: None = None,
    *,
    method: str | None = None,
    ranker: RankerLike | None = None,
    model: Model | str | PathLike[str] | None = None,
    guides: Callable[[GuideRequest], Iterable[Term | str]] | None = None,
    score: Callable[[list[Term], Term], Sequence[float]] | None = None,
    cap: int | str | None = None,
    work: int | None = None,
    scheduler: str | None = None,
    per_request: int | None = None,
    expansion: int | str | None = None,
    walk: int | None = None,
    slack: int | None = None,
    drawn: int | None = None,
    nucleus: float | None = None,
    certain: float | None = None,
    seed: int = 0,
    time: float | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> list[Answer]: ...


def prove(
    system: System,
    start: Any,
    target: Any = None,
    *,
    method: str | None = None,
    ranker: RankerLike | None = None,
    model: Model | str | PathLike[str] | None = None,
    guides: Callable[[GuideRequest], Iterable[Term | str]] | None = None,
    score: Callable[[list[Term], Term], Sequence[float]] | None = None,
    cap: int | str | None = None,
    work: int | None = None,
    scheduler: str | None = None,
    per_request: int | None = None,
    expansion: int | str | None = None,
    walk: int | None = None,
    slack: int | None = None,
    drawn: int | None = None,
    nucleus: float | None = None,
    certain: float | None = None,
    seed: int = 0,
    time: float | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Answer | list[Answer]:
    """Proves that two terms are equal, by guided search; or, of a list of pairs, those of each.

    >>> import cairn_eqsat as cairn
    >>> halide = cairn.System.load("halide")
    >>> cairn.prove(halide, [("(+ x 0)", "x"), ("(max x x)", "x"), ("x", "(+ x 1)")], work=2_000)
    ... # doctest: +ELLIPSIS
    [<Answer proved ...>, <Answer proved ...>, <Answer not proved ...>]

    ``cap`` is what one e-graph may have, as e-nodes or as ``"64MiB"``; ``work`` is e-nodes over all e-graphs.
    ``method`` is one of those that ``cairn prove --help`` lists. Instead of it, functions may guide the search:

    - ``guides`` is given a :class:`GuideRequest` and returns what may be on the way: terms, from which and to which
      e-graphs are grown, and texts, which are sketches that are looked up in every e-graph. They are not trusted:
      one that can't be reached costs time only. Where it returns no term that the e-graph lacks, the search goes on
      from terms that were reached, as ``score`` or chance has it.
    - ``score`` is given terms that were reached on one side, and the term of the other side, and returns a number
      for each; with the largest the search goes on.
    - ``ranker`` may be a function, too: it orders the matches of e-graphs that are grown best-first.

    An exception in one of them ends the search and comes out of ``prove``. ``per_request``, ``expansion``, ``walk``,
    ``slack``, ``drawn``, ``nucleus`` and ``certain`` are ``--guides`` and the other options of the program. The
    answer is the same for any number of ``threads``, unless ``time``, in seconds for each question, ends it. With
    many questions a bar shows the progress on a terminal, or where ``progress=True`` asks for it.

    >>> def through_sum(request):
    ...     return ["(+ ? (+ ? ?))", request.target]
    >>> bool(cairn.prove(halide, "(+ (+ a b) c)", "(+ c (+ b a))", guides=through_sum))
    True
    """
    if target is None:
        questions = list(start)
    else:
        questions = [(start, target)]
    if model is not None and not isinstance(model, Model):
        model = Model.load(model)
    bar = _shown(progress, target is None)
    answers = prove_all(
        system, questions, method, ranker, model, guides, score, cap, work, scheduler, per_request, expansion, walk,
        slack, drawn, nucleus, certain, seed, time, threads, bar,
    )
    return answers if target is None else answers[0]


@overload
def optimise(
    system: System,
    term: TermLike,
    *,
    cost: str = "cost",
    shared: bool = False,
    exact: float | None = None,
    goal: str | None = None,
    first: bool = False,
    model: Model | str | PathLike[str] | None = None,
    guides: Callable[[GuideRequest], Iterable[Term | str]] | None = None,
    per_request: int = 8,
    cap: int | str | None = None,
    work: int | None = None,
    scheduler: str | None = None,
    ranker: RankerLike | None = None,
    seed: int = 0,
    time: float | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Optimised: ...


@overload
def optimise(
    system: System,
    term: list[TermLike] | tuple[TermLike, ...],
    *,
    cost: str = "cost",
    shared: bool = False,
    exact: float | None = None,
    goal: str | None = None,
    first: bool = False,
    model: Model | str | PathLike[str] | None = None,
    guides: Callable[[GuideRequest], Iterable[Term | str]] | None = None,
    per_request: int = 8,
    cap: int | str | None = None,
    work: int | None = None,
    scheduler: str | None = None,
    ranker: RankerLike | None = None,
    seed: int = 0,
    time: float | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> list[Optimised]: ...


def optimise(
    system: System,
    term: Any,
    *,
    cost: str = "cost",
    shared: bool = False,
    exact: float | None = None,
    goal: str | None = None,
    first: bool = False,
    model: Model | str | PathLike[str] | None = None,
    guides: Callable[[GuideRequest], Iterable[Term | str]] | None = None,
    per_request: int = 8,
    cap: int | str | None = None,
    work: int | None = None,
    scheduler: str | None = None,
    ranker: RankerLike | None = None,
    seed: int = 0,
    time: float | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Optimised | list[Optimised]:
    """Looks for the cheapest term that equals a given one, with a proof; or, of a list of terms, of each.

    >>> import cairn_eqsat as cairn
    >>> ring = cairn.System.load("ring")
    >>> best = cairn.optimise(ring, "(+ (* a b) (* a c))", cost="size")
    >>> print(best.term, best.cost, best.proof.end == best.term)
    (* a (+ b c)) 5 True

    ``cost`` names costs of the system, with commas between, of which the first counts most; ``size`` and ``depth``
    are always there. With ``shared`` equal parts count once; ``exact`` is how many seconds may then go into a proof
    that nothing costs less. ``goal`` is a sketch that the term must satisfy; with ``first`` the first such term is
    the answer. Where the goal is a term or ``(contains TERM)``, a ``model`` (of ``cairn plans``) or a function
    ``guides`` says what may come next, ``per_request`` terms at a time. Without a goal they may guess what a normal
    form was, in a system that has them (a model of ``cairn guesses``): what is wrong costs time only. The rest is as
    in :func:`prove`.

    >>> polynomials = cairn.System.load("polynomials")
    >>> def guess(request):
    ...     return ["(* (+ x 1) (+ x 2))"]
    >>> print(cairn.optimise(polynomials, "(+ (* x x) (+ (* 3 x) 2))", cost="size", guides=guess).term)
    (* (+ x 1) (+ x 2))
    """
    many = isinstance(term, (list, tuple))
    if model is not None and not isinstance(model, Model):
        model = Model.load(model)
    found = optimise_all(
        system,
        list(term) if many else [term],
        cost=cost,
        shared=shared,
        exact=exact,
        goal=goal,
        first=first,
        model=model,
        guides=guides,
        per_request=per_request,
        cap=cap,
        work=work,
        scheduler=scheduler,
        ranker=ranker,
        seed=seed,
        time=time,
        threads=threads,
        progress=_shown(progress, many),
    )
    return found if many else found[0]


def _shown(progress: bool | None, many: bool) -> bool:
    """Whether a bar is shown."""
    if progress is None:
        return many and sys.stderr.isatty()
    return progress
