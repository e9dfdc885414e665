"""Random functions over small arrays: the optimised ones give the same values, shapes and dtypes."""

import random

import numpy as np
import pytest

import cairn_eqsat.numpy as cn

#: The shapes of arguments that are hard to tell apart for rules that know rows and columns alone.
SHAPES = {"a": (1, 1), "b": (3, 3), "c": (3, 1), "s": (), "v": (3,), "r": (1, 3)}


def expression(rng, depth):
    """A text over the arguments, most of which make sense of their shapes."""
    if depth == 0:
        return rng.choice([*SHAPES, *SHAPES, "0.5", "1.0", "-2.0"])
    left, right = (expression(rng, rng.randrange(depth)) for _ in range(2))
    return rng.choice([
        f"({left} + {right})", f"({left} - {right})", f"({left} * {right})", f"({left} @ {right})", f"({left} @ {right})",
        f"np.transpose({left})", f"np.exp(0.1 * ({left}))", f"({left})**3", f"-({left})", f"np.maximum({left}, {right})",
    ])


def functions(count, depth, seed):
    rng, np_rng = random.Random(seed), np.random.default_rng(seed)
    made = 0
    while made < count:
        text = expression(rng, depth)
        used = [name for name in SHAPES if name in text.replace("np.", "").replace("transpose", "").replace("exp", "").replace("maximum", "")]
        dtypes = rng.choice([[np.float32], [np.float64], [np.float32, np.float64]])
        arguments = [np_rng.uniform(0.5, 1.5, SHAPES[name]).astype(rng.choice(dtypes))[()] for name in used]
        names = {"np": np}
        exec(f"def f({', '.join(used)}):\n    return {text}\n", names)
        try:
            names["f"](*arguments)
        except (TypeError, ValueError):
            continue
        if used:
            made += 1
            yield text, names["f"], arguments


@pytest.mark.parametrize("seed", range(4))
def test_random_functions_stay_what_they_are(seed):
    refused = 0
    for text, function, arguments in functions(60, 4, seed):
        try:
            fast = cn.optimise(function, *arguments, work=3_000, threads=1)
        except cn.NotTraced as why:
            # Vectors are no operands of `@` here, and a function may give a number of no array.
            assert "two dimensions each" in str(why) or "expected one array" in str(why), (text, why)
            refused += 1
            continue
        one, other = function(*arguments), fast(*arguments)
        assert (np.shape(one), np.asarray(one).dtype) == (np.shape(other), np.asarray(other).dtype), (text, fast.source)
        tolerance = 1e-3 if any(argument.dtype == np.float32 for argument in arguments) else 1e-9
        np.testing.assert_allclose(other, one, rtol=tolerance, atol=tolerance * max(1, np.max(np.abs(one))), err_msg=f"{text}\n{fast.source}")
    assert refused < 40


def same(function, *arguments, **options):
    fast = cn.optimise(function, *arguments, **options)
    one, other = function(*arguments), fast(*arguments)
    assert (np.shape(one), np.asarray(one).dtype) == (np.shape(other), np.asarray(other).dtype), fast.source
    np.testing.assert_allclose(other, one, rtol=1e-5)
    return fast


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_number_is_no_matrix_where_numpy_wants_one(dtype):
    one, three, column = (np.full(shape, 1.25, dtype) for shape in [(1, 1), (3, 3), (3, 1)])
    s = dtype(1.5)
    same(lambda c: (c + 0.5).T + 2, three)
    same(lambda x, w: (x @ w + 0.1).T + 1, three, three)
    same(lambda a: a**3 @ (a * 0.5), one)
    same(lambda a: (a * a * a) @ (a * 2), one)
    same(lambda a, s: a**3 @ (a * s), one, s)
    same(lambda c, a, s: (c @ (a * s)).T, column, one, s)
    same(lambda v, m: (m + v).T, np.ones(3, dtype), three)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_have_the_dtype_that_numpy_gives_them(dtype):
    x = np.linspace(0.5, 1.5, 5).astype(dtype)
    for function in [
        lambda x: np.float64(2.0) * x,
        lambda x: np.sqrt(2 / np.pi) * x + np.sqrt(2 / np.pi),
        lambda x: np.float32(0.1) * x + x,
        lambda x: np.int64(3) * x,
        lambda x: np.int8(3) * x,
        lambda x: x ** np.float64(2.0),
        lambda x: x**2 * 0.1 + 3,
        # The exponential of a number is one of Python, which the rules take out of a sum.
        lambda x: np.exp(x) + np.exp(x + 1.0),
        lambda x: np.float64(1.0) * x,
    ]:
        same(function, x)
    with pytest.raises(cn.NotTraced, match=r"a number of dtype (longdouble|float128): expected float\(0.5\)"):
        cn.optimise(lambda x: np.longdouble(0.5) * x, x)


def test_a_rule_that_loses_the_shape_keeps_the_result():
    rule = "(rewrite (multiply (number 0.0) ?a) (number 0.0) :name nothing)\n"
    fast = same(lambda x: x * 0.0, np.ones((3, 2)), rules=rule)
    assert fast.source.endswith("    return np.full((3, 2), 0.0, np.float64)\n")


def test_long_functions_are_written():
    def many(a):
        for _ in range(400):
            a = np.tanh(a)
        return a

    def more(a):
        for _ in range(1_500):
            a = a + 1
        return a

    def squares(x):
        for _ in range(12):
            x = x @ x
        return x

    def products(a):
        for _ in range(70):
            a = a * a
        return a

    def sums(a):
        for i in range(7):
            a = a + a * a
        return a

    for function in [many, more]:
        same(function, np.ones(3), work=20_000)
    same(squares, np.full((2, 2), 0.5), work=20_000)
    # As a tree it has more parts than can be counted.
    same(products, np.full(3, 1.0))
    fast = same(sums, np.full(3, 0.1), work=20_000)
    assert fast.report.rules == fast.proof.rules
