"""The network in PyTorch gives what the one in Rust gives, from the same checkpoint."""

import math

import pytest

import cairn_eqsat as cairn

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from cairn_eqsat.torch_model import TorchModel  # noqa: E402

TASKS = [
    ("(<= (+ (* 2 x) (* 2 y)) (* 2 z))", "(<= (+ y x) z)"),
    ("(+ (max x y) 3)", "(max (+ y 3) (+ 3 x))"),
    ("(+ (* 17 x) 4)", "(+ 4 (* x 17))"),
]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    place = tmp_path_factory.mktemp("torch")
    cairn.generate(place / "data", config="quickstart", limit=20)
    cairn.run("train", "--data", place / "data", "--out", place / "model", "--config", "tiny", "--steps", "30",
              "--quiet")
    return place / "model"


def test_both_networks_give_every_guide_the_same_probability(halide, directory):
    rust, python = cairn.Model.load(directory), TorchModel.load(directory)
    alike = []
    for start, target in TASKS:
        ends = halide.term(start), halide.term(target)
        for guide, log_probability in rust.guides(*ends, count=6, max_size=60):
            found = python.log_probability(*ends, guide, max_size=60)
            alike.append(math.isclose(found, log_probability, abs_tol=2e-3))
        for guide, log_probability in python.guides(*ends, count=4, max_size=60):
            assert guide.size <= 60 and guide.sort == ends[0].sort
            assert log_probability < 0
    # A word can be spelled in several ways, of which another one may have been written.
    assert len(alike) > 10 and alike.count(False) <= len(alike) // 10, alike


def test_a_model_in_python_guides_a_search(halide, directory):
    model = TorchModel.load(directory)
    # So small that the first e-graph does not suffice.
    answer = cairn.prove(halide, *TASKS[0], guides=model, cap=60, work=20_000, scheduler="simple", per_request=3)
    assert answer.requests > 0 and answer.guide_seconds > 0
    again = cairn.prove(halide, *TASKS[0], guides=model, cap=60, work=20_000, scheduler="simple", per_request=3)
    assert (again.work, bool(again)) == (answer.work, bool(answer))


def test_only_what_is_allowed_is_written(halide, directory):
    draft = TorchModel.load(directory).tokens.draft(halide.term("(+ x y)"), halide.term("(+ y x)"), max_size=3)
    assert not draft.complete
    forbidden = next(token for token in range(1000) if token not in draft.allowed())
    with pytest.raises(cairn.CairnError, match="not allowed here"):
        draft.push(forbidden)
    while not draft.complete:
        draft.push(draft.allowed()[0])
    assert draft.term().size <= 3
    sums = cairn.System.from_rules("(sort Int) (variable Int) (op + (Int Int) Int)")
    with pytest.raises(cairn.CairnError, match="another rewrite system"):
        TorchModel.load(directory).tokens.draft(sums.term("(+ x y)"), sums.term("x"))
