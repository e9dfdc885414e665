"""Every example of a docstring runs, in what is written in Rust, too."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import cairn_eqsat

#: They need an optional package, and have tests of their own.
OPTIONAL = {"cairn_eqsat.torch_model", "cairn_eqsat.torch_transformer"}


def documented():
    modules = [cairn_eqsat]
    for info in pkgutil.iter_modules(cairn_eqsat.__path__, "cairn_eqsat."):
        if info.name not in OPTIONAL and not info.name.endswith("__main__"):
            modules.append(importlib.import_module(info.name))
    seen = set()
    for module in modules:
        yield module.__name__, module.__doc__
        for name, value in vars(module).items():
            if name.startswith("_") or inspect.ismodule(value) or id(value) in seen:
                continue
            if not getattr(value, "__module__", "").startswith("cairn_eqsat"):
                continue
            seen.add(id(value))
            yield f"{module.__name__}.{name}", value.__doc__
            if inspect.isclass(value):
                for member, what in vars(value).items():
                    what = getattr(what, "__func__", what)
                    yield f"{module.__name__}.{name}.{member}", getattr(what, "__doc__", None)


EXAMPLES = {name: doc for name, doc in documented() if doc and ">>>" in doc}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name):
    text = inspect.cleandoc(EXAMPLES[name])
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    said = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert not said, "".join(said)


def test_the_classes_of_both_languages_have_examples():
    for name in ["System", "Term", "EGraph", "EGraph.run", "Proof", "prove", "optimise", "rules", "run"]:
        assert f"cairn_eqsat.{name}" in EXAMPLES


def test_everything_public_is_documented():
    for name in cairn_eqsat.__all__:
        value = getattr(cairn_eqsat, name)
        assert value.__doc__, name
        if inspect.isclass(value):
            for member, what in vars(value).items():
                if not member.startswith("_") and not isinstance(what, (int, str, bool, type(None))):
                    assert getattr(what, "__doc__", None), f"{name}.{member}"
