"""A term as a Python function over arrays."""

from __future__ import annotations

from .._native import Term

INFIX = {"add": ("+", 1), "subtract": ("-", 1), "multiply": ("*", 2), "divide": ("/", 2), "matmul": ("@", 2)}
#: How tightly an argument of a function, an operand and an atom bind.
LOOSE, TIGHT, ATOM = 0, 4, 5


def python_source(name: str, term: Term, parameters: list[str], dimensions: list[int], result: int) -> str:
    """The text of a function of these parameters that computes the term. Parts that are needed more than once have
    names. ``dimensions`` are those of the arguments, ``result`` those of what comes out."""
    return _Writer(term, parameters, dimensions, result).function(name)


class _Writer:
    def __init__(self, term: Term, parameters: list[str], dimensions: list[int], result: int) -> None:
        self.term, self.parameters, self.dimensions, self.result = term, parameters, dimensions, result
        self.names: dict[Term, str] = {}
        self.lines: list[str] = []

    def function(self, name: str) -> str:
        uses: dict[Term, int] = {}
        order: list[Term] = []
        # Arguments before what they are arguments of; no recursion, terms may be deep.
        stack = [(self.term, False)]
        while stack:
            term, done = stack.pop()
            if done:
                order.append(term)
                continue
            uses[term] = uses.get(term, 0) + 1
            if uses[term] == 1 and term.op not in ("input", "number"):
                stack.append((term, True))
                stack.extend((child, False) for child in reversed(arguments(term)))
        for term in order:
            if uses[term] > 1 and term != self.term:
                text = self.text(term, LOOSE)
                self.names[term] = self.fresh()
                self.lines.append(f"    {self.names[term]} = {text}")
        self.lines.append(f"    return {self.text(self.term, LOOSE)}")
        head = f"def {name}({', '.join(self.parameters)}):"
        return "\n".join([head, *self.lines, ""])

    def fresh(self) -> str:
        number = len(self.names)
        while f"t{number}" in self.parameters or f"t{number}" in self.names.values():
            number += 1
        return f"t{number}"

    def text(self, term: Term, binding: int) -> str:
        """The expression, in brackets where what is around it binds more tightly."""
        if term in self.names:
            return self.names[term]
        op = term.op
        if op == "input":
            number = int(term.children[2].op.removeprefix("x"))
            name = self.parameters[number]
            # A vector is a row, also where it is transposed.
            return f"{name}[None, :]" if self.dimensions[number] == 1 and self.result == 2 else name
        if op == "number":
            value = repr(term.children[0].value)
            return f"({value})" if value.startswith("-") and binding > LOOSE else value
        if op in INFIX:
            sign, own = INFIX[op]
            left, right = arguments(term)
            text = f"{self.text(left, own)} {sign} {self.text(right, own + 1)}"
            return f"({text})" if own < binding else text
        if op == "negative":
            text = f"-{self.text(arguments(term)[0], TIGHT - 1)}"
            return f"({text})" if binding > TIGHT - 1 else text
        if op == "power":
            text = f"{self.text(arguments(term)[0], ATOM)} ** {term.children[1].value}"
            return f"({text})" if binding >= TIGHT else text
        if op == "float_power":
            left, right = arguments(term)
            text = f"{self.text(left, ATOM)} ** {self.text(right, ATOM)}"
            return f"({text})" if binding >= TIGHT else text
        if op == "transpose":
            return f"{self.text(arguments(term)[0], ATOM)}.T"
        module = "np.linalg" if op in ("solve", "inv") else "np"
        return f"{module}.{op}({', '.join(self.text(argument, LOOSE) for argument in arguments(term))})"


def arguments(term: Term) -> list[Term]:
    """The arrays that an operation takes."""
    return [child for child in term.children if child.sort == "Array"]
