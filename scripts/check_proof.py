#!/usr/bin/env python3
"""Check a proof file, independently of cairn: a second opinion on `cairn check`.

    python scripts/check_proof.py proof.json --system configs/systems/halide.rules
    python scripts/check_proof.py results/proofs/*.json --system results/system.rules
    python scripts/check_proof.py --lines many.jsonl --system results/system.rules

With --lines, each line of a file is a proof, and each gets a line of its own: `accepted`, or `refused: ` and why.
Written from docs/proof-format.md and docs/systems.md alone; needs nothing but Python. Exit code 1: a
proof was refused; 2: a file can't be read.
"""

import argparse
import hashlib
import json
import math
import re
import sys
from fractions import Fraction
from pathlib import Path

I64 = range(-(2**63), 2**63)
DECIMAL = r"[-+]?[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?"
# A bound variable, with what stands for no smaller number.
INDEX = r"%(0|[1-9][0-9]*)"
# What no atom may hold, and whether it is a number.
SEPARATORS = re.compile(r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000();\ufeff]")
NUMERIC = re.compile(r"[-+]?[0-9]")
# What an operator on words is called beside its sign.
OF_WORDS = {"and": "&", "or": "|", "xor": "^", "not": "~", "neg": "-"}
CONVERSIONS = ("zext", "sext", "trunc", "extract")
COMPARISONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


class Refused(Exception):
    """A proof that is none, with the reason."""


def require(condition, message):
    if not condition:
        raise Refused(message)


def read_sexprs(text):
    """All s-expressions of a text, as strings and lists."""
    done, open_lists = [], []
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text)):
        if token == "(":
            open_lists.append([])
        elif token == ")":
            finished = open_lists.pop()
            (open_lists[-1] if open_lists else done).append(finished)
        else:
            (open_lists[-1] if open_lists else done).append(token)
    return done


def expanded(declaration, numbers):
    """What a declaration stands for: of (for N (8 16) …) what it declares, for each number."""
    if not isinstance(declaration, list) or declaration[:1] != ["for"]:
        return [said(declaration, numbers) if numbers else declaration]
    names, rows, body = declaration[1], declaration[2], declaration[3:]
    found = []
    for row in said(rows, numbers):
        row, of = (row, names) if isinstance(row, list) else ([row], [names] if isinstance(names, str) else names)
        inside = numbers | dict(zip(of, map(int, row), strict=True))
        found += [one for part in body for one in expanded(part, inside)]
    return found


def said(expression, numbers):
    """An expression with the numbers in place of what is in braces."""
    if isinstance(expression, list):
        return [said(part, numbers) for part in expression]
    return re.sub(r"\{([^}]*)\}", lambda found: str(computed(found[1], numbers)), expression)


def computed(text, numbers):
    """The value of sums of products of powers of numbers."""
    for operators in ("+-", "*/"):
        at = max(text.rfind(operator) for operator in operators)
        if at >= 0:
            a, b = computed(text[:at], numbers), computed(text[at + 1 :], numbers)
            return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a // b}[text[at]]()
    if "^" in text:
        base, exponent = text.split("^")
        return computed(base, numbers) ** computed(exponent, numbers)
    return numbers[text] if text in numbers else int(text)


def builtin(op, values):
    """The value of a built-in operator, None if there is none. A value is its kind and a number: kind i for
    64-bit integers, b for truth values, q for fractions, f for doubles, N for words of N bits."""
    kinds, numbers = [kind for kind, _ in values], [number for _, number in values]
    kind = kinds[0]
    # What follows a colon only makes the name unique, but for conversions.
    op, *parameters = op.split(":") if op[1:].count(":") else [op]
    if op == "select":
        fits = len(kinds) == 3 and kind == "b" and kinds[1] == kinds[2]
        return values[1 if numbers[0] else 2] if fits else None
    if op in CONVERSIONS:
        return converted(op, parameters, values)
    if op == "concat":
        if len(kinds) != 2 or type(kind) is not int or type(kinds[1]) is not int or kind + kinds[1] > 64:
            return None
        return (kind + kinds[1], numbers[0] << kinds[1] | numbers[1])
    if op in ("shl", "shr"):
        if len(kinds) != 2 or type(kind) is not int or kinds[1] != "i" or numbers[1] < 0:
            return None
        kinds[1], op = kind, {"shl": "<<", "shr": ">>"}[op]
    if len(kinds) > 2 or any(other != kind for other in kinds):
        return None
    a, b = numbers if len(numbers) == 2 else (numbers[0], None)
    if b is not None and op in COMPARISONS and (kind != "b" or op in ("==", "!=")):
        return ("b", COMPARISONS[op](a, b))
    if b is not None and op[-1:] == "s" and op[:-1] in COMPARISONS and type(kind) is int:
        return ("b", COMPARISONS[op[:-1]](signed(kind, a), signed(kind, b)))
    compute = {"i": integer, "b": truth, "q": fraction, "f": double}.get(kind, word)
    number = compute(op, a, b) if compute is not word else word(kind, op, a, b)
    return None if number is None else (kind, number)


def arithmetic(op, a, b):
    """What fractions and doubles have in common, None for other operators."""
    if b is None:
        return {"-": -a, "abs": abs(a)}.get(op)
    common = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "min": lambda: min(a, b)}
    common["max"] = lambda: max(a, b)
    if op == "/":
        return a / b if b else None
    return common[op]() if op in common else None


def integer(op, a, b):
    if b is None:
        value = {"-": -a, "abs": abs(a)}.get(op)
    elif op in ("/", "%"):
        # Euclidean: the remainder is never negative; by zero both are zero.
        remainder = a % abs(b) if b else 0
        value = remainder if op == "%" else ((a - remainder) // b if b else 0)
    elif op in ("<<", ">>"):
        value = None if b not in range(64) else a << b if op == "<<" else a >> b
    elif op in ("&", "|", "^"):
        value = {"&": a & b, "|": a | b, "^": a ^ b}[op]
    else:
        value = arithmetic(op, a, b)
    return value if value is not None and value in I64 else None


def truth(op, a, b):
    if b is None:
        return not a if op == "!" else None
    return {"&&": a and b, "||": a or b}.get(op)


def fraction(op, a, b):
    value = arithmetic(op, a, b)
    fits = value is not None and value.numerator in I64 and value.denominator < 2**56
    return value if fits else None


def double(op, a, b):
    value = arithmetic(op, a, b)
    return value + 0.0 if value is not None and math.isfinite(value) else None


def signed(bits, number):
    """The number that a word is with a sign."""
    return number - 2**bits if number >= 2 ** (bits - 1) else number


def converted(op, parameters, values):
    """A word, or a truth value, as a word of the width that the name ends with."""
    if len(values) != 1 or not parameters or not all(re.fullmatch("[0-9]+", n) for n in parameters):
        return None
    (kind, number), to = values[0], int(parameters[-1])
    if to not in range(1, 65):
        return None
    if kind == "b":
        return {"zext": (to, int(number)), "sext": (to, 2**to - 1 if number else 0)}.get(op)
    low = int(parameters[0]) if op == "extract" else 0
    fits = type(kind) is int and (to > kind if op in ("zext", "sext") else low + to <= kind - (op == "trunc"))
    if not fits:
        return None
    return (to, ((signed(kind, number) if op == "sext" else number) >> low) % 2**to)


def word(bits, op, a, b):
    if b is not None and op in ("neg", "not"):
        return None
    op, full = OF_WORDS.get(op, op), 2**bits - 1
    if b is None:
        text = format(a, f"0{bits}b")
        counts = {"popcount": text.count("1"), "clz": len(text) - len(text.lstrip("0"))}
        counts["ctz"] = len(text) - len(text.rstrip("0"))
        value = {"-": -a, "~": ~a, **counts}.get(op)
    elif op in ("/", "%"):
        value = (full if op == "/" else a) if b == 0 else a // b if op == "/" else a % b
    elif op in ("<<", ">>"):
        value = 0 if b >= bits else a << b if op == "<<" else a >> b
    elif op in ("rotl", "rotr"):
        by = b % bits if op == "rotl" else -b % bits
        value = a << by | a >> (bits - by)
    elif op in ("min", "max"):
        value = min(a, b) if op == "min" else max(a, b)
    elif op[-1:] == "s":
        value = signed_word(op, signed(bits, a), signed(bits, b), b)
    else:
        known = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
        value = known.get(op)
    return None if value is None else value & full


def signed_word(op, a, b, amount):
    """Operators that read words as numbers with a sign; quotients are rounded towards zero."""
    if op in ("/s", "%s"):
        if b == 0:
            return a if op == "%s" else 1 if a < 0 else -1
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if op == "/s" else a - b * quotient
    return {">>s": a >> min(amount, 64), "mins": min(a, b), "maxs": max(a, b)}.get(op)


def read_literal(kind, text):
    """The value of this kind that a text is, None if it is none."""
    if kind == "b":
        return {"0": ("b", False), "1": ("b", True)}.get(text)
    if kind == "f":
        value = float(text) if re.fullmatch(DECIMAL, text, re.ASCII) else math.inf
        return ("f", value + 0.0) if math.isfinite(value) else None
    if kind == "q":
        parts = re.fullmatch(r"([-+]?[0-9]+)(?:/([0-9]+))?", text)
        numbers = [int(part or 1) for part in parts.groups()] if parts else [0, 0]
        if numbers[0] not in I64 or numbers[1] not in range(1, 2**64):
            return None
        value = Fraction(*numbers)
        return ("q", value) if value.denominator < 2**56 else None
    if not re.fullmatch(r"[-+]?[0-9]+" if kind == "i" else r"[+]?[0-9]+", text):
        return None
    number = int(text)
    return (kind, number) if number in (I64 if kind == "i" else range(2**kind)) else None


def shown(value):
    """How a literal is displayed, one text for each value."""
    kind, number = value
    return repr(number) if kind == "f" else str(number if kind == "q" else int(number))


def number_of(name, kind):
    """The number made of a variable's name."""
    bits = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    return ("i", bits >> 1) if kind == "i" else (kind, bits & (2**kind - 1))


def at(items, index):
    """The item at an index of a proof file."""
    require(type(index) is int and 0 <= index < len(items), f"there is no index {index}")
    return items[index]


def keys(entry, *expected, optional=()):
    """Refuses an object that has other keys."""
    require(isinstance(entry, dict), "no object")
    require(set(expected) <= set(entry) <= {*expected, *optional}, f"keys other than {', '.join(expected)}")


def texts(*found):
    require(all(isinstance(text, str) for text in found), "no text")
    # JSON may escape half of a surrogate pair, which is no character.
    require(not any("\ud800" <= c <= "\udfff" for text in found for c in text), "no character")


def reference(entry):
    """The number of the step that is referred to, and whether it is read backwards."""
    if isinstance(entry, dict):
        keys(entry, "reverse")
        return entry["reverse"], True
    return entry, False


# Functions on terms.
FUNCTIONS = ("subst", "raise", "lower")


def lowered(index, depth):
    """An index for a place under one binder less."""
    require(index != depth, "lowers a term that speaks of the variable")
    return index - (index > depth)


class System:
    """A rewrite system: operators, literal kinds, rules."""

    def __init__(self, path):
        data = path.read_bytes()
        self.hash = hashlib.sha256(data).hexdigest()
        self.operators, self.kinds, self.rules, self.folds = {}, {}, {}, False
        # By operator and argument: the sort of the variable that is bound in it.
        self.binds = {}
        # The sorts that have variables.
        self.variables = set()
        # By name: the sort that the facts are of, that of their values, and the merge; and all transfers.
        self.analyses, self.transfers = {}, []
        declarations = [said for one in read_sexprs(data.decode()) for said in expanded(one, {})]
        for keyword, *args in declarations:
            if keyword == "op":
                sorts = [sort if isinstance(sort, list) else [sort] for sort in args[1]]
                self.operators[args[0]] = ([sort[-1] for sort in sorts], args[2])
                self.binds[args[0]] = [sort[1] if len(sort) > 1 else None for sort in sorts]
            elif keyword == "literal":
                name = args[0]
                kinds = {"i64": "i", "bool": "b", "rational": "q", "f64": "f"}
                self.kinds[args[1]] = int(name[1]) if isinstance(name, list) else kinds[name]
            elif keyword == "variable":
                self.variables.add(args[0])
            elif keyword == "analysis" and args == ["constant"]:
                self.folds = True
            elif keyword == "analysis":
                self.analyses[args[0]] = (args[1], args[2], args[4])
        # The sorts of variables that operators bind.
        self.bound_sorts = {sort for sorts in self.binds.values() for sort in sorts if sort}
        for keyword, *args in declarations:
            if keyword in ("rewrite", "birewrite"):
                options = dict(zip(args[2::2], args[3::2]))
                # A rule without a name is unknown here: a proof that uses it is refused.
                name = options.get(":name", "")
                self.add_rule(name, args[0], args[1], options.get(":when", []))
                if keyword == "birewrite":
                    self.add_rule(f"{name}-rev", args[1], args[0], options.get(":when", []))
            elif keyword == "given":
                self.add_rule(dict(zip(args[2::2], args[3::2])).get(":name", ""), args[0], args[1], [])
            elif keyword == "transfer":
                (analysis, term), value = args
                self.transfers.append((analysis, term, value))

    def add_rule(self, name, left, right, conditions):
        sort = self.sort_of_application(left) or self.sort_of_application(right)
        if sort is None and len(self.variables) == 1:
            # Both are variables, which are of one sort.
            (sort,) = self.variables
        sorts = {}
        self.variable_sorts(left, sort, sorts)
        # The right-hand side is read before the conditions.
        facts = self.facts_of(["", right, *conditions])
        sorts.update({key: self.analyses[analysis][1] for key, analysis, _ in facts})
        self.rules[name] = (left, right, conditions, sorts, sort, facts)

    def facts_of(self, expression):
        """The facts that are read, each once: as a key of a substitution, analysis and variable."""
        if not isinstance(expression, list):
            return []
        if expression and isinstance(expression[0], str) and expression[0] in self.analyses:
            analysis, variable = expression
            return [(f"({analysis} {variable})", analysis, variable)]
        found = [fact for part in expression for fact in self.facts_of(part)]
        return list(dict.fromkeys(found))

    def sort_of_application(self, pattern):
        name = pattern[0] if isinstance(pattern, list) else pattern
        return self.operators[name][1] if name in self.operators else None

    def variable_sorts(self, pattern, sort, found):
        if isinstance(pattern, list):
            for argument, of in zip(pattern[1:], self.operators[pattern[0]][0]):
                self.variable_sorts(argument, of, found)
        elif pattern.startswith("?"):
            found[pattern] = sort

    def leaf(self, sort, text):
        """The leaf of this sort that a text is: a literal, as it is displayed, a bound variable or a variable."""
        readable = text and not SEPARATORS.search(text) and text[0] != "?" and text not in self.operators
        require(readable, f"'{text}' is no leaf")
        if NUMERIC.match(text):
            value = read_literal(self.kinds[sort], text) if sort in self.kinds else None
            require(value is not None, f"'{text}' is no literal of sort {sort}")
            text = shown(value)
        elif self.bound_sorts and re.match("%[0-9]", text):
            index = re.fullmatch(INDEX, text, re.ASCII)
            require(index and int(index[1]) < 2**20, f"'{text}' is no bound variable")
            require(sort in self.bound_sorts, f"no operator binds variables of sort {sort}")
        else:
            require(sort in self.variables, f"sort {sort} has no variables")
        return (sort, text, None)

    def is_index(self, term):
        """Whether a term is a bound variable."""
        sort, head, args = term
        return args is None and sort in self.bound_sorts and re.fullmatch(INDEX, head) is not None

    def literal(self, term):
        """The value of a term (sort, head, arguments) that is a literal, otherwise None."""
        sort, head, args = term
        return None if args is not None or sort not in self.kinds else read_literal(self.kinds[sort], head)

    def is_literal(self, term, sort, value):
        """Whether a term is the literal of this sort with a value, where there is one."""
        return value is not None and term[0] == sort and self.literal(term) == value

    def is_instance(self, pattern, sort, substitution, term):
        """Whether `term` is the pattern, of this sort, with its variables replaced."""
        if isinstance(pattern, list) and pattern[0] == "compute":
            value = self.evaluate(pattern[1], self.values(substitution), self.kinds[sort])
            return self.is_literal(term, sort, value)
        if self.is_function(pattern):
            return term == self.instance(pattern, sort, substitution)
        if isinstance(pattern, list):
            if term[1] != pattern[0] or term[2] is None or term[0] != sort:
                return False
            sorts = self.operators[pattern[0]][0]
            places = zip(pattern[1:], sorts, term[2], strict=True)
            return all(self.is_instance(p, s, substitution, t) for p, s, t in places)
        if pattern.startswith("?"):
            return substitution[pattern] == term
        if pattern in self.operators:
            return term == (sort, pattern, ())
        return term == self.instance(pattern, sort, substitution)

    def is_function(self, pattern):
        return isinstance(pattern, list) and pattern[0] in FUNCTIONS and pattern[0] not in self.binds

    def instance(self, pattern, sort, substitution):
        """The term that a pattern of this sort stands for."""
        if isinstance(pattern, list) and pattern[0] == "compute":
            value = self.evaluate(pattern[1], self.values(substitution), self.kinds[sort])
            require(value is not None, "a computation has no value")
            return (sort, shown(value), None)
        if self.is_function(pattern):
            body = self.instance(pattern[1], sort, substitution)
            if pattern[0] == "raise":
                return self.with_indices(body, lambda i, depth, of: i + (i >= depth))
            if pattern[0] == "lower":
                return self.with_indices(body, lambda i, depth, of: lowered(i, depth))
            argument = self.instance(pattern[2], self.sort_of(pattern[2], substitution), substitution)
            return self.with_indices(body, lambda i, depth, of: self.replaced(i, depth, of, argument))
        if isinstance(pattern, list):
            sorts = self.operators[pattern[0]][0]
            args = [self.instance(p, s, substitution) for p, s in zip(pattern[1:], sorts)]
            return (sort, pattern[0], tuple(args))
        if pattern.startswith("?"):
            return substitution[pattern]
        if pattern in self.operators:
            return (sort, pattern, ())
        return self.leaf(sort, pattern)

    def sort_of(self, pattern, substitution):
        """The sort of what is put in place of a variable."""
        bound = self.bound_sorts
        if isinstance(pattern, str) and pattern.startswith("?"):
            return substitution[pattern][0]
        if self.is_function(pattern):
            return self.sort_of(pattern[1], substitution)
        return self.sort_of_application(pattern) or next(iter(bound if len(bound) == 1 else self.kinds))

    def replaced(self, index, depth, sort, argument):
        """What becomes of a bound variable for which, where it is the first, a term is put."""
        if index == depth:
            require(argument[0] == sort, "a term in place of a variable of another sort")
            return self.with_indices(argument, lambda i, inner, of: i + depth * (i >= inner))
        return index - (index > depth)

    def with_indices(self, term, becomes):
        """The term with `becomes(index, binders around, sort)`, an index or a term, for each index."""
        known = {}

        def walk(term, depth):
            if (id(term), depth) not in known:
                sort, head, args = term
                if args is not None:
                    binds = [sort is not None for sort in self.binds[head]]
                    args = tuple(walk(a, depth + binds) for a, binds in zip(args, binds))
                    new = (sort, head, args)
                elif self.is_index(term):
                    new = becomes(int(head[1:]), depth, sort)
                    new = (sort, f"%{new}", None) if isinstance(new, int) else new
                else:
                    new = term
                known[id(term), depth] = (new, term)
            return known[id(term), depth][0]

        return walk(term, 0)

    def values(self, substitution):
        """What expressions read of a substitution: by variable or fact its literal."""
        return lambda key: self.literal(substitution[key])

    def kind(self, expression, values):
        """The kind that an expression has by itself; numbers have none."""
        if isinstance(expression, list):
            op, *parameters = expression[0].split(":")
            if op.removesuffix("s") in COMPARISONS or op in ("&&", "||", "!"):
                return "b"
            if op in CONVERSIONS and parameters:
                return int(parameters[-1])
            if expression[0] in self.analyses:
                return self.kinds[self.analyses[expression[0]][1]]
            kinds = [self.kind(part, values) for part in expression[1:]]
            return next((kind for kind in kinds if kind is not None), None)
        if re.match(r"[-+]?[0-9]", expression):
            return None
        value = values(expression)
        return None if value is None else value[0]

    def evaluate(self, expression, values, wanted=None):
        """The value of an expression, None if it has none; `values` gives those of variables and facts, and
        a number takes the kind of what it stands beside, or else the one that is wanted."""
        if isinstance(expression, list) and expression[0] in self.analyses:
            return values(f"({expression[0]} {expression[1]})")
        if isinstance(expression, list):
            op, *parts = expression
            kinds = [self.kind(part, values) for part in parts]
            known = next((kind for kind in kinds if kind is not None), None)
            beside = "b" if op in ("&&", "||", "!") else known
            if beside is None and op.removesuffix("s") not in COMPARISONS:
                beside = wanted
            found = [self.evaluate(part, values, beside) for part in parts]
            return None if None in found else builtin(op, found)
        if re.match(r"[-+]?[0-9]", expression):
            tried = [wanted] if wanted is not None else ["i", "q", "f"]
            found = (read_literal(kind, expression) for kind in tried)
            return next((value for value in found if value is not None), None)
        return values(expression)

    def holds(self, condition, substitution):
        if condition[0] == "const":
            key = condition[1]
            key = f"({key[0]} {key[1]})" if isinstance(key, list) else key
            return self.literal(substitution[key]) is not None
        return self.evaluate(condition, self.values(substitution), "b") == ("b", True)


class Fact:
    """What a step proves that is no equality: that an analysis has a value at a term."""

    def __init__(self, analysis, term, value):
        self.analysis, self.term, self.value = analysis, term, value


def read_terms(system, entries):
    """The terms as nested tuples (sort, head, arguments or None), equal if they are the same."""
    terms, known = [], {}
    for i, entry in enumerate(entries):
        require(isinstance(entry, dict), f"term {i}: no object")
        if "leaf" in entry:
            keys(entry, "leaf", "sort")
            texts(entry["leaf"], entry["sort"])
            term = system.leaf(entry["sort"], entry["leaf"])
        else:
            keys(entry, "op", "args")
            texts(entry["op"])
            require(isinstance(entry["args"], list), f"term {i}: no arguments")
            sorts, result = system.operators[entry["op"]]
            args = tuple(at(terms, a) for a in entry["args"])
            require([a[0] for a in args] == sorts, f"term {i}: arguments of other sorts")
            term = (result, entry["op"], args)
        # Equal terms as one object, so that comparing them is quick.
        terms.append(known.setdefault(term, term))
    return terms


def follow(ends, entry):
    """The two terms of a step, in the direction of the reference."""
    number, backwards = reference(entry)
    found = at(ends, number)
    require(isinstance(found, tuple), "goes through a fact")
    return found[::-1] if backwards else found


def fact(ends, entry, analysis, term):
    """The value that an earlier step proves an analysis to have at a term."""
    found = at(ends, entry)
    require(isinstance(found, Fact), "rests on what is no fact")
    require(found.analysis == analysis and found.term == term, "rests on a fact of something else")
    return found.value


def check_facts(ends, step, facts, substitution):
    """Refuses facts in a substitution that the step does not name proofs of."""
    because = step.get("because", [])
    require(len(because) == len(facts), "does not say what its facts rest on")
    for entry, (key, analysis, variable) in zip(because, facts):
        proved = fact(ends, entry, analysis, substitution[variable])
        require(proved == substitution[key], "a fact has another value")


def check_fact(system, terms, ends, step, kind, content):
    """Refuses a fact that does not follow; otherwise gives it."""
    term, value = at(terms, step["from"]), at(terms, step["to"])
    analysis = content["analysis"]
    of, values, merge = system.analyses[analysis]
    require(term[0] == of, "a fact of another sort")
    if kind == "equality":
        equal, proof = step["because"]
        start, end = follow(ends, equal)
        require(start == term and fact(ends, proof, analysis, end) == value, "a fact of another term")
    elif kind == "merge":
        old, new = (system.literal(fact(ends, proof, analysis, term)) for proof in step["because"])
        merged = system.evaluate(merge, {"old": old, "new": new}.get, system.kinds[values])
        merged = old if merged is None else merged
        require(system.is_literal(value, values, merged), "the merge is another")
    else:
        name, pattern, expression = at(system.transfers, content["transfer"])
        require(name == analysis, "a transfer of another analysis")
        substitution = {name: at(terms, t) for name, t in content["substitution"].items()}
        facts = system.facts_of(expression)
        if isinstance(pattern, list) and pattern[0] == "variable" and pattern[0] not in system.operators:
            is_variable = term[2] is None and system.literal(term) is None
            require(is_variable and not system.is_index(term), "no variable")
            require(substitution == {pattern[1]: term}, "another variable")
            require(not step.get("because"), "rests on facts, and needs none")
            number = number_of(term[1], system.kinds[values])
            found = system.evaluate(expression, {pattern[1]: number}.get, system.kinds[values])
        else:
            if isinstance(pattern, str) and pattern.startswith("?"):
                variables, args = [pattern], [term]
                require(system.literal(term) is not None, "no literal")
            else:
                head, *variables = pattern if isinstance(pattern, list) else [pattern]
                require(term[1] == head and term[2] is not None, "a transfer of another operator")
                args = list(term[2])
            require([substitution[v] for v in variables] == args, "other arguments")
            named = {*variables, *(key for key, _, _ in facts)}
            require(set(substitution) == named, "the substitution does not fit the transfer's variables")
            check_facts(ends, step, facts, substitution)
            read = system.values(substitution)
            found = system.evaluate(expression, read, system.kinds[values])
        require(system.is_literal(value, values, found), "the transfer gives another value")
    return Fact(analysis, term, value)


def check_step(system, terms, ends, step):
    """Refuses a step that does not follow, and gives what it proves: its two terms, or a fact. `ends` has
    that of each earlier step."""
    keys(step, "from", "to", "how", optional=["because"])
    left, right = at(terms, step["from"]), at(terms, step["to"])
    how, because = step["how"], step.get("because", [])
    require(isinstance(because, list), "rests on no list of steps")
    for entry in because:
        at(ends, reference(entry)[0])
    if how in ("fold", {"fold": None}):
        require(not because, "rests on facts, and needs none")
        require(system.folds and left[2], "folds what is not an operator on literals")
        values = [system.literal(t) for t in left[2]]
        value = None if None in values else builtin(left[1], values)
        require(system.is_literal(right, left[0], value), "folds to another value")
        return left, right
    (kind, content), *more = how.items()
    require(not more, "proves in two ways at once")
    if kind in ("congruence", "chain"):
        require(isinstance(content, list) and not because, "is no list, or rests on facts")
    else:
        named = {"rule": ["name", "substitution"], "transfer": ["analysis", "transfer", "substitution"]}
        keys(content, *named.get(kind, ["analysis"]))
        texts(*(content[key] for key in ("name", "analysis") if key in content))
    if kind in ("transfer", "equality", "merge"):
        return check_fact(system, terms, ends, step, kind, content)
    if kind == "rule":
        require(content["name"] in system.rules, f"no rule '{content['name']}'")
        lhs, rhs, conditions, sorts, sort, facts = system.rules[content["name"]]
        substitution = {name: at(terms, t) for name, t in content["substitution"].items()}
        found_sorts = {name: term[0] for name, term in substitution.items()}
        require(found_sorts == sorts, "the substitution does not fit the rule's variables")
        check_facts(ends, step, facts, substitution)
        require(system.is_instance(lhs, sort, substitution, left), "not the left-hand side")
        require(all(system.holds(c, substitution) for c in conditions), "a condition fails")
        require(system.is_instance(rhs, sort, substitution, right), "not the right-hand side")
    elif kind == "congruence":
        same = left[:2] == right[:2] and (left[2] is None) == (right[2] is None)
        sides = (left[2] or (), right[2] or ())
        require(same and len(sides[0]) == len(content), "congruence between different operators")
        for proof, a, b in zip(content, *sides):
            proved = a is b if proof is None else follow(ends, proof) == (a, b)
            require(proved, "an argument is not proved equal")
    elif kind == "chain":
        reached = left
        for entry in content:
            start, end = follow(ends, entry)
            require(start is reached, "the chain is broken")
            reached = end
        require(reached is right, "the chain is broken")
    else:
        raise Refused(f"proves by '{kind}'")
    return left, right


def show(term):
    sort, head, args = term
    return f"({head} {' '.join(map(show, args))})" if args else head


def check(system, proof):
    """The two terms that the proof proves equal; raises `Refused` otherwise."""
    keys(proof, "format", "version", "system", "terms", "steps", "root", "start", "end")
    require((proof["format"], proof["version"]) == ("cairn-proof", 1), "another format")
    require(type(proof["version"]) is int, "another format")
    require(isinstance(proof["terms"], list) and isinstance(proof["steps"], list), "no terms or steps")
    require(proof["system"] == system.hash, "made with another rewrite system")
    terms = read_terms(system, proof["terms"])
    ends = []
    for i, step in enumerate(proof["steps"]):
        try:
            ends.append(check_step(system, terms, ends, step))
        except Refused as reason:
            raise Refused(f"step {i}: {reason}") from None
    proved = follow(ends, proof["root"])
    claimed = (at(terms, proof["start"]), at(terms, proof["end"]))
    require(proved == claimed, "the root proves something else")
    return proved


def once(pairs):
    """An object of JSON, none of whose keys may be there twice."""
    found = dict(pairs)
    require(len(found) == len(pairs), "a key that is there twice")
    return found


def no_number(text):
    raise Refused(f"{text} is no number of JSON")


def whole(text):
    """A whole number of JSON. Of those with a sign none is an index."""
    return float(text) if text.startswith("-") else int(text)


def read_proof(text):
    """The JSON of a proof file."""
    text = text.removeprefix("\ufeff")
    return json.loads(text, object_pairs_hook=once, parse_constant=no_number, parse_int=whole)


# What is raised where a file is no proof.
WRONG = (Refused, KeyError, IndexError, TypeError, ValueError, AttributeError)


def check_lines(system, text):
    """Checks a proof a line, and prints a line for each."""
    refused = 0
    for line in text.split("\n")[:-1]:
        try:
            check(system, read_proof(line))
            print("accepted")
        except WRONG as error:
            refused += 1
            print("refused:", type(error).__name__, ascii(str(error)))
    return 1 if refused else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("proofs", type=Path, nargs="*", metavar="proof", help="proof files")
    parser.add_argument("--lines", type=Path, help="a file with a proof a line")
    parser.add_argument("--system", type=Path, required=True, help="the rewrite system, .rules")
    args = parser.parse_args()
    # Terms are as deep as a rule file may nest them.
    sys.setrecursionlimit(20_000)
    try:
        system = System(args.system)
        if args.lines is not None:
            return check_lines(system, args.lines.read_text(encoding="utf-8"))
        proofs = [(path, path.read_text(encoding="utf-8")) for path in args.proofs]
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if not proofs:
        parser.error("expected a proof file")
    refused = 0
    for path, text in proofs:
        try:
            start, end = check(system, read_proof(text))
            print(f"{path}: accepted: {show(start)} = {show(end)}")
        except WRONG as error:
            refused += 1
            print(f"{path}: refused: {type(error).__name__ if not str(error) else error}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
