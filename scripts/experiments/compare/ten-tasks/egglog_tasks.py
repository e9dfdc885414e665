"""The ten things of cairn_tasks.py with egglog's Python package."""

# task: a language and rules
from __future__ import annotations
from egglog import *

class Int(Expr):
    def __init__(self, value: i64Like) -> None: ...
    @classmethod
    def var(cls, name: StringLike) -> Int: ...
    def __add__(self, other: Int) -> Int: ...
    def __mul__(self, other: Int) -> Int: ...
    def __truediv__(self, other: Int) -> Int: ...

a, b, c = vars_("a b c", Int)
math = ruleset(
    rewrite(a + b).to(b + a),
    rewrite(a * b).to(b * a),
    rewrite(a + Int(0)).to(a),
    rewrite(a * Int(1)).to(a),
    birewrite(a * (b + c)).to((a * b) + (a * c)),
)
x, y, z = Int.var("x"), Int.var("y"), Int.var("z")

# task: simplify a term
egraph = EGraph()
start = egraph.let("start", Int(0) + Int(1) * x)
egraph.run(math.saturate())
assert str(egraph.extract(start)) == 'Int.var("x")'

# task: are two terms equal
egraph = EGraph()
left = egraph.let("left", x * (y + z))
right = egraph.let("right", z * x + x * y)
egraph.run(math.saturate())
assert egraph.check_bool(eq(left).to(right))

# task: a cost of one's own
def cost(egraph, expr, children):
    return sum(children) + (10 if get_callable_fn(expr) == Int.__mul__ else 1)
_, best = egraph.extract(left, include_cost=True, cost_model=cost)

# task: constants are computed
i, j = vars_("i j", i64)
folding = ruleset(
    rewrite(Int(i) + Int(j)).to(Int(i + j)),
    rewrite(Int(i) * Int(j)).to(Int(i * j)),
)
egraph = EGraph()
start = egraph.let("start", x * (Int(2) + Int(3) * Int(4)))
egraph.run((math | folding) * 3)
assert egraph.check_bool(eq(start).to(x * Int(14)))

# task: a rule with a condition
division = ruleset(rewrite(Int(i) / Int(i)).to(Int(1), ne(i).to(i64(0))))
egraph = EGraph()
start, zero = egraph.let("start", Int(7) / Int(7)), egraph.let("zero", Int(0) / Int(0))
egraph.run(division.saturate())
assert egraph.check_bool(eq(start).to(Int(1))) and not egraph.check_bool(eq(zero).to(Int(1)))

# task: limits, and why it stopped
egraph = EGraph()
egraph.let("start", (x + y) * ((y + z) * ((x + z) * (x + x))))
report = egraph.run(run(math, scheduler=back_off()) * 5)
print(report.updated)

# task: an equality by hand
egraph = EGraph()
left, right = egraph.let("left", x + Int(1)), egraph.let("right", y + Int(1))
egraph.register(union(x).with_(y))
egraph.run(1)
assert egraph.check_bool(eq(left).to(right))

# task: a picture
dot = egraph._serialize().to_dot()
