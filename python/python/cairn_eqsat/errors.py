"""What can go wrong, as exceptions."""

from __future__ import annotations

__all__ = ["CairnError", "InternalError", "NotProved", "ProofRefused", "RuleFileError", "TermError"]


class CairnError(Exception):
    """The base of all errors of this package: something in the input is wrong."""


class _Placed(CairnError, ValueError):
    """A mistake in a text, with its place."""

    def __init__(self, message: str, file: str, line: int, column: int, reason: str) -> None:
        super().__init__(message)
        #: The name of the file, or of the text.
        self.file = file
        #: The line, from 1.
        self.line = line
        #: The column, from 1, in characters.
        self.column = column
        #: What is wrong, or what was expected, without the place.
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.file, self.line, self.column, self.reason)


class RuleFileError(_Placed):
    """A mistake in a rules file.

    >>> import cairn_eqsat as cairn
    >>> try:
    ...     cairn.System.from_rules("(sort Int)\\n(op + (Int Itn) Int)")
    ... except cairn.RuleFileError as error:
    ...     print(error.line, error.column, error.reason)
    2 12 unknown sort 'Itn': declare it with (sort Itn) (did you mean 'Int'?)
    """


class TermError(_Placed):
    """A text that is no term of the system; :attr:`file` is the text."""


class NotProved(CairnError):
    """Two terms are not equal in an e-graph, as far as is known: there is nothing to explain."""


class ProofRefused(CairnError):
    """The checker does not accept a proof."""


class InternalError(CairnError):
    """A fault of Cairn itself, not of the input."""
