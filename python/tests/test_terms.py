"""Systems and terms: read, built, compared, sent."""

import copy
import pickle
from fractions import Fraction

import pytest

import cairn_eqsat as cairn


def test_terms_of_different_origins_are_equal(halide):
    parsed = halide.term("(* (+ x y) (+ x y))")
    x, y = parsed.children[0].children
    built = (x + y) * (x + y)
    assert parsed == built
    assert hash(parsed) == hash(built)
    assert len({parsed, built, x, y}) == 3
    assert parsed != x
    assert parsed != halide.term("(* (+ x y) (+ y x))")
    assert not (parsed == "(* (+ x y) (+ x y))")


def test_terms_of_other_systems_are_not_equal_and_can_not_be_mixed(halide, sums):
    assert halide.term("(+ x y)") != sums.term("(+ x y)")
    with pytest.raises(cairn.CairnError, match="term of another system"):
        halide["+"](sums.term("x"), 1)


def test_a_term_knows_its_parts(halide):
    term = halide.term("(+ (* 2 x) (+ (* 2 x) y))")
    assert (term.op, term.size, term.sort, term.variables) == ("+", 9, "Int", ["x", "y"])
    assert [str(part) for part in term.subterms()][-1] == str(term)
    assert len(term.subterms()) == 6
    assert term.children[0].children[0].value == 2
    assert term.value is None
    assert str(term.replace([1, 1], "(- y 1)")) == "(+ (* 2 x) (+ (* 2 x) (- y 1)))"
    with pytest.raises(cairn.CairnError, match=r"no subterm at \[7\]"):
        term.replace([7], "y")
    with pytest.raises(cairn.TermError):
        term.replace([0], "(< x y)")


def test_literals_have_the_values_that_they_are(halide):
    assert halide.term("1", "Bool").value is True
    assert halide.term("-3").value == -3
    bounds = cairn.System.load("bounds")
    kinds = {type(bounds.term(text, sort).value)
             for sort in bounds.sorts for text in ["1/2"] if readable(bounds, text, sort)}
    assert Fraction in kinds


def readable(system, text, sort):
    try:
        return system.term(text, sort).value is not None
    except cairn.TermError:
        return False


def test_operators_build_terms(halide):
    x = halide.term("x", "Int")
    assert str(1 + x - 2) == "(- (+ 1 x) 2)"
    assert str(-x) == "(- 0 x)"
    assert str(halide["<"](x, 3)) == "(< x 3)"
    with pytest.raises(cairn.CairnError, match="'<' takes 2 arguments, found 1"):
        halide["<"](x)
    with pytest.raises(TypeError, match="no operator '@' of two arguments"):
        x @ x
    with pytest.raises(TypeError, match="expected a term"):
        x + None
    with pytest.raises(KeyError, match="did you mean"):
        halide["mx"]
    with pytest.raises(TypeError):
        x < x


def test_a_mistake_in_a_term_has_its_place(halide):
    with pytest.raises(cairn.TermError) as caught:
        halide.term("(+ x\n (plus y 1))")
    assert (caught.value.line, caught.value.column) == (2, 3)
    assert "unknown operator 'plus'" in caught.value.reason
    with pytest.raises(cairn.CairnError, match="unknown sort 'Itn'.*did you mean 'Int'"):
        halide.term("x", sort="Itn")


def test_a_mistake_in_a_rules_file_has_its_file_and_place(tmp_path):
    file = tmp_path / "wrong.rules"
    file.write_text("(sort Int)\n\n  (rewrite (+ ?a 0) ?a)\n")
    with pytest.raises(cairn.RuleFileError) as caught:
        cairn.System.load(file)
    error = caught.value
    assert (error.file, error.line, error.column) == (str(file), 3, 13)
    assert str(error) == f"{file}:3:13: {error.reason}"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.column) == (cairn.RuleFileError, str(error), 13)


def test_a_file_that_is_not_there_is_one_message():
    with pytest.raises(cairn.CairnError, match="one of arith, bitvectors, bounds"):
        cairn.System.load("halid")
    with pytest.raises(cairn.CairnError, match=r"no/such\.rules"):
        cairn.System.load("no/such.rules")


@pytest.mark.parametrize("name", cairn.System.shipped())
def test_systems_survive_pickling(name):
    system = cairn.System.load(name)
    again = pickle.loads(pickle.dumps(system))
    assert again == system and hash(again) == hash(system)
    assert (again.name, again.rules) == (name, system.rules)
    assert len(system.operators) == len(pickle.loads(pickle.dumps(system.operators)))


@pytest.mark.parametrize("text, sort", [("(+ (* 2 x) (max y -7))", None), ("1", "Bool")])
def test_terms_survive_pickling_and_copying(halide, text, sort):
    term = halide.term(text, sort)
    for again in [pickle.loads(pickle.dumps(term)), copy.deepcopy(term)]:
        assert again == term and again.sort == term.sort and hash(again) == hash(term)


def test_a_term_that_shares_its_parts_is_no_larger_than_they_are(halide):
    term = halide.term("x", "Int")
    for _ in range(60):
        term = term + term
    assert term.size == 2**61 - 1
    assert term == term.children[0] + term.children[1]
    assert "…" in repr(term)


def test_rules_in_python_are_the_text_of_a_file():
    language = cairn.Language("small", constants=True)
    Int = language.sort("Int", literals="i64", variables=True)
    div = language.op("/", Int, Int, to=Int)
    language.op("*", Int, Int, to=Int, cost=3)
    x, c = cairn.variables("x c")
    system = language.system(
        (div(x * c, c) == x).when("(const ?c)", c != 0).named("cancel").of("fast"),
        x * c == c * x,
        schedule="(saturate (run fast) (run))",
    )
    assert system.rulesets == ["fast"] and "cancel" in system.rules
    assert "(rewrite (/ (* ?x ?c) ?c) ?x :when ((const ?c) (!= ?c 0)) :name cancel :ruleset fast)" in system.text
    egraph = cairn.EGraph(system)
    start, other = egraph.add("(/ (* 3 y) 3)"), egraph.add("(/ (* 0 y) 0)")
    egraph.run(iterations=5)
    assert egraph.equal(start, "y") and not egraph.equal(other, "y")


def test_a_rule_is_no_truth_value_and_a_mistake_in_it_is_located():
    language = cairn.Language("small")
    Int = language.sort("Int", variables=True)
    f = language.op("f", Int, to=Int)
    (x,) = cairn.variables("x")
    with pytest.raises(TypeError, match="neither true nor false"):
        assert f(x) == x
    with pytest.raises(TypeError, match="'f' takes 1 arguments, found 2"):
        f(x, x)
    with pytest.raises(cairn.RuleFileError) as caught:
        language.system(f(x) == x, f(x) == "?y")
    assert caught.value.file == "small"
    assert language.system(f(x) == x).text.splitlines()[-1] == "(rewrite (f ?x) ?x)"
    assert caught.value.line == 5


def test_terms_of_any_depth_are_pickled_copied_and_added(halide):
    deep = halide.term("z", "Int")
    for _ in range(1_100):
        deep = deep + 1
    for again in [pickle.loads(pickle.dumps(deep)), copy.deepcopy(deep), cairn.Term.from_rows(halide, deep.rows())]:
        assert again == deep and again.size == deep.size and again.sort == "Int"
    assert halide.term(str(deep)) == deep
    with pytest.raises(cairn.TermError, match="nested more than 30000 deep"):
        halide.term("(+ 1 " * 30_001 + "x" + ")" * 30_001)
    egraph = cairn.EGraph(halide)
    egraph.add(deep)
    with pytest.raises(cairn.CairnError, match="the equality can't become a rule of the system: a term of 2201 nodes is given .*at most 1000") as refused:
        egraph.union(deep, "y")
    assert not isinstance(refused.value, cairn.RuleFileError)


def test_equal_parts_are_pickled_once_and_rows_are_looked_at(halide):
    wide = halide.term("z", "Int")
    for _ in range(60):
        wide = wide + wide
    assert len(pickle.dumps(wide)) < len(pickle.dumps(halide)) + 10_000 and pickle.loads(pickle.dumps(wide)) == wide
    lambdas = cairn.System.load("lambda")
    term = lambdas.term("(lam x (app (lam y (+ x y)) 1))")
    assert pickle.loads(pickle.dumps(term)) == term
    for rows, why in [
        ([], "expected a row at least"), ([("x", "Int", []), ("+", "Int", [0, 1])], "row 1 is no term of halide"),
        ([("x", "Int", []), ("+", "Bool", [0, 0])], "row 1 is no term"), ([("x", "Int", []), ("+", "Int", [0])], "row 1 is no term"),
        ([("x", "Int", []), ("no", "Int", [0])], "row 1 is no term of halide: 'no'"), ([("(", "Int", [])], "never closed"),
        ([("x", "Itn", [])], "unknown sort 'Itn'"),
    ]:
        with pytest.raises(cairn.CairnError, match=why):
            cairn.Term.from_rows(halide, rows)
