"""Ten things that people do with an e-graph, with Cairn's package. `ten_tasks.py` counts the lines of each."""

# task: a language and rules
import cairn_eqsat as cairn

RULES = """
(sort Int) (literal i64 Int) (variable Int)
(op + (Int Int) Int) (op * (Int Int) Int)
(rewrite (+ ?a ?b) (+ ?b ?a))
(rewrite (* ?a ?b) (* ?b ?a))
(rewrite (+ ?a 0) ?a)
(rewrite (* ?a 1) ?a)
(birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)))
"""
math = cairn.System.from_rules(RULES)

# task: simplify a term
egraph = cairn.EGraph(math)
start = egraph.add("(+ 0 (* 1 x))")
egraph.run()
assert str(egraph.extract(start).term) == "x"

# task: are two terms equal
egraph = cairn.EGraph(math)
left, right = egraph.add("(* x (+ y z))"), egraph.add("(+ (* z x) (* x y))")
egraph.run()
assert egraph.equal(left, right)

# task: why they are equal, checked
proof = egraph.explain("(* x (+ y z))", "(+ (* z x) (* x y))")
proof.check()
for step in proof.steps:
    print(step.rule, step.after)

# task: a cost of one's own
best = egraph.extract(left, cost=lambda op, costs: sum(costs) + (10 if op == "*" else 1))
assert best.cost == 14

# task: constants are computed
folding = cairn.System.from_rules(RULES + "(analysis constant)")
egraph = cairn.EGraph(folding)
start = egraph.add("(* x (+ 2 (* 3 4)))")
egraph.run(iterations=3)
assert egraph.equal(start, "(* x 14)")

# task: a rule with a condition
RULES += "(op / (Int Int) Int) (analysis constant) (rewrite (/ ?a ?a) 1 :when ((!= ?a 0)))"
egraph = cairn.EGraph(cairn.System.from_rules(RULES))
start, zero = egraph.add("(/ 7 7)"), egraph.add("(/ 0 0)")
egraph.run()
assert egraph.equal(start, "1") and not egraph.equal(zero, "1")

# task: limits, and why it stopped
egraph = cairn.EGraph(math)
egraph.add("(* (+ a b) (* (+ c d) (* (+ e f) (+ g h))))")
report = egraph.run(iterations=30, nodes=1_000, time=5.0, scheduler="backoff")
print(report.stop, report.iterations, report.e_nodes)

# task: an equality by hand
egraph = cairn.EGraph(math)
left, right = egraph.add("(+ x 1)"), egraph.add("(+ y 1)")
egraph.union("x", "y")
assert egraph.equal(left, right)

# task: a picture
dot = egraph.to_dot()
