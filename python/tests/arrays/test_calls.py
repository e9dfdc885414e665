"""How an optimised function is called, what is refused, and what is compared."""

import numpy as np
import pytest

import cairn_eqsat as cairn
import cairn_eqsat.numpy as cn

X = np.linspace(0.5, 1.5, 5)


def test_a_lambda_and_a_parameter_called_np_are_written_as_python():
    assert cn.optimise(lambda a: a + a, X).source == "def function(a):\n    return a + a\n"
    fast = cn.optimise(lambda np: np * np + 1.0, X)
    assert fast(X).shape == (5,)

    def f(np, numpy):
        return abs(np) * numpy

    fast = cn.optimise(f, X, X)
    assert "numpy_0.absolute(np)" in fast.source
    np.testing.assert_array_equal(fast(X, X), X * X)


def test_arguments_may_be_named_and_what_had_no_example_is_fixed():
    def f(a, s=2, *, t=1.0):
        return a * s + t

    fast = cn.optimise(f, X)
    for got in [fast(X), fast(a=X), fast(X, 2), fast(X, s=2, t=1.0)]:
        np.testing.assert_allclose(got, f(X))
    with pytest.raises(cn.WrongArgument, match="argument s is fixed at 2, for it had no example"):
        fast(X, 3)
    with pytest.raises(TypeError, match="missing a required argument: 'a'"):
        fast()
    with pytest.raises(TypeError, match="unexpected keyword argument 'b'"):
        fast(X, b=1)
    fast = cn.optimise(f, X, np.float64(3.0))
    np.testing.assert_allclose(fast(X, s=4), f(X, 4))
    with pytest.raises(cn.WrongArgument, match="argument s is missing"):
        fast(X)


def test_other_shapes_and_dtypes_are_refused_at_the_call():
    fast = cn.optimise(lambda a, s: a + s, X, 2.0)
    np.testing.assert_allclose(fast(X, 3), X + 3)
    for wrong, why in [
        ((np.ones(4), 2.0), r"argument a is float64 of shape \(4,\): the function was optimised for float64 of shape \(5,\)"),
        ((X.astype(np.float32), 2.0), r"argument a is float32 of shape \(5,\)"),
        ((X.tolist(), 2.0), "argument a is a list"),
        ((X, np.float32(2)), "argument s is float32"),
        ((2.0, 2.0), r"argument a is float64 of shape \(\)"),
    ]:
        with pytest.raises(cn.WrongArgument, match=why) as refused:
            fast(*wrong)
        assert isinstance(refused.value, cairn.CairnError) and isinstance(refused.value, TypeError)


def test_an_argument_is_no_result_unless_it_was():
    a = np.ones((3, 3))
    for function in [lambda a: a * 1.0, lambda a: (1.0 * a).T, lambda a: a.copy(), lambda a: a**1]:
        assert not np.shares_memory(cn.optimise(function, a)(a), a)
    for function in [lambda a: a, lambda a: a.T]:
        assert np.shares_memory(cn.optimise(function, a)(a), a)
    scalar = np.ones(())
    assert not np.shares_memory(cn.optimise(lambda s: s * 1.0, scalar)(scalar), scalar)
    assert cn.optimise(lambda s: s * 1.0, scalar)(2.0) == 2.0


def test_a_function_that_does_other_things_with_arrays_is_refused():
    rng = np.random.default_rng(1)

    def kind(a):
        return a * 2 if isinstance(a, np.ndarray) else a * 3

    def drawn(a):
        return a * float(rng.uniform())

    def shape(a):
        return a[0] if isinstance(a, np.ndarray) else a

    def infinite(a):
        return a if isinstance(a, np.ndarray) else np.log(a - a)

    for function, why in [
        (kind, "differs by"), (drawn, "differs by"), (infinite, "gives infinities or NaN where the function gives numbers"),
        (lambda a: a.astype(np.float32) if isinstance(a, np.ndarray) else a, "gives float64 of shape .*gives float32"),
        (shape, r"the optimised function gives float64 of shape \(5, 5\), the function gives float64 of shape \(5,\)"),
    ]:
        with pytest.raises(cn.ResultsDiffer, match=why):
            cn.optimise(function, np.ones((5, 5)))
    with pytest.raises(cn.ResultsDiffer, match="rules that are equations"):
        cn.optimise(lambda a: np.sqrt(a) * 2, X, rules="(rewrite (sqrt ?a) ?a :name wrong)\n")


def test_rounding_is_no_difference_however_large():
    def cancels(a):
        return a + 1e18 + -1e18

    for dtype in [np.float32, np.float64]:
        report = cn.optimise(cancels, X.astype(dtype)).report
        assert report.largest_difference > 1 and report.largest_value == 0
        assert report.ill_conditioned and "rounding accounts for it" in str(report)
    hilbert = 1 / (np.arange(8)[:, None] + np.arange(8) + 1)
    # The random arguments are far from a matrix without an inverse.
    assert not cn.optimise(lambda a, b: np.linalg.inv(a) @ b, hilbert, hilbert[:, :2], rules=cn.SOLVE).report.ill_conditioned


def powers_of_ten(a):
    return a * 10**400


def table(a):
    return {a: 1}


def positive(a):
    if a > 0:
        return a
    return -a


def sets(a):
    a[0] = 1
    return a


@pytest.mark.parametrize(("function", "why"), [
    (lambda a: a.sum(), r"\.sum of an array: expected elementwise functions"),
    (lambda a: a.mean(), r"\.mean of an array"),
    (lambda a: a.reshape(5, 1), r"\.reshape of an array"),
    (lambda a: a.astype(np.float32), r"\.astype of an array"),
    (lambda a: a if hasattr(a, "sum") else -a, r"\.sum of an array"),
    (lambda a: round(a), "an array is rounded"),
    (table, "arrays can't be hashed"),
    (powers_of_ten, "a number beyond the largest of float64"),
    (positive, "expected no `if`"),
    (sets, "a part of an array is set"),
    (lambda a: np.linalg.inv(np.exp(a - a)), "Singular matrix on random arguments and on the examples"),
])
def test_what_is_no_term_is_refused_in_words(function, why):
    with pytest.raises(cn.NotTraced, match=why):
        cn.optimise(function, np.ones((5, 5)) if "inv" in function.__code__.co_names else X)


def test_what_an_array_has_the_stand_in_has():
    assert cn.optimise(lambda a: a * float(len(a)), X)(X)[0] == 2.5
    assert cn.optimise(lambda a: a if hasattr(a, "nonsense") else a + a, X)(X)[0] == 1.0
    with pytest.raises(AttributeError, match="an array has no attribute 'nonsense'"):
        cn.optimise(lambda a: a.nonsense, X)


def test_the_work_of_a_search_is_something():
    with pytest.raises(cairn.CairnError, match="work: expected 1 e-node at least, found -1"):
        cn.optimise(lambda a: a + a, X, work=-1)


def test_a_number_of_python_has_no_dtype_beside_float32():
    with pytest.raises(cn.NotTraced, match=r"argument 1 is a Python number beside arrays of float32: expected np.float32\(2.0\)"):
        cn.optimise(lambda a, s: a * s, X.astype(np.float32), 2.0)
    with pytest.raises(cn.NotTraced, match="argument 0 is a list"):
        cn.optimise(lambda a: a * 2, [1.0, 2.0])
