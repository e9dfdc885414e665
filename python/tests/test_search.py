"""prove and optimise, guided by functions, over lists, in threads."""

import multiprocessing
from pathlib import Path

import pytest

import cairn_eqsat as cairn

START, TARGET = "(<= (+ (* 2 x) (* 2 y)) (* 2 z))", "(<= (+ y x) z)"
SMALL = {"cap": 200, "work": 40_000}


def test_a_proof_goes_from_the_start_to_the_target(halide):
    answer = cairn.prove(halide, START, TARGET, **SMALL)
    assert answer and answer.failure is None
    answer.proof.check()
    assert answer.proof.start == halide.term(START) and answer.proof.end == halide.term(TARGET)
    as_terms = cairn.prove(halide, halide.term(START), TARGET, **SMALL)
    assert as_terms.proof.to_json() == answer.proof.to_json()


def test_without_a_proof_the_answer_says_why(halide):
    answer = cairn.prove(halide, "x", "(+ x 1)", work=2_000)
    assert not answer and answer.proof is None
    assert answer.failure in {"work", "guides", "saturated"}
    assert len(answer.smallest) == 2
    opposed = cairn.prove(halide, "(+ 1 1)", "3")
    assert opposed.failure == "opposed"
    assert [str(proof.end) for proof in opposed.opposed] == ["2", "3"]
    assert cairn.prove(halide, START, TARGET, time=0.0).failure == "time"


def test_the_methods_of_the_table_can_be_asked_for(halide):
    for method in ["descend", "deep", "ranked", "all-work"]:
        assert cairn.prove(halide, START, TARGET, method=method, **SMALL), method
    with pytest.raises(cairn.CairnError, match="unknown method 'depe'.*did you mean 'deep'"):
        cairn.prove(halide, START, TARGET, method="depe")
    prop = cairn.System.load("prop")
    with pytest.raises(cairn.CairnError, match="needs a ranker"):
        cairn.prove(prop, "(& a b)", "(& b a)", method="ranked", ranker=False)
    # No ranker of its own is shipped: that for any system is taken, once it is read.
    assert cairn.prove(prop, "(& a b)", "(& b a)", method="ranked")
    hard = ("(| (& a b) (& a (~ b)))", "(& a (| b (| c (~ b))))")
    default, without = cairn.prove(prop, *hard), cairn.prove(prop, *hard, ranker=False)
    assert default.work == cairn.prove(prop, *hard, ranker="any").work != without.work
    assert cairn.Ranker.load("any", prop).unknown == []


def test_a_ranker_lives_through_edits_and_is_for_its_system_only(tmp_path):
    rules = (Path(__file__).parents[2] / "configs/systems/ring.rules").read_text()
    edited = cairn.System.from_rules(rules + "(rewrite (+ ?a (* -1 ?a)) 0 :name new)")
    ranker = cairn.Ranker.load("ring", edited)
    assert ranker.unknown == ["new"]
    assert cairn.prove(edited, "(+ a b)", "(+ b a)", method="ranked", ranker=ranker)
    with pytest.raises(cairn.CairnError, match="another rewrite system"):
        cairn.prove(cairn.System.load("prop"), "(& a b)", "(& b a)", ranker=ranker)


@pytest.mark.parametrize("options", [
    {"cap": "some"}, {"work": 0}, {"nucleus": 2.0}, {"scheduler": "none"}, {"threads": 0},
    {"ranker": 7}, {"model": "no/such/model"}, {"method": "deep", "propose": lambda request: []},
    {"guides": 0}, {"time": float("nan")},
])
def test_bad_options_are_refused(halide, options):
    with pytest.raises(cairn.CairnError):
        cairn.prove(halide, START, TARGET, **options)


def test_a_mistake_in_a_term_of_a_question_has_its_place(halide):
    with pytest.raises(cairn.TermError) as caught:
        cairn.prove(halide, START, "(+ y")
    assert caught.value.line == 1
    with pytest.raises(cairn.CairnError, match="both must have one sort"):
        cairn.prove(halide, START, "(+ x y)")


def test_many_questions_have_the_same_answers_with_any_number_of_threads(halide):
    questions = [(START, TARGET), ("(+ x 0)", "x"), ("x", "(+ x 1)"), ("(max x x)", "x")] * 3
    one = cairn.prove(halide, questions, threads=1, **SMALL)
    three = cairn.prove(halide, questions, threads=3, **SMALL)
    assert [bool(answer) for answer in one] == [True, True, False, True] * 3
    for a, b in zip(one, three):
        assert (a.work, a.failure, a.proof and a.proof.to_json()) == (
            b.work, b.failure, b.proof and b.proof.to_json())
    single = cairn.prove(halide, START, TARGET, **SMALL)
    assert single.proof.to_json() == one[0].proof.to_json()
    assert cairn.prove(halide, []) == []
    assert len(cairn.prove(halide, [(START, TARGET)])) == 1


def test_a_progress_bar_goes_to_the_standard_error(halide, capfd):
    cairn.prove(halide, [("(+ x 0)", "x")] * 5, progress=True)
    assert "questions: 5/5" in capfd.readouterr().err
    cairn.prove(halide, [("(+ x 0)", "x")] * 5)
    assert capfd.readouterr().err == ""


def chain(leaves):
    return leaves if len(leaves) == 1 else f"(+ {leaves[0]} {chain(leaves[1:])})"


def swaps(start, target):
    """From one order of leaves to another, two neighbours swapped at a time."""
    way = [start]
    for place, leaf in enumerate(target):
        for i in range(way[-1].index(leaf), place, -1):
            last = list(way[-1])
            last[i - 1], last[i] = last[i], last[i - 1]
            way.append("".join(last))
    return [chain(leaves) for leaves in way]


WAY = swaps("abcdefghi", "dbihcafge")


def test_guides_of_a_function_lead_through_them(sums):
    small = {"cap": 70, "work": 6_000, "expansion": 120}
    way = [sums.term(text) for text in WAY]
    requests = []

    def halfway(request):
        requests.append(request)
        assert request.start.size <= request.max_size and request.wanted == 10
        if request.start in way and request.target in way:
            ends = way.index(request.start), way.index(request.target)
            if abs(ends[0] - ends[1]) > 1:
                return [way[sum(ends) // 2]]
        return []

    guided = cairn.prove(sums, WAY[0], WAY[-1], propose=halfway, **small)
    assert guided and guided.requests == len(requests) > 0
    assert [request.number for request in requests] == list(range(len(requests)))
    assert len(set(guided.waypoints) & set(way)) > 3
    # Without them the same search fails.
    unguided = cairn.prove(sums, WAY[0], WAY[-1], propose=lambda request: [], **small)
    assert unguided.failure == "work"


@pytest.mark.parametrize("questions", ["x", 5, [("x",)], ["x"]])
def test_one_term_is_no_question(halide, questions):
    with pytest.raises(TypeError, match="expected two terms, or a list of pairs of terms"):
        cairn.prove(halide, questions)


def test_what_a_guide_raises_comes_out(sums):
    small = {"cap": 120, "work": 6_000}
    with pytest.raises(KeyError, match="gone"):
        cairn.prove(sums, WAY[0], WAY[-1], propose=lambda request: {}["gone"], **small)
    with pytest.raises(cairn.TermError):
        cairn.prove(sums, WAY[0], WAY[-1], propose=lambda request: ["(+ a"], **small)
    with pytest.raises(TypeError):
        cairn.prove(sums, WAY[0], WAY[-1], propose=lambda request: [None], **small)
    with pytest.raises(KeyError, match="gone"):
        cairn.prove(sums, [(WAY[0], WAY[-1])] * 3, propose=lambda request: {}["gone"], threads=2, **small)


def test_a_score_says_which_terms_the_search_goes_on_with(halide):
    sizes = []

    def smallest(terms, other):
        sizes.append([term.size for term in terms])
        assert other.sort == terms[0].sort
        return [-term.size for term in terms]

    assert cairn.prove(halide, START, TARGET, score=smallest, cap=60, work=40_000, scheduler="simple")
    assert sizes
    with pytest.raises(cairn.CairnError, match="score: expected"):
        cairn.prove(halide, START, TARGET, score=lambda terms, other: [], cap=60, scheduler="simple")


def test_a_ranker_is_learned_named_or_a_function(halide):
    learned = cairn.Ranker.load("halide", halide)
    assert learned.origin
    one = cairn.prove(halide, START, TARGET, ranker=learned, **SMALL)
    two = cairn.prove(halide, START, TARGET, ranker="halide", **SMALL)
    three = cairn.prove(halide, START, TARGET, **SMALL)
    assert one.work == two.work == three.work
    ranked = []

    def excess(matches):
        ranked.append(len(matches))
        return [-match.excess for match in matches]

    by_function = cairn.prove(halide, START, TARGET, ranker=excess, **SMALL)
    # Smallest first is what best-first does without a ranker.
    unlearned = cairn.prove(halide, START, TARGET, method="deep", **SMALL)
    assert ranked and by_function.work == unlearned.work
    with pytest.raises(cairn.CairnError, match="system"):
        cairn.Ranker.load("halide", cairn.System.load("ring"))


def test_optimise_finds_the_best_term_with_a_proof(halide):
    best = cairn.optimise(halide, "(+ (* x 2) (- x x))", cost="size")
    assert (best.cost_before, best.cost) == (7, 3)
    assert best.proof.start == best.start and best.proof.end == best.term
    assert [moment["cost"] for moment in best.curve] == sorted(
        (moment["cost"] for moment in best.curve), reverse=True)
    many = cairn.optimise(halide, ["(+ x 0)", "(max x x)"], cost="size", threads=2)
    assert [str(one.term) for one in many] == ["x", "x"]
    goal = cairn.optimise(halide, "(+ x y)", cost="size", goal="(+ y x)")
    assert str(goal.term) == "(+ y x)"
    for options, message in [
        ({"cost": "siz"}, "did you mean 'size'"), ({"exact_time": 1.0}, "shared"), ({"goal": "(+"}, "1:1: "),
        ({"ranker": "halide", "scheduler": "simple"}, "best-first"), ({"cap": 0}, "cap"),
        ({"patience": 0}, "patience: expected a whole number from 1"),
    ]:
        with pytest.raises(cairn.CairnError, match=message):
            cairn.optimise(halide, "(+ x 0)", **options)


def test_an_answer_ends_the_search():
    mba = cairn.System.load("mba")
    best = cairn.optimise(mba, "(+ (^ x y) (* 2 (& x y)))")
    assert (str(best.term), best.ended) == ("(+ x y)", "smallest") and best.work < 1_000
    term = "(+ (* (& x 77) 5) (^ y (* 3 x)))"
    ended = {patience: cairn.optimise(mba, term, cap=2_000, work=60_000, patience=patience)
             for patience in (1, "off")}
    assert (ended[1].ended, ended["off"].ended) == ("patience", "work")
    assert ended[1].work < ended["off"].work


# Of x² + y: products of sums of variables need no guess.
CUBE = "(+ (* (* x (* x x)) (* x (* x x))) (+ (* (* y y) (* 3 (* x x))) (+ (* (* y y) y) (* (* (* x x) (* x x)) (* 3 y)))))"


def test_a_function_guesses_what_a_normal_form_was():
    polynomials = cairn.System.load("polynomials")
    product = "(* (+ (* x x) y) (* (+ (* x x) y) (+ (* x x) y)))"
    asked = []

    def guess(request):
        asked.append(request)
        return ["x", polynomials.term(product), "(+ 1 " * 100 + "x" + ")" * 100]

    small = {"cost": "size", "cap": 50, "work": 1000}
    best = cairn.optimise(polynomials, CUBE, propose=guess, guides=5, **small)
    assert str(best.term) == product and best.proof.end == best.term
    assert cairn.optimise(polynomials, CUBE, **small).cost > best.cost
    assert asked[0].wanted == 5 and asked[0].start == asked[0].target

    def broken(request):
        raise KeyError("no idea")

    with pytest.raises(KeyError, match="no idea"):
        cairn.optimise(polynomials, [CUBE, CUBE], propose=broken, **small)
    with pytest.raises(cairn.CairnError, match="never closed"):
        cairn.optimise(polynomials, CUBE, propose=lambda request: ["(+ x"], **small)


def test_a_function_plans_the_way_to_a_goal(halide):
    ways = {"(+ (* a b) (* a c))": "(* a (+ b c))", "(* a (+ b c))": "(* (+ b c) a)"}

    def plan(request):
        return [ways[str(request.start)]]

    end = cairn.optimise(halide, "(+ (* a b) (* a c))", cost="size", goal="(* (+ c b) a)", first=True, propose=plan)
    assert end.ended == "reached" and str(end.term) == "(* (+ c b) a)"
    for options, message in [
        ({"propose": plan}, "a goal, or a system with a normal form"), ({"first": True}, "goal"),
        ({"propose": plan, "goal": "x", "guides": 0}, "guides"),
    ]:
        with pytest.raises(cairn.CairnError, match=message):
            cairn.optimise(halide, "(+ x 0)", cost="size", **options)


def in_child(queue):
    halide = cairn.System.load("halide")
    queue.put(bool(cairn.prove(halide, [(START, TARGET), ("(+ x 0)", "x")], threads=2)[1]))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_searches_too(halide):
    # The threads of this process are not there in the other one.
    cairn.prove(halide, [(START, TARGET), ("(+ x 0)", "x")], threads=2)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) is True
    child.join(10)
    assert child.exitcode == 0
