"""A function in the place of a model's network."""

import math

import pytest

import cairn_eqsat as cairn
from cairn_eqsat._native import Tokens

TASK = "(<= (+ (* 2 x) (* 2 y)) (* 2 z))", "(<= (+ y x) z)"


@pytest.fixture(scope="module")
def even(directory):
    """A network to which all tokens are equally likely, and how often it was asked."""
    tokens, asked = len(Tokens.load(directory)), []

    def network(drafts):
        asked.append(len(drafts))
        assert all(draft.start()[1] and draft.target()[1] and not draft.complete for draft in drafts)
        return [[0.0] * tokens] * len(drafts)

    return cairn.Model.load(directory, network=network), asked


def test_what_it_finds_likely_is_written(halide, directory, even):
    model, asked = even
    ends = [halide.term(text) for text in TASK]
    guides = model.guides(*ends, count=5, max_size=9, nucleus=1.0)
    assert len({guide for guide, _ in guides}) == 5 and max(asked) == 5
    alike = 0
    for guide, log_probability in guides:
        assert guide.size <= 9 and guide.sort == ends[0].sort
        draft, total = Tokens.load(directory).draft(*ends, max_size=9), 0.0
        for token in draft.tokens_of(guide):
            total -= math.log(len(draft.allowed()))
            draft.push(token)
        # A word can be spelled in several ways, of which another one may have been written.
        alike += math.isclose(total, log_probability, abs_tol=1e-3)
    assert alike >= 4
    # The tokens of one certain guide: it is the first.
    wanted = Tokens.load(directory).draft(*ends, max_size=9).tokens_of(ends[1])

    def certain(drafts):
        rows = []
        for draft in drafts:
            written = len(draft.guide()[1]) - 1
            row = [0.0] * len(Tokens.load(directory))
            row[wanted[written] if written < len(wanted) else 0] = 50.0
            rows.append(row)
        return rows

    first, log_probability = cairn.Model.load(directory, network=certain).guides(*ends, count=3, max_size=9)[0]
    assert first == ends[1] and log_probability > -1e-3


def test_it_guides_a_search(halide, even):
    # So small that the first e-graph does not suffice.
    found = [cairn.prove(halide, *TASK, model=even[0], cap=60, work=20_000, scheduler="simple", guides=3)
             for _ in range(2)]
    assert found[0].requests > 0 and found[0].guide_seconds > 0
    assert len({(bool(answer), answer.work, answer.e_graphs) for answer in found}) == 1


def test_what_it_gives_is_checked(halide, directory):
    ends = halide.term("(+ x y)"), halide.term("(+ y x)")
    for network, message in [
        (lambda drafts: [], "expected 1 rows of"),
        (lambda drafts: [[0.0]], "a number for each token"),
        (lambda drafts: [[float("nan")] * len(Tokens.load(directory))], "is not a number"),
    ]:
        with pytest.raises(cairn.CairnError, match=message):
            cairn.Model.load(directory, network=network).guides(*ends)
    with pytest.raises(ZeroDivisionError):
        cairn.Model.load(directory, network=lambda drafts: 1 / 0).guides(*ends)


def test_only_what_is_allowed_is_written(halide, directory):
    draft = Tokens.load(directory).draft(halide.term("(+ x y)"), halide.term("(+ y x)"), max_size=3)
    assert not draft.complete
    forbidden = next(token for token in range(1000) if token not in draft.allowed())
    with pytest.raises(cairn.CairnError, match="not allowed here"):
        draft.push(forbidden)
    while not draft.complete:
        draft.push(draft.allowed()[0])
    assert draft.term().size <= 3
    sums = cairn.System.from_rules("(sort Int) (variable Int) (op + (Int Int) Int)")
    with pytest.raises(cairn.CairnError, match="another rewrite system"):
        Tokens.load(directory).draft(sums.term("(+ x y)"), sums.term("x"))
