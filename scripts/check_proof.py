#!/usr/bin/env python3
"""Check a proof file, independently of cairn: a second opinion on `cairn check`.

    python scripts/check_proof.py proof.json --system configs/systems/halide.rules
    python scripts/check_proof.py results/proofs/*.json --system results/system.rules

Written from docs/formats.md and docs/systems.md alone; needs nothing but Python. Exit code 1: a
proof was refused; 2: a file can't be read.
"""

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

I64 = range(-(2**63), 2**63)
# Kinds of arguments and result; i for 64-bit integers, b for truth values.
BUILTINS = {
    **{(op, "ii"): "i" for op in ["+", "-", "*", "/", "%", "min", "max"]},
    **{(op, "i"): "i" for op in ["-", "abs"]},
    **{(op, "ii"): "b" for op in ["<", "<=", ">", ">=", "==", "!="]},
    **{(op, "bb"): "b" for op in ["&&", "||"]},
    ("!", "b"): "b",
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


def builtin(op, values):
    """The value of a built-in operator on Python ints and bools, None if there is none."""
    kinds = "".join("b" if isinstance(v, bool) else "i" for v in values)
    if (op, kinds) not in BUILTINS:
        return None
    a, b = values if len(values) == 2 else (values[0], None)
    if op in ("/", "%"):
        # Euclidean: the remainder is never negative; by zero both are zero.
        remainder = a % abs(b) if b else 0
        value = remainder if op == "%" else ((a - remainder) // b if b else 0)
    else:
        value = {
            "+": lambda: a + b,
            "-": lambda: -a if b is None else a - b,
            "*": lambda: a * b,
            "min": lambda: min(a, b),
            "max": lambda: max(a, b),
            "abs": lambda: abs(a),
            "<": lambda: a < b,
            "<=": lambda: a <= b,
            ">": lambda: a > b,
            ">=": lambda: a >= b,
            "==": lambda: a == b,
            "!=": lambda: a != b,
            "&&": lambda: a and b,
            "||": lambda: a or b,
            "!": lambda: not a,
        }[op]()
    return value if isinstance(value, bool) or value in I64 else None


def is_value(found, value):
    """Whether both are the same value; 1 and true are not."""
    return value is not None and type(found) is type(value) and found == value


def at(items, index):
    """The item at an index of a proof file."""
    require(type(index) is int and 0 <= index < len(items), f"there is no index {index}")
    return items[index]


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
        declarations = read_sexprs(data.decode())
        for keyword, *args in declarations:
            if keyword == "op":
                sorts = [sort if isinstance(sort, list) else [sort] for sort in args[1]]
                self.operators[args[0]] = ([sort[-1] for sort in sorts], args[2])
                self.binds[args[0]] = [sort[1] if len(sort) > 1 else None for sort in sorts]
            elif keyword == "literal":
                self.kinds[args[1]] = {"i64": "i", "bool": "b"}[args[0]]
            elif keyword == "analysis":
                self.folds = True
        for keyword, *args in declarations:
            if keyword in ("rewrite", "birewrite"):
                options = dict(zip(args[2::2], args[3::2]))
                # A rule without a name is unknown here: a proof that uses it is refused.
                name = options.get(":name", "")
                self.add_rule(name, args[0], args[1], options.get(":when", []))
                if keyword == "birewrite":
                    self.add_rule(f"{name}-rev", args[1], args[0], options.get(":when", []))

    def add_rule(self, name, left, right, conditions):
        sort = self.sort_of_application(left) or self.sort_of_application(right)
        sorts = {}
        self.variable_sorts(left, sort, sorts)
        self.rules[name] = (left, right, conditions, sorts, sort)

    def sort_of_application(self, pattern):
        name = pattern[0] if isinstance(pattern, list) else pattern
        return self.operators[name][1] if name in self.operators else None

    def variable_sorts(self, pattern, sort, found):
        if isinstance(pattern, list):
            for argument, of in zip(pattern[1:], self.operators[pattern[0]][0]):
                self.variable_sorts(argument, of, found)
        elif pattern.startswith("?"):
            found[pattern] = sort

    def literal(self, term):
        """The value of a term (sort, head, arguments) that is a literal, otherwise None."""
        sort, head, args = term
        kind = self.kinds.get(sort)
        if args is not None or kind is None:
            return None
        if kind == "b":
            return {"0": False, "1": True}.get(head)
        is_integer = re.fullmatch(r"-?[0-9]+", head) and int(head) in I64
        return int(head) if is_integer else None

    def is_instance(self, pattern, sort, substitution, term):
        """Whether `term` is the pattern, of this sort, with its variables replaced."""
        if isinstance(pattern, list) and pattern[0] == "compute":
            value = self.evaluate(pattern[1], substitution)
            return term[0] == sort and is_value(self.literal(term), value)
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
            value = self.evaluate(pattern[1], substitution)
            require(value is not None, "a computation has no value")
            return (sort, str(int(value)), None)
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
        return (sort, pattern if pattern.startswith("%") else str(int(pattern)), None)

    def sort_of(self, pattern, substitution):
        """The sort of what is put in place of a variable."""
        bound = {sort for sorts in self.binds.values() for sort in sorts if sort}
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
                elif re.fullmatch(r"%[0-9]+", head):
                    new = becomes(int(head[1:]), depth, sort)
                    new = (sort, f"%{new}", None) if isinstance(new, int) else new
                else:
                    new = term
                known[id(term), depth] = (new, term)
            return known[id(term), depth][0]

        return walk(term, 0)

    def evaluate(self, expression, substitution):
        """The value of an expression of a condition, None if it has none."""
        if isinstance(expression, list):
            values = [self.evaluate(e, substitution) for e in expression[1:]]
            return None if None in values else builtin(expression[0], values)
        if expression.startswith("?"):
            return self.literal(substitution[expression])
        return int(expression)

    def holds(self, condition, substitution):
        if condition[0] == "const":
            return self.literal(substitution[condition[1]]) is not None
        return self.evaluate(condition, substitution) is True


def read_terms(system, entries):
    """The terms as nested tuples (sort, head, arguments or None), equal if they are the same."""
    terms, known = [], {}
    for i, entry in enumerate(entries):
        if "leaf" in entry:
            require(entry["leaf"] not in system.operators, f"term {i}: an operator as a leaf")
            term = (entry["sort"], entry["leaf"], None)
        else:
            sorts, result = system.operators[entry["op"]]
            args = tuple(at(terms, a) for a in entry["args"])
            require([a[0] for a in args] == sorts, f"term {i}: arguments of other sorts")
            term = (result, entry["op"], args)
        # Equal terms as one object, so that comparing them is quick.
        terms.append(known.setdefault(term, term))
    return terms


def follow(ends, reference):
    """The two terms of a step, in the direction of the reference."""
    if isinstance(reference, dict):
        return at(ends, reference["reverse"])[::-1]
    return at(ends, reference)


def check_step(system, terms, ends, step):
    """Refuses a step that does not follow; `ends` are the two terms of each earlier step."""
    left, right = at(terms, step["from"]), at(terms, step["to"])
    how = step["how"]
    if how == "fold":
        require(system.folds and left[2], "folds what is not an operator on literals")
        values = [system.literal(t) for t in left[2]]
        value = None if None in values else builtin(left[1], values)
        same = is_value(system.literal(right), value) and right[0] == left[0]
        require(same, "folds to another value")
        return
    (kind, content), *more = how.items()
    require(not more, "proves in two ways at once")
    if kind == "rule":
        require(content["name"] in system.rules, f"no rule '{content['name']}'")
        lhs, rhs, conditions, sorts, sort = system.rules[content["name"]]
        substitution = {name: at(terms, t) for name, t in content["substitution"].items()}
        found_sorts = {name: term[0] for name, term in substitution.items()}
        require(found_sorts == sorts, "the substitution does not fit the rule's variables")
        require(system.is_instance(lhs, sort, substitution, left), "not the left-hand side")
        require(all(system.holds(c, substitution) for c in conditions), "a condition fails")
        require(system.is_instance(rhs, sort, substitution, right), "not the right-hand side")
    elif kind == "congruence":
        same = left[:2] == right[:2] and left[2] is not None and right[2] is not None
        require(same and len(left[2]) == len(content), "congruence between different operators")
        for proof, a, b in zip(content, left[2], right[2]):
            proved = a is b if proof is None else follow(ends, proof) == (a, b)
            require(proved, "an argument is not proved equal")
    elif kind == "chain":
        reached = left
        for reference in content:
            start, end = follow(ends, reference)
            require(start is reached, "the chain is broken")
            reached = end
        require(reached is right, "the chain is broken")
    else:
        raise Refused(f"proves by '{kind}'")


def show(term):
    sort, head, args = term
    return f"({head} {' '.join(map(show, args))})" if args else head


def check(system, proof):
    """The two terms that the proof proves equal; raises `Refused` otherwise."""
    require((proof["format"], proof["version"]) == ("cairn-proof", 1), "another format")
    require(proof["system"] == system.hash, "made with another rewrite system")
    terms = read_terms(system, proof["terms"])
    ends = []
    for i, step in enumerate(proof["steps"]):
        try:
            check_step(system, terms, ends, step)
        except Refused as reason:
            raise Refused(f"step {i}: {reason}") from None
        ends.append((terms[step["from"]], terms[step["to"]]))
    proved = follow(ends, proof["root"])
    claimed = (at(terms, proof["start"]), at(terms, proof["end"]))
    require(proved == claimed, "the root proves something else")
    return proved


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("proofs", type=Path, nargs="+", metavar="proof", help="proof files")
    parser.add_argument("--system", type=Path, required=True, help="the rewrite system, .rules")
    args = parser.parse_args()
    # Terms are as deep as a rule file may nest them.
    sys.setrecursionlimit(20_000)
    try:
        system = System(args.system)
        proofs = [(path, json.loads(path.read_text())) for path in args.proofs]
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    refused = 0
    for path, proof in proofs:
        try:
            start, end = check(system, proof)
            print(f"{path}: accepted: {show(start)} = {show(end)}")
        except (Refused, KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            refused += 1
            print(f"{path}: refused: {type(error).__name__ if not str(error) else error}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
