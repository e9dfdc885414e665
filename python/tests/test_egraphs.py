"""E-graphs: grown, asked, explained."""

import json
import pickle
import time

import numpy
import pytest

import cairn_eqsat as cairn

DISTRIBUTED = "(+ (* a b) (* a c))"
FACTORED = "(* a (+ b c))"


@pytest.fixture
def grown():
    egraph = cairn.EGraph(cairn.System.load("math"))
    egraph.add(DISTRIBUTED)
    egraph.run(iterations=4, nodes=5_000)
    return egraph


def test_what_is_equal_is_explained_and_the_proof_is_checked(grown):
    assert grown.equal(DISTRIBUTED, FACTORED)
    proof = grown.explain(DISTRIBUTED, FACTORED)
    proof.check()
    assert (str(proof.start), str(proof.end)) == (DISTRIBUTED, FACTORED)
    steps = proof.steps
    assert steps[0].before == proof.start and steps[-1].after == proof.end
    for one, two in zip(steps, steps[1:]):
        assert one.after == two.before
    assert {step.rule for step in steps} <= set(grown.system.rules) | {"fold"}
    assert len(proof.shorten().steps) <= len(steps)


def test_what_is_not_equal_has_no_proof(grown):
    assert not grown.equal(DISTRIBUTED, "a")
    assert not grown.equal(DISTRIBUTED, "(* z z)")
    with pytest.raises(cairn.NotProved, match="are not equal in this e-graph"):
        grown.explain(DISTRIBUTED, "a")


def test_a_proof_file_is_read_back_and_a_changed_one_is_refused(grown):
    proof = grown.explain(DISTRIBUTED, FACTORED)
    text = proof.to_json()
    again = cairn.Proof.from_json(text, grown.system)
    assert again.to_json() == text == pickle.loads(pickle.dumps(proof)).to_json()
    changed = json.loads(text)
    assert changed["format"] == "cairn-proof"
    changed["terms"] = changed["terms"][::-1]
    with pytest.raises(cairn.CairnError):
        cairn.Proof.from_json(json.dumps(changed), grown.system)


def test_classes_have_all_e_nodes(grown):
    classes = grown.classes()
    assert len(classes) == grown.e_classes
    assert sum(map(len, classes.values())) == grown.e_nodes
    assert all(child in classes for nodes in classes.values() for _, args in nodes for child in args)
    root = grown.find(DISTRIBUTED)
    assert ("+", [grown.find("(* a b)"), grown.find("(* a c)")]) in classes[root]
    assert FACTORED in grown and "(* z z)" not in grown


def test_a_run_says_what_it_did(grown):
    egraph = cairn.EGraph(grown.system)
    egraph.add("(+ (* a b) (+ (* a c) (* g (+ a h))))")
    report = egraph.run(iterations=3, threads=2)
    assert (report.stop, report.iterations) == ("iterations", 3)
    assert [row["iteration"] for row in report.history] == [0, 1, 2, 3]
    assert report.history[-1]["e_nodes"] == report.e_nodes == egraph.e_nodes
    built = [row["built"] for row in report.history]
    assert built == sorted(built) and all(row["built"] >= row["e_nodes"] for row in report.history)
    assert sum(rule["unions"] for rule in report.rules.values()) > 0
    assert egraph.run(nodes=report.e_nodes + 10).e_nodes <= report.e_nodes + 10


@pytest.mark.parametrize("options, stop", [
    ({"nodes": 300}, "nodes"),
    ({"memory": "1MiB"}, "memory"),
    ({"memory": 1 << 20}, "memory"),
    ({"time": 0.0}, "time"),
    ({"iterations": 2}, "iterations"),
])
def test_each_limit_ends_a_run(sums, options, stop):
    egraph = cairn.EGraph(sums)
    egraph.add("(+ a (+ b (+ c (+ d (+ e (+ f (+ g (+ h (+ i (+ j (+ k (+ l m))))))))))))")
    assert egraph.run(**options).stop == stop


@pytest.mark.parametrize("options, message", [
    ({"memory": "much"}, "memory: expected a size"),
    ({"time": -1.0}, "time: expected seconds"),
    ({"scheduler": "best"}, "scheduler: expected simple, backoff or best-first, found 'best', or a function"),
    ({"ranker": "halide"}, "best-first"),
    ({"schedule": "(run nobody)"}, "unknown ruleset 'nobody'"),
    ({"schedule": ""}, "expected"),
    ({"threads": 0}, "threads: expected at least 1"),
])
def test_bad_options_are_refused(sums, options, message):
    with pytest.raises(cairn.CairnError, match=message):
        cairn.EGraph(sums).run(**options)


def test_a_schedule_stands_for_that_of_the_system_once():
    system = cairn.System.from_rules(
        "(sort S) (op a () S) (op b () S) (op c () S) (ruleset first)\n"
        "(rewrite a b :name one :ruleset first) (rewrite b c :name two)\n"
    )
    egraph = cairn.EGraph(system)
    egraph.add("a")
    report = egraph.run(schedule="(saturate (run first))")
    assert egraph.equal("a", "b") and not egraph.equal("a", "c")
    assert list(report.rules) == ["one"]
    egraph.run()
    assert egraph.equal("a", "c")


def test_a_scheduler_may_be_a_function(sums):
    asked = []

    def scheduler(number, report):
        asked.append((number, report and report.e_nodes))
        return "(run)" if number < 3 else None

    egraph = cairn.EGraph(sums)
    egraph.add("(+ a (+ b (+ c d)))")
    report = egraph.run(scheduler=scheduler)
    by_engine = cairn.EGraph(sums)
    by_engine.add("(+ a (+ b (+ c d)))")
    by_engine.run(iterations=3)
    assert [number for number, _ in asked] == [0, 1, 2, 3]
    assert asked[0][1] is None and asked[3][1] == report.e_nodes
    assert report.iterations == 3
    assert [row["e_nodes"] for row in report.history][-1] == by_engine.e_nodes
    assert len(report.history) == 4
    assert egraph.e_classes == by_engine.e_classes

    def wrong(number, report):
        raise LookupError("no schedule")

    with pytest.raises(LookupError, match="no schedule"):
        egraph.run(scheduler=wrong)


def test_best_first_may_be_ordered_by_a_function(halide):
    seen = []

    def largest_last(matches):
        seen.extend(match.rule for match in matches)
        return [-match.excess for match in matches]

    def grown(**options):
        egraph = cairn.EGraph(halide)
        egraph.add("(<= (+ (* 2 x) (* 2 y)) (* 2 z))")
        egraph.run(scheduler="best-first", nodes=400, threads=1, **options)
        return egraph.classes()

    # The same order as that of the engine, if nothing else is said.
    assert grown(ranker=largest_last) == grown()
    assert set(seen) <= set(halide.rules) and seen
    assert grown(ranker=lambda matches: [match.excess for match in matches]) != grown()
    with pytest.raises(cairn.CairnError, match="expected a rank for each"):
        grown(ranker=lambda matches: [])
    with pytest.raises(ZeroDivisionError):
        grown(ranker=lambda matches: [1 / 0 for _ in matches])
    with pytest.raises(cairn.CairnError, match="not a number"):
        grown(ranker=lambda matches: [float("nan")] * len(matches))


def test_equalities_by_hand_are_in_the_proof(sums):
    egraph = cairn.EGraph(sums)
    egraph.add("(+ x y)")
    assert egraph.union("x", "(+ a b)")
    assert not egraph.union("x", "(+ a b)")
    assert egraph.union("(+ a y)", "z")
    egraph.run(iterations=4)
    proof = egraph.explain("(+ x y)", "(+ z b)")
    assert {"given-1", "given-2"} <= {step.rule for step in proof.steps}
    assert egraph.system != sums and egraph.system.rules[-1] == "given-2"
    # A system without them does not have the rules that the proof names.
    with pytest.raises(cairn.CairnError):
        cairn.Proof.from_json(proof.to_json(), sums)
    cairn.Proof.from_json(proof.to_json(), egraph.system)


def test_costs_are_named_or_functions(grown):
    named = grown.extract(DISTRIBUTED, cost="size")
    assert (str(named.term), named.cost, named.least) == (FACTORED, 5, True)
    several = grown.extract(DISTRIBUTED, cost="depth,size")
    assert several.cost == {"depth": 3, "size": 5}
    calls = []

    def size(op, children):
        calls.append(op)
        return 1 + sum(children)

    by_function = grown.extract(DISTRIBUTED, cost=size)
    assert (by_function.term.size, by_function.cost) == (5, 5.0)
    assert set(calls) >= {"a", "b", "c", "+", "*"} and len(calls) <= grown.e_nodes

    def few_products(op, children):
        return (100 if op == "*" else 1) + sum(children)

    assert str(grown.extract(DISTRIBUTED, cost=few_products).term).count("*") == 1
    with pytest.raises(cairn.CairnError, match="no less than that of an argument"):
        grown.extract(DISTRIBUTED, cost=lambda op, children: -sum(children) - 1 if children else 5)
    with pytest.raises(RuntimeError, match="mine"):
        grown.extract(DISTRIBUTED, cost=raises)
    with pytest.raises(cairn.CairnError, match="cost: unknown cost 'sise' .did you mean 'size'"):
        grown.extract(DISTRIBUTED, cost="sise")
    with pytest.raises(cairn.CairnError, match="add it first"):
        grown.extract("(* z z)", cost="size")


def raises(op, children):
    raise RuntimeError("mine")


def test_equal_parts_count_once_where_that_is_asked_for(grown):
    egraph = cairn.EGraph(cairn.System.load("ring"))
    start = egraph.add("(* (+ a b) (+ a b))")
    egraph.run(iterations=1)
    assert egraph.extract(start, cost="size").cost == 7
    shared = egraph.extract(start, cost="size", shared=True, exact_time=5.0)
    assert (shared.cost, shared.least) == (4, True)
    with pytest.raises(cairn.CairnError, match="depth is no cost"):
        egraph.extract(start, cost="depth", shared=True)
    with pytest.raises(cairn.CairnError, match="exact"):
        egraph.extract(start, cost="size", exact_time=1.0)


def test_e_graphs_and_proofs_are_pages(grown):
    assert "<svg" in grown.to_html() or "An e-graph" in grown.to_html()
    assert grown._repr_html_().startswith("<iframe srcdoc=")
    assert grown.to_dot().startswith("digraph egraph {")
    assert set(json.loads(grown.to_json())) >= {"nodes", "root_eclasses"}
    proof = grown.explain(DISTRIBUTED, FACTORED)
    assert "A proof" in proof.to_html() and "srcdoc" in proof._repr_html_()
    assert proof.start._repr_html_() == f"<code>{DISTRIBUTED}</code>"
    less = cairn.System.load("halide").term("(< x y)")
    assert less._repr_html_() == "<code>(&lt; x y)</code>"


def test_pop_brings_back_what_push_kept(grown):
    before = (grown.e_nodes, grown.e_classes, grown.classes(), grown.system.hash)
    grown.push()
    grown.union("x", "y")
    grown.push()
    grown.run(iterations=1)
    grown.pop()
    assert grown.equal("x", "y") and "given-1" in grown.system.rules
    grown.pop()
    assert (grown.e_nodes, grown.e_classes, grown.classes(), grown.system.hash) == before
    assert "x" not in grown
    # What was known before is explained as before, and growing goes on.
    grown.explain(DISTRIBUTED, FACTORED).check()
    grown.add("(* 5 (+ x y))")
    assert grown.run(iterations=1).e_nodes > before[0] + 4
    with pytest.raises(cairn.CairnError, match="nothing was pushed"):
        grown.pop()


def test_a_saved_e_graph_goes_on_where_it_was(tmp_path, grown):
    system, file = cairn.System.load("math"), tmp_path / "e.graph"
    grown.save(file)
    again = cairn.EGraph.load(system, file)
    assert again.classes() == grown.classes()
    for egraph in (grown, again):
        egraph.run(iterations=1, go_on=True)
    assert again.classes() == grown.classes()
    again.explain(DISTRIBUTED, FACTORED).check()
    with pytest.raises(cairn.CairnError, match="e.graph: expected an e-graph of the rules"):
        cairn.EGraph.load(cairn.System.load("ring"), file)
    (tmp_path / "none").write_text("none")
    with pytest.raises(cairn.CairnError, match="none"):
        cairn.EGraph.load(system, tmp_path / "none")
    with pytest.raises(cairn.CairnError):
        grown.save(tmp_path / "none")


def test_an_integer_is_the_number_of_a_class(halide):
    egraph = cairn.EGraph(halide)
    a, b = egraph.add("a"), egraph.add("b")
    assert egraph.union(a, b) and egraph.equal("a", "b") and egraph.equal(a, b)
    assert not egraph.equal("0", "1") and not egraph.union(a, "b")
    assert str(egraph.system.text.strip().splitlines()[-1]).startswith("(given a b ")
    proof = egraph.explain(a, "b")
    assert (str(proof.start), str(proof.end)) == ("a", "b") and proof.rules == {"given-1": 1}
    # A literal takes the sort of what it is compared with, on either side.
    truth = egraph.add("(<= x y)")
    assert egraph.union("1", truth) and egraph.equal(halide.term("1", "Bool"), truth)
    for wrong in [99, -1, 2**40]:
        for call in [lambda: egraph.union(a, wrong), lambda: egraph.explain(wrong, a), lambda: egraph.equal(a, wrong),
                     lambda: egraph.find(wrong), lambda: egraph.extract(wrong)]:
            with pytest.raises(cairn.CairnError, match=f"there is no class {wrong}: an integer is the number of a class"):
                call()
    with pytest.raises(cairn.CairnError, match="has sort Bool: expected Int"):
        egraph.union(a, truth)


def test_costs_are_finite_and_not_negative(halide):
    egraph = cairn.EGraph(halide)
    term = egraph.add("(+ x 1)")
    for wrong, why in [
        (-1, "is -1: expected a number that is no less than 0"), (float("-inf"), "is -inf: expected"),
        (float("nan"), "is NaN: expected a number that is no less than 0$"), (float("inf"), r"the cost of \(\+ x 1\) is inf, and no term"),
    ]:
        with pytest.raises(cairn.CairnError, match=why):
            egraph.extract(term, cost=lambda op, children, wrong=wrong: wrong)
    # Infinity rules an e-node out.
    egraph.union("x", "y")
    best = egraph.extract(term, cost=lambda op, children: float("inf") if op == "x" else 1 + sum(children))
    assert str(best.term) == "(+ y 1)"


def test_an_e_graph_takes_one_call_at_a_time(halide):
    egraph = cairn.EGraph(halide)
    term = egraph.add("(+ x 1)")
    for call in [lambda: egraph.e_nodes, lambda: egraph.add("y"), lambda: egraph.find("x"), lambda: repr(egraph), lambda: egraph.pop()]:
        with pytest.raises(cairn.CairnError, match="the e-graph is in use: another call of it has not ended"):
            egraph.extract(term, cost=lambda op, children, call=call: call())
    assert egraph.extract(term, cost=lambda op, children: 1 + sum(children)).cost == 3


def test_whole_numbers_are_refused_by_name(halide):
    egraph = cairn.EGraph(halide)
    for call, why in [
        (lambda: cairn.prove(halide, "x", "y", seed=-1), "seed: expected a whole number from 0 to .*, found -1"),
        (lambda: cairn.prove(halide, "x", "y", work=2**64), "work: expected a whole number"),
        (lambda: cairn.optimise(halide, "x", guides=-3), "guides: expected a whole number"),
        (lambda: cairn.optimise(halide, "x", guides=1_000_000), "guides 1000000: expected 1 to 1000"),
        (lambda: cairn.optimise(halide, "x", work=0), "work: expected at least 1 e-node"),
        (lambda: cairn.prove(halide, "x", "y", work=0), "work: expected at least 1 e-node"),
        (lambda: egraph.run(iterations=-1), "iterations: expected a whole number"),
    ]:
        with pytest.raises(cairn.CairnError, match=why):
            call()
    with pytest.raises(TypeError, match="threads: expected a whole number, found float"):
        cairn.prove(halide, "x", "y", threads=1.5)
    egraph.run(iterations=numpy.int64(1), nodes=None)


def test_ten_thousand_unions_take_time_in_proportion(halide):
    def seconds(count):
        egraph = cairn.EGraph(halide)
        began = time.perf_counter()
        for i in range(count):
            assert egraph.union(f"v{i}", f"v{i + 1}")
        took = time.perf_counter() - began
        assert egraph.equal("v0", f"v{count}")
        return egraph, took

    egraph, _ = seconds(1_000)
    assert egraph.system.rules[-1] == "given-1000"
    egraph.explain("v0", "v1000").check()
    # A second or less where it was built with optimisation and nothing else runs; minutes where each copies all before it.
    assert seconds(10_000)[1] < 20
