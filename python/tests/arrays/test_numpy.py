"""Functions over arrays: traced, made cheaper, compared with what they were and with other ways to the same."""

import itertools
import re

import numpy as np
import pytest

import cairn_eqsat.numpy as cn

RNG = np.random.default_rng(1)


def arrays(*shapes, dtype=np.float64):
    return [RNG.uniform(0.5, 1.5, shape).astype(dtype) for shape in shapes]


def best_chain(sizes):
    """The cost of the best order of a product of matrices, by dynamic programming."""
    n = len(sizes) - 1
    best = {(i, i): 0 for i in range(n)}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            best[i, j] = min(best[i, k] + best[k + 1, j] + 2 * sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j))
    return best[0, n - 1]


def six(a, b, c, d, e, f):
    return a @ b @ c @ d @ e @ f


@pytest.mark.parametrize("sizes", [(30, 35, 15, 5, 10, 20, 25), (4, 60, 2, 50, 3, 40, 1), (50, 2, 40, 3, 30, 4, 60)])
def test_a_chain_of_products_has_the_order_of_dynamic_programming(sizes):
    examples = arrays(*itertools.pairwise(sizes))
    fast = cn.optimise(six, *examples)
    assert fast.report.cost == best_chain(sizes)
    assert fast.report.cost_before == sum(2 * sizes[0] * m * n for m, n in itertools.pairwise(sizes[1:]))
    np.testing.assert_allclose(fast(*examples), six(*examples), rtol=1e-12)
    fast.proof.check()


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def test_powers_become_products_and_tanh_stays_unless_it_may_be_approximated():
    x = np.linspace(-8, 8, 10_001)
    exact = cn.optimise(gelu, x)
    assert "**" not in exact.source and "np.tanh" in exact.source
    np.testing.assert_allclose(exact(x), gelu(x), rtol=1e-12, atol=1e-15)
    near = cn.optimise(gelu, x, approximate=True)
    assert "tanh" not in near.source and near.report.cost < exact.report.cost
    assert {"pade", "cut-off"} <= set(near.report.rules)
    assert 0 < np.max(np.abs(near(x) - gelu(x))) < 5e-4


def test_the_approximation_of_tanh_is_as_near_as_it_says_everywhere():
    def f(x):
        return np.tanh(x)

    x = np.concatenate([np.linspace(-6, 6, 100_001), [-1e30, -100, 100, 1e30]])
    near = cn.optimise(f, x, approximate=True)
    assert "tanh" not in near.source
    assert 1e-6 < np.max(np.abs(near(x) - np.tanh(x))) < 1e-4


def test_products_that_share_a_factor_become_one():
    def left(a, b, c):
        return a @ b + a @ c

    def right(a, b, c):
        return b @ a - c @ a

    def scaled(a, b):
        return 3 * a @ b

    a, b, c = arrays((40, 40), (40, 40), (40, 40))
    assert cn.optimise(left, a, b, c).source == "def left(a, b, c):\n    return a @ (b + c)\n"
    assert cn.optimise(right, a, b, c).source == "def right(a, b, c):\n    return (b - c) @ a\n"
    # The number is multiplied where there are fewer of them.
    a, v = arrays((40, 40), (40, 1))
    fast = cn.optimise(scaled, a, v)
    assert fast.report.cost == 2 * 40 * 40 + 40
    np.testing.assert_allclose(fast(a, v), scaled(a, v))


def test_an_inverse_stays_unless_a_rule_says_otherwise():
    def f(a, b):
        return np.linalg.inv(a) @ b

    a, b = arrays((20, 20), (20, 3))
    a += 20 * np.eye(20)
    assert "solve" not in cn.optimise(f, a, b).source
    fast = cn.optimise(f, a, b, rules=cn.SOLVE)
    assert fast.source == "def f(a, b):\n    return np.linalg.solve(a, b)\n" and fast.report.rules == {"solve": 1}
    np.testing.assert_allclose(fast(a, b), f(a, b))


def test_what_is_needed_twice_is_computed_once_and_loops_are_unrolled():
    def f(a, s):
        t = np.exp(a @ a) + s
        for i in range(3):
            t = t * t - i
        return t.T

    a, s = arrays((6, 6), ())
    fast = cn.optimise(f, a, float(s) * np.ones(()))
    assert fast.source.count("@") == 1 and fast.source.count("np.exp") == 1
    np.testing.assert_allclose(fast(a, s), f(a, s), rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shapes_and_dtypes_stay(dtype):
    functions = [
        (lambda m, v: m * v + v, [(5, 3), (3,)]),
        (lambda m, v: (m * v).T, [(5, 3), (3,)]),
        (lambda v, s: np.sqrt(v) / s, [(4,), ()]),
        (lambda m, c: m - 2.5 * c, [(5, 3), (5, 1)]),
        (lambda m, n: -(m.T @ n) ** 0.5, [(5, 3), (5, 2)]),
        (lambda s: s**2 - 1e-7, [()]),
    ]
    for function, shapes in functions:
        examples = arrays(*shapes, dtype=dtype)
        one, other = function(*examples), cn.optimise(named(function), *examples)(*examples)
        assert (np.shape(one), np.asarray(one).dtype) == (np.shape(other), np.asarray(other).dtype)
        np.testing.assert_allclose(other, one, rtol=1e-5)


def named(function):
    function.__name__ = "f"
    return function


def branches(x):
    y = x + 1
    if y:
        return x
    return y


def loops(x):
    return [row for row in x]


def unknown(x):
    return np.cumsum(x)


def options(x):
    return np.add(x, x, where=[True])


def outer(x):
    return np.add.reduce(x)


def vectors(x):
    return x @ x


def constant(x):
    return 3.0


def parts(x):
    return x[0]


@pytest.mark.parametrize(("function", "line", "why"), [
    (branches, 2, "expected no `if`"),
    (loops, 1, "a loop over an array"),
    (unknown, 1, "cumsum: the rules know np.transpose"),
    (options, 1, "np.add with where"),
    (outer, 1, "np.add.reduce"),
    (vectors, 1, r"shapes \(3,\) and \(3,\)"),
    (constant, 0, "gives a float"),
    (parts, 1, "parts of an array"),
])
def test_what_is_no_term_is_refused_with_its_line(function, line, why):
    with pytest.raises(cn.NotTraced, match=why) as refused:
        cn.optimise(function, np.ones(3))
    place = re.match(r".*test_numpy\.py:(\d+): ", str(refused.value))
    assert int(place[1]) == function.__code__.co_firstlineno + line


def test_arguments_that_are_no_floating_point_are_refused():
    with pytest.raises(cn.NotTraced, match="int64: expected float32 or float64"):
        cn.optimise(gelu, np.arange(3))
    with pytest.raises(cn.NotTraced, match="3 dimensions"):
        cn.optimise(gelu, np.ones((2, 2, 2)))
    with pytest.raises(cn.NotTraced, match="expected a function written in Python"):
        cn.optimise(np.tanh, np.ones(3))
    with pytest.raises(cn.NotTraced, match="missing a required argument"):
        cn.optimise(six, np.ones((2, 2)))
