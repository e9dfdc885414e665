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


def test_both_networks_write_the_same_guides_with_the_same_probability(halide, directory):
    rust, python = cairn.Model.load(directory), TorchModel.load(directory)
    for start, target in TASKS:
        ends = halide.term(start), halide.term(target)
        written = rust.guides(*ends, count=6, max_size=60)
        again = python.model.guides(*ends, count=6, max_size=60)
        assert len(written) == 6 and [guide for guide, _ in again] == [guide for guide, _ in written]
        for (guide, chance), (_, same) in zip(written, again, strict=True):
            assert math.isclose(chance, same, abs_tol=2e-3)
        guide, chance = again[0]
        # A word can be spelled in several ways, of which another one may have been written.
        assert float(python.log_probability(*ends, guide, max_size=60).detach()) <= chance + 2e-3


def test_both_networks_guide_a_search_to_the_same_outcome(halide, directory):
    found = []
    for model in cairn.Model.load(directory), TorchModel.load(directory).model:
        # So small that the first e-graph does not suffice.
        answers = cairn.prove(halide, TASKS, model=model, cap=60, work=20_000, scheduler="simple", guides=3)
        assert any(answer.requests > 0 for answer in answers)
        found.append([(bool(answer), answer.work, answer.e_graphs, answer.waypoints) for answer in answers])
    assert found[0] == found[1]
