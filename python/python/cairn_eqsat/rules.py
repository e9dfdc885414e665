"""Rewrite systems written in Python.

>>> import cairn_eqsat as cairn
>>> language = cairn.Language("sums")
>>> Int = language.sort("Int", literals="i64", variables=True)
>>> add = language.op("+", Int, Int, to=Int)
>>> mul = language.op("*", Int, Int, to=Int, cost=10)
>>> a, b, c = cairn.variables("a b c")
>>> system = language.system(
...     add(a, b) == add(b, a),
...     (add(a, add(b, c)) == add(add(a, b), c)).both(),
...     (a * (b + c) == a * b + a * c).both().named("distribute"),
...     (mul(a, 1) == a).named("mul-one"),
... )
>>> print(cairn.optimise(system, "(+ (* x y) (* x z))").term)
(* x (+ y z))

What is built is the text of a rules file, ``system.text``; it is checked as a file is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ._native import System

__all__ = ["Language", "Op", "Pattern", "Rule", "Sort", "variables"]


class Pattern:
    """A term with pattern variables. Python's operators build applications of operators of the same name, and
    ``==`` builds a rule."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Pattern {self.text}>"

    __hash__ = None  # type: ignore[assignment]  # what == builds is no truth value

    def __eq__(self, other: PatternLike) -> Rule:  # type: ignore[override]
        return Rule(self.text, _text(other))

    def __ne__(self, other: PatternLike) -> Pattern:  # type: ignore[override]
        return _apply("!=", self, other)

    def __add__(self, other: PatternLike) -> Pattern:
        return _apply("+", self, other)

    def __radd__(self, other: PatternLike) -> Pattern:
        return _apply("+", other, self)

    def __sub__(self, other: PatternLike) -> Pattern:
        return _apply("-", self, other)

    def __rsub__(self, other: PatternLike) -> Pattern:
        return _apply("-", other, self)

    def __mul__(self, other: PatternLike) -> Pattern:
        return _apply("*", self, other)

    def __rmul__(self, other: PatternLike) -> Pattern:
        return _apply("*", other, self)

    def __truediv__(self, other: PatternLike) -> Pattern:
        return _apply("/", self, other)

    def __rtruediv__(self, other: PatternLike) -> Pattern:
        return _apply("/", other, self)

    def __mod__(self, other: PatternLike) -> Pattern:
        return _apply("%", self, other)

    def __rmod__(self, other: PatternLike) -> Pattern:
        return _apply("%", other, self)

    def __and__(self, other: PatternLike) -> Pattern:
        return _apply("&", self, other)

    def __rand__(self, other: PatternLike) -> Pattern:
        return _apply("&", other, self)

    def __or__(self, other: PatternLike) -> Pattern:
        return _apply("|", self, other)

    def __ror__(self, other: PatternLike) -> Pattern:
        return _apply("|", other, self)

    def __xor__(self, other: PatternLike) -> Pattern:
        return _apply("^", self, other)

    def __rxor__(self, other: PatternLike) -> Pattern:
        return _apply("^", other, self)

    def __lshift__(self, other: PatternLike) -> Pattern:
        return _apply("<<", self, other)

    def __rlshift__(self, other: PatternLike) -> Pattern:
        return _apply("<<", other, self)

    def __rshift__(self, other: PatternLike) -> Pattern:
        return _apply(">>", self, other)

    def __rrshift__(self, other: PatternLike) -> Pattern:
        return _apply(">>", other, self)

    def __matmul__(self, other: PatternLike) -> Pattern:
        return _apply("@", self, other)

    def __lt__(self, other: PatternLike) -> Pattern:
        return _apply("<", self, other)

    def __le__(self, other: PatternLike) -> Pattern:
        return _apply("<=", self, other)

    def __gt__(self, other: PatternLike) -> Pattern:
        return _apply(">", self, other)

    def __ge__(self, other: PatternLike) -> Pattern:
        return _apply(">=", self, other)


#: What may stand in a pattern: a pattern, or a literal or name as text or number.
PatternLike = Pattern | str | int | float


def _text(part: PatternLike) -> str:
    return str(int(part)) if isinstance(part, bool) else str(part)


def _apply(name: str, *arguments: PatternLike) -> Pattern:
    return Pattern(f"({' '.join([name, *map(_text, arguments)])})" if arguments else name)


@dataclass(frozen=True)
class Rule:
    """A rewrite from left to right, or in both directions."""

    left: str
    right: str
    in_both: bool = False
    name: str | None = None
    conditions: tuple[str, ...] = ()
    ruleset: str | None = None

    def __bool__(self) -> bool:
        raise TypeError("== between patterns builds a rule, which is neither true nor false")

    def both(self) -> Rule:
        """The same in both directions, where each side has the variables of the other."""
        return replace(self, in_both=True)

    def named(self, name: str) -> Rule:
        """The same with a name, which proofs show."""
        return replace(self, name=name)

    def when(self, *conditions: Pattern | str) -> Rule:
        """The same under conditions, all of which must hold: ``rule.when("(const ?c)", c != 0)``."""
        return replace(self, conditions=self.conditions + tuple(map(_text, conditions)))

    def of(self, ruleset: str) -> Rule:
        """The same in a ruleset, which a schedule may name."""
        return replace(self, ruleset=ruleset)

    def __str__(self) -> str:
        parts = ["birewrite" if self.in_both else "rewrite", self.left, self.right]
        if self.conditions:
            parts.append(f":when ({' '.join(self.conditions)})")
        if self.name:
            parts.append(f":name {self.name}")
        if self.ruleset:
            parts.append(f":ruleset {self.ruleset}")
        return f"({' '.join(parts)})"


class Sort(str):
    """The name of a sort of a language."""


class Op:
    """An operator of a language: called with patterns, texts and numbers it makes a pattern."""

    def __init__(self, name: str, arity: int) -> None:
        self.name = name
        self.arity = arity

    def __call__(self, *arguments: PatternLike) -> Pattern:
        if len(arguments) != self.arity:
            raise TypeError(f"'{self.name}' takes {self.arity} arguments, found {len(arguments)}")
        return _apply(self.name, *arguments)

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


def variables(names: str) -> tuple[Pattern, ...]:
    """Pattern variables, from their names with spaces between: ``a, b = variables("a b")``."""
    return tuple(Pattern(f"?{name}") for name in names.split())


class Language:
    """Sorts and operators, to write rules over. With ``constants`` operators on literals are evaluated."""

    def __init__(self, name: str = "rules", *, constants: bool = True) -> None:
        self.name = name
        self._lines: list[str] = []
        self._constants = constants
        self._literals = False

    def sort(
        self, name: str, *, literals: str | None = None, variables: bool = False
    ) -> Sort:
        """A sort. ``literals`` says what literals it has: ``"i64"``, ``"bool"``, ``"rational"``, ``"f64"`` or
        ``"(bits 32)"``; with ``variables`` names without a declaration are its variables."""
        self._lines.append(f"(sort {name})")
        if literals:
            self._literals = True
            self._lines.append(f"(literal {literals} {name})")
        if variables:
            self._lines.append(f"(variable {name})")
        return Sort(name)

    def op(self, name: str, *arguments: str, to: str, cost: int | str | None = None) -> Op:
        """An operator from sorts to a sort. ``cost`` is a number, or an expression of the rules language."""
        declared = f"(op {name} ({' '.join(arguments)}) {to}"
        self._lines.append(f"{declared})" if cost is None else f"{declared} :cost {cost})")
        return Op(name, len(arguments))

    def declare(self, text: str) -> None:
        """Any declaration of the rules language, as it stands in a file."""
        self._lines.append(text)

    def system(self, *rules: Rule | str, schedule: str | None = None) -> System:
        """The system of this language with these rules. Raises ``RuleFileError`` if something is wrong; its line
        is one of the text that was built, which has a declaration a line."""
        lines = list(self._lines)
        if self._constants and self._literals:
            lines.append("(analysis constant)")
        rulesets = {rule.ruleset: None for rule in rules if isinstance(rule, Rule) and rule.ruleset}
        lines += [f"(ruleset {name})" for name in rulesets]
        lines += map(str, rules)
        if schedule:
            lines.append(f"(schedule {schedule})")
        return System.from_rules("\n".join(lines) + "\n", self.name)
