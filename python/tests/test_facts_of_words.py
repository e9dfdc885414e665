"""What words.rules says of bits that are known to be zero, held against all words of few bits.

A rule that reads a fact is no query for a solver. Here each such rule, and each transfer, is instantiated at small widths, and evaluated by what
scripts/check_proof.py knows of operators, on all words and all sets of bits that are zero in them.
"""

import itertools
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import check_proof  # noqa: E402



@pytest.fixture(scope="module")
def system(tmp_path_factory):
    text = (ROOT / "configs/systems/words.rules").read_text()
    before = "(8 16 32 64)", "((8 16) (8 32) (8 64) (16 32) (16 64) (32 64))", "((8 16 32) (8 16 64) (8 32 64) (16 32 64))"
    # Of one bit a truth value has the name, so the least width is 2.
    after = "(2 3 4)", "((2 3) (2 4) (3 4))", "((2 3 4))"
    for old, new in zip(before, after):
        assert old in text
        text = text.replace(old, new)
    path = tmp_path_factory.mktemp("words") / "small.rules"
    path.write_text(text)
    return check_proof.System(path)


def value(system, pattern, sort, values):
    """The value of a pattern, or of an expression of it."""
    kind = system.kinds[sort]
    if isinstance(pattern, list) and pattern[0] == "compute":
        return system.evaluate(pattern[1], values, kind)
    if isinstance(pattern, list):
        sorts, _ = system.operators[pattern[0]]
        args = [value(system, part, of, values) for part, of in zip(pattern[1:], sorts)]
        return None if None in args else check_proof.builtin(pattern[0], args)
    return values(pattern) if pattern.startswith("?") else check_proof.read_literal(kind, pattern)


def all_values(kind):
    return [("b", truth) for truth in (False, True)] if kind == "b" else [(kind, word) for word in range(2**kind)]


def assignments(system, sorts, facts):
    """All values of variables, with all facts that are true of them."""
    variables = [name for name in sorts if name.startswith("?")]
    for values in itertools.product(*(all_values(system.kinds[sorts[name]]) for name in variables)):
        known = dict(zip(variables, values))
        zeros = []
        for key, _, variable in facts:
            kind, word = known[variable]
            zeros.append([(key, (kind, zero)) for zero in range(2**kind) if zero & word == 0])
        for chosen in itertools.product(*zeros):
            yield known | dict(chosen)


def test_rules_that_read_facts_are_true(system):
    read = 0
    for name, (left, right, conditions, sorts, sort, facts) in system.rules.items():
        if not facts:
            continue
        read, applied = read + 1, 0
        for known in assignments(system, sorts, facts):
            if all(c[0] == "const" or system.evaluate(c, known.get, "b") == ("b", True) for c in conditions):
                applied += 1
                assert value(system, left, sort, known.get) == value(system, right, sort, known.get), (name, known)
        assert applied, f"{name} never applies"
    assert read > 50


def test_transfers_are_true(system):
    looked_at = 0
    for analysis, term, expression in system.transfers:
        sort = system.analyses[analysis][0]
        if isinstance(term, str):
            looked_at += 1
            for kind, word in all_values(system.kinds[sort]):
                zero = system.evaluate(expression, {term: (kind, word)}.get, kind)
                assert zero[1] & word == 0
            continue
        sorts = dict(zip(term[1:], system.operators[term[0]][0]))
        facts = system.facts_of(expression)
        looked_at += 1
        # As a literal, an argument may be read itself.
        for known in assignments(system, sorts, facts):
            zero = system.evaluate(expression, known.get, system.kinds[sort])
            result = value(system, term, sort, known.get)
            assert zero is None or zero[1] & result[1] == 0, (term, expression, known)
    assert looked_at > 60
