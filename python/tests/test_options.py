"""Keywords are the options of the program: names, defaults and bounds.

`cairn_eqsat/_options.py` is written by `python python/tests/test_options.py`, from what the program's help says.
"""

import ast
import inspect
import re
import textwrap
from pathlib import Path

import pytest

import cairn_eqsat as cairn
from cairn_eqsat._native import arguments

FILE = Path(cairn.__file__).parent / "_options.py"
#: The command that has the options of a struct, and what they are for.
STRUCTS = {
    "SearchOptions": ("prove", "How :func:`prove` searches, and :func:`evaluate`."),
    "OptimiseOptions": ("optimise", "How :func:`optimise` looks for the best term."),
    "TaskOptions": ("tasks", "How :func:`tasks` makes tasks."),
    "LearnOptions": ("learn", "How :func:`learn` learns a ranker."),
    "FindOptions": ("rules find", "How :func:`find_rules` looks for rules."),
}
KINDS = {"flag": "bool", "whole": "int", "number": "float", "text": "str", "whole or text": "int | str"}

#: What only one side has, and why.
OF_PROGRAM_ALONE = {
    # Where it is computed, and what is shown or written: objects of Python, or its own doing.
    "device", "quiet", "verbose", "help", "out", "format", "no_shorten", "show_guides", "picture", "c", "c_type", "c_file",
    # Many questions are a list, and a network that is said to be none is False.
    "terms", "tasks", "shard", "mlir", "llvm", "no_ranker", "from_nothing",
    # A file of guides: a function gives any.
    "expert",
}
OF_PYTHON_ALONE = {
    # Functions, and whether a bar is shown.
    "propose", "score", "progress",
}


def options_of(struct):
    return [(name, kind, text) for name, by, kind, text in arguments(STRUCTS[struct][0]) if by == struct]


def generated():
    """The text of `_options.py`."""
    lines = ['"""The options of searches, as the program has them. Written by `python/tests/test_options.py`."""', "",
             "from typing import TypedDict", ""]
    for struct, (_, about) in STRUCTS.items():
        lines += ["", f"class {struct}(TypedDict, total=False):", f'    """{about}"""', ""]
        for name, kind, text in options_of(struct):
            text = re.sub(r"--([a-z-]+)", lambda flag: f"``{flag[1].replace('-', '_')}``", " ".join(text.split()))
            lines += textwrap.wrap(text, 110, initial_indent="    #: ", subsequent_indent="    #: ")
            lines += [f"    {name}: {KINDS[kind] if name != 'memory' else 'int | str'}"]
        lines += [""]
    return "\n".join(lines)


def test_the_options_of_functions_are_those_of_the_program():
    assert FILE.read_text() == generated(), "python python/tests/test_options.py writes it"


@pytest.mark.parametrize("function, struct", [("prove", "SearchOptions"), ("optimise", "OptimiseOptions")])
def test_keywords_have_the_names_of_arguments(function, struct):
    keywords = set(inspect.signature(getattr(cairn, function)).parameters) - {"options"}
    keywords |= getattr(cairn, struct).__annotations__.keys()
    program = {name for name, *_ in arguments(function)}
    assert program - keywords == program & OF_PROGRAM_ALONE
    assert keywords - program == keywords & OF_PYTHON_ALONE


@pytest.mark.parametrize("function, struct, own", [
    ("tasks", "TaskOptions", set()), ("learn", "LearnOptions", set()), ("evaluate", "SearchOptions", set()),
    ("find_rules", "FindOptions", {"values", "meanings"})])
def test_stages_have_keywords_that_the_program_has(function, struct, own):
    keywords = set(inspect.signature(getattr(cairn, function)).parameters) - {"options", "progress"} - own
    keywords |= getattr(cairn, struct).__annotations__.keys()
    program = {name for name, *_ in arguments(STRUCTS[struct][0] if own else function)}
    assert {name.rstrip("_") for name in keywords} <= program


VALUES = ["0", "1", "-1", "1.5", "1000", "1001", "18446744073709551615", "18446744073709551616", "nan", "some", ""]
QUESTION = ["(+ x 0)", "x"]


def accepts(call):
    try:
        call()
    except (cairn.CairnError, TypeError) as error:
        return isinstance(error, cairn.NotProved)
    return True


def in_python(text):
    """What stands for a text of the command line."""
    if text == "nan":
        return float("nan")
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


@pytest.mark.parametrize("function, struct, terms", [
    ("prove", "SearchOptions", {"start": QUESTION[0], "target": QUESTION[1]}),
    ("optimise", "OptimiseOptions", {"term": QUESTION[0]}),
])
def test_both_sides_have_the_same_bounds(halide, function, struct, terms):
    given = [f"--{name}={term}" for name, term in terms.items()]
    beside = {"exact_time": {"shared": True}}
    for name, kind, _ in options_of(struct):
        # Whatever text a cost, a goal or a strategy is, the rewrite system says what is one.
        if kind in {"flag", "text"} and name != "scheduler":
            continue
        more = beside.get(name, {})
        flags = [f"--{flag.replace('_', '-')}" for flag in more]
        for value in VALUES:
            word = f"--{name.replace('_', '-')}={value}"
            program = accepts(lambda: cairn.run(function, "--system", "halide", *given, *flags, word, "--quiet"))
            python = accepts(lambda: getattr(cairn, function)(halide, *terms.values(), **more, **{name: in_python(value)}))
            assert program == python, (name, value)


def test_mistakes_say_the_keyword_and_what_was_expected(halide):
    for keywords, kind, why in [
        ({"slak": 3}, TypeError, "unexpected keyword argument 'slak'.*did you mean 'slack'"),
        ({"slack": "much"}, TypeError, "slack: expected a whole number .*, found 'much'"),
        ({"nucleus": "much"}, TypeError, "nucleus: expected a number, found 'much'"),
        ({"walk": True}, TypeError, "walk: expected a whole number .*, found True"),
        ({"cap": [4]}, TypeError, "cap: expected a number or a text, found list"),
        ({"cap": "much"}, cairn.CairnError, "cap: expected a number of e-nodes .*, found 'much'"),
        ({"walk": 0}, cairn.CairnError, "walk 0: expected 1 to 1000"),
        ({"scheduler": "none"}, cairn.CairnError, "scheduler: .*`none`.*`best-first`"),
        ({"methods": ["deep"]}, cairn.CairnError, "methods: "),
    ]:
        with pytest.raises(kind, match=why):
            cairn.prove(halide, *QUESTION, **keywords)
    with pytest.raises(TypeError, match="unexpected keyword argument 'lynks'"):
        cairn.tasks("no.parquet", system="halide", seeds="halide", lynks=3)


def test_old_names_do_what_they_did_and_say_the_new_ones(halide, tmp_path):
    with pytest.warns(DeprecationWarning, match="guides= is called propose= now"):
        assert cairn.prove(halide, *QUESTION, guides=lambda request: [])
    with pytest.warns(DeprecationWarning, match="per_request= is called guides= now"):
        assert cairn.prove(halide, *QUESTION, per_request=3)
    with pytest.warns(DeprecationWarning, match="exact= is called exact_time= now"):
        assert cairn.optimise(halide, QUESTION[0], cost="size", shared=True, exact=1.0)
    with pytest.warns(DeprecationWarning, match="cap= is called beyond= now"), pytest.raises(cairn.CairnError):
        cairn.tasks(tmp_path / "tasks.parquet", system="halide", seeds="no.txt", cap=300)


def test_a_strategy_is_followed(halide):
    best = cairn.optimise(halide, "(+ x 0)", cost="size", strategy="(repeat 2 (run))")
    assert str(best.term) == "x" and best.ended == "strategy"
    with pytest.raises(cairn.CairnError, match="strategy: it is all that is done"):
        cairn.optimise(halide, "(+ x 0)", cost="size", strategy="(run)", patience=3)


if __name__ == "__main__":
    FILE.write_text(generated())
