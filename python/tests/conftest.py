"""What tests share."""

from pathlib import Path

import pytest

import cairn_eqsat as cairn

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def halide() -> cairn.System:
    return cairn.System.load("halide")


@pytest.fixture(scope="session")
def sums() -> cairn.System:
    """Sums that may be swapped and regrouped: their e-graphs grow without end that matters."""
    return cairn.System.from_rules(
        "(sort Int) (variable Int) (op + (Int Int) Int)\n"
        "(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)\n"
        "(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)\n",
        "sums",
    )


@pytest.fixture(scope="session")
def directory(tmp_path_factory):
    """A small model, hardly trained."""
    place = tmp_path_factory.mktemp("model")
    cairn.generate(place / "data", config="quickstart", limit=20)
    cairn.run("train", "--data", place / "data", "--out", place / "model", "--config", "tiny", "--steps", "30",
              "--quiet")
    return place / "model"
