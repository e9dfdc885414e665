//! Analyses: facts of classes in conditions, in computed literals and in costs, with proofs that a
//! checker accepts, and refuses where one part is changed.

use crate::common;
use egraph::{
    AnalysisId, Caps, CostFunction, EGraph, Explainer, FactBy, FlatProof, How, Id, Limits, Proof,
    Shortener, Sketch, StepRef, Steps, System, TermBank, TermId, TransferId, Value, check,
    check_flat, explain, extract_best, proof_from_json, proof_to_json,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Sums, products and quotients with bounds, as in egglog's lesson on schedules.
const BOUNDS: &str = "
(sort Num)
(op + (Num Num) Num) (op * (Num Num) Num) (op / (Num Num) Num) (op byte (Num) Num)
(literal i64 Num) (variable Num)
(analysis lo Num Num :merge (max old new))
(analysis hi Num Num :merge (min old new))
(transfer (lo ?c) ?c)
(transfer (hi ?c) ?c)
(transfer (lo (byte ?a)) 0)
(transfer (hi (byte ?a)) 255)
(transfer (lo (+ ?a ?b)) (+ (lo ?a) (lo ?b)))
(transfer (hi (+ ?a ?b)) (+ (hi ?a) (hi ?b)))
(transfer (lo (* ?a ?b)) (min (min (* (lo ?a) (lo ?b)) (* (lo ?a) (hi ?b)))
                              (min (* (hi ?a) (lo ?b)) (* (hi ?a) (hi ?b)))))
(transfer (hi (* ?a ?b)) (max (max (* (lo ?a) (lo ?b)) (* (lo ?a) (hi ?b)))
                              (max (* (hi ?a) (lo ?b)) (* (hi ?a) (hi ?b)))))
(birewrite (+ ?x (+ ?y ?z)) (+ (+ ?x ?y) ?z) :name add-assoc)
(birewrite (* ?x (* ?y ?z)) (* (* ?x ?y) ?z) :name mul-assoc)
(rewrite (+ ?x ?y) (+ ?y ?x) :name add-comm)
(rewrite (* ?x ?y) (* ?y ?x) :name mul-comm)
(rewrite (* ?x (+ ?y ?z)) (+ (* ?x ?y) (* ?x ?z)) :name distribute)
(rewrite (+ ?x 0) ?x :name add-0)
(rewrite (* ?x 1) ?x :name mul-1)
(rewrite (* ?x 0) 0 :name mul-0)
(rewrite (+ ?a ?b) (compute (+ ?a ?b)) :when ((const ?a) (const ?b)) :name add)
(rewrite (* ?a ?b) (compute (* ?a ?b)) :when ((const ?a) (const ?b)) :name mul)
(rewrite (/ ?x ?x) 1 :when ((|| (> (lo ?x) 0) (< (hi ?x) 0))) :name div-self)
(rewrite (* ?x (/ ?y ?x)) ?y :when ((|| (> (lo ?x) 0) (< (hi ?x) 0))) :name cancel)
";

/// Grows for so many iterations with all rules.
fn grow(system: &Arc<System>, bank: &TermBank, term: TermId, iterations: u64) -> EGraph {
    let limits = Limits { iterations: Some(iterations), ..Default::default() };
    common::grow(system, bank, &[term], limits)
}

const CHAIN: &str = "(+ a (+ b (+ c (+ d (+ e f)))))";

fn lesson(of: &str) -> (Arc<System>, TermBank, TermId, TermId) {
    let system = Arc::new(System::parse(BOUNDS).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse(&format!("(* {of} (/ {CHAIN} {of}))"), None).unwrap();
    let chain = bank.parse(CHAIN, None).unwrap();
    (system, bank, start, chain)
}

fn holds(proof: &Proof, system: &System, bank: &mut TermBank) -> FlatProof {
    check(system, bank, proof).unwrap();
    let flat = proof.flatten(bank, Caps { steps: 1_000, term_size: 1_000 }).unwrap();
    check_flat(system, bank, &flat).unwrap();
    flat
}

#[test]
fn the_lessons_first_example_needs_the_bounds_of_its_divisor() {
    let (system, mut bank, start, chain) = lesson("(+ 1 (+ 1 (+ 1 (+ 1 2))))");
    let egraph = grow(&system, &bank, start, 1);
    let proof = explain(&egraph, &mut bank, start, chain).expect("after one iteration");
    let flat = holds(&proof, &system, &mut bank);
    let text = egraph::proof_text(&system, &bank, &flat);
    assert!(text.contains("cancel") && text.contains("(lo ?x) = 6"), "{text}");
    let lo = system.language.analysis_named("lo").unwrap();
    let of = |term: TermId| egraph.fact(lo, egraph.lookup(&bank, term).unwrap());
    assert_eq!(of(chain), None, "of variables nothing is known");
    assert_eq!(of(bank.children(start)[0]), Some(Value::Int(6)));
}

/// The e-graph of a term under the lesson's schedule.
fn scheduled(schedule: &str, term: &str) -> (Arc<System>, TermBank, TermId, EGraph) {
    let rules = BOUNDS.replace(":name", ":ruleset optimizations :name");
    let text = format!("(ruleset analysis) (ruleset optimizations) {rules} (schedule {schedule})");
    let system = common::system(&text);
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(term, None).unwrap();
    let egraph = common::grow(&system, &bank, &[term], Limits::default());
    (system, bank, term, egraph)
}

#[test]
fn the_lessons_schedule_means_the_same_here() {
    // Facts are up to date before any rule is matched, so that the ruleset `analysis` has nothing to do.
    let lesson = |n: u32, divisor: &str| {
        let schedule = format!("(repeat {n} (saturate (run analysis)) (run optimizations))");
        scheduled(&schedule, &format!("(* {divisor} (/ {CHAIN} {divisor}))"))
    };
    let (system, mut bank, start, egraph) = lesson(2, "(+ 1 (+ 1 (+ 1 (+ 1 2))))");
    let chain = bank.parse(CHAIN, None).unwrap();
    holds(&explain(&egraph, &mut bank, start, chain).unwrap(), &system, &mut bank);
    let second = "(+ 1 (+ 1 (+ 1 (+ 1 (* x 0)))))";
    let (.., egraph) = lesson(5, second);
    assert_eq!(products(&egraph), 582);
    let (.., egraph) = lesson(6, second);
    assert_eq!(products(&egraph), 13_285);
}

/// How many e-nodes are products.
fn products(egraph: &EGraph) -> usize {
    let product = egraph.system().language.operator("*").unwrap();
    let is_product = |n: &&Id| egraph.node(**n) == egraph::Node::Op(product);
    egraph.classes().map(|class| egraph.nodes(class).iter().filter(is_product).count()).sum()
}

#[test]
fn the_lessons_second_example_has_582_products_after_five_iterations() {
    let (system, mut bank, start, chain) = lesson("(+ 1 (+ 1 (+ 1 (+ 1 (* x 0)))))");
    let egraph = grow(&system, &bank, start, 1);
    assert!(explain(&egraph, &mut bank, start, chain).is_none(), "(* x 0) has no bounds yet");
    let egraph = grow(&system, &bank, start, 2);
    let proof = explain(&egraph, &mut bank, start, chain).expect("after two iterations");
    holds(&proof, &system, &mut bank);
    let egraph = grow(&system, &bank, start, 5);
    assert_eq!(products(&egraph), 582);
}

/// A random term over literals, bytes, sums and products.
fn random_term(rng: &mut ChaCha8Rng, depth: u32) -> String {
    if depth == 0 || rng.random_range(0..5) == 0 {
        return match rng.random_range(0..3) {
            0 => format!("(byte x{})", rng.random_range(0..2)),
            1 => "(byte 3)".to_owned(),
            _ => rng.random_range(-2..3).to_string(),
        };
    }
    let op = ["+", "*", "/"][rng.random_range(0..3)];
    let [a, b] = [(); 2].map(|()| random_term(rng, depth - 1));
    format!("({op} {a} {b})")
}

/// What a term is over fractions, where no divisor is 0 on the way; `byte` of x is `bytes[x]`.
fn value(bank: &TermBank, t: TermId, bytes: [i128; 2]) -> Option<(i128, i128)> {
    if let Some(Value::Int(n)) = bank.literal(t) {
        return Some((i128::from(n), 1));
    }
    let children = bank.children(t);
    if children.is_empty() {
        return None;
    }
    let name = bank.text(t);
    if name.starts_with("(byte") {
        return Some((
            match bank.text(children[0]).as_str() {
                "x0" => bytes[0],
                "x1" => bytes[1],
                _ => 3,
            },
            1,
        ));
    }
    let (a, b) = (value(bank, children[0], bytes)?, value(bank, children[1], bytes)?);
    Some(match &name[..2] {
        "(+" => (a.0.checked_mul(b.1)?.checked_add(b.0.checked_mul(a.1)?)?, a.1.checked_mul(b.1)?),
        "(*" => (a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?),
        _ if b.0 == 0 => return None,
        _ => (a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?),
    })
}

/// Random e-graphs with what they know.
fn random_egraphs(
    seeds: std::ops::Range<u64>,
    mut f: impl FnMut(&mut ChaCha8Rng, &Arc<System>, &mut TermBank, &EGraph),
) {
    let system = Arc::new(System::parse(BOUNDS).unwrap());
    for seed in seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bank = TermBank::new(system.language.clone());
        let terms: Vec<TermId> =
            (0..3).map(|_| bank.parse(&random_term(&mut rng, 4), None).unwrap()).collect();
        let limits = Limits { iterations: Some(4), nodes: Some(400), ..Default::default() };
        let egraph = common::grow(&system, &bank, &terms, limits);
        f(&mut rng, &system, &mut bank, &egraph);
    }
}

#[test]
fn facts_are_true_of_every_term_of_a_class() {
    let mut compared = 0;
    random_egraphs(0..60, |rng, system, bank, egraph| {
        let [lo, hi] = ["lo", "hi"].map(|name| system.language.analysis_named(name).unwrap());
        for class in egraph.classes() {
            for &node in egraph.nodes(class) {
                let term = egraph.term(bank, node);
                let bytes = [0, 1].map(|_| rng.random_range(0..256));
                let Some((n, d)) = value(bank, term, bytes) else { continue };
                let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
                if let Some(Value::Int(lo)) = egraph.fact(lo, class) {
                    assert!(i128::from(lo) * d <= n, "{} is at least {lo}?", bank.text(term));
                    compared += 1;
                }
                if let Some(Value::Int(hi)) = egraph.fact(hi, class) {
                    assert!(i128::from(hi) * d >= n, "{} is at most {hi}?", bank.text(term));
                }
            }
        }
    });
    assert!(compared > 5_000, "{compared}");
}

/// Proofs that rest on facts, each flattened too.
fn proofs_with_facts(
    f: &mut dyn FnMut(&mut ChaCha8Rng, &System, &mut TermBank, Proof, FlatProof),
) -> usize {
    let mut found = 0;
    random_egraphs(100..600, |rng, system, bank, egraph| {
        let mut explainer = Explainer::new(egraph);
        for class in egraph.classes().filter(|&class| egraph.nodes(class).len() > 1) {
            let nodes = egraph.nodes(class);
            let [a, b] = [0, 1].map(|_| nodes[rng.random_range(0..nodes.len())]);
            let (a, b) = (egraph.term(bank, a), egraph.term(bank, b));
            let proof = explainer.explain(bank, a, b).unwrap();
            check(system, bank, &proof).unwrap();
            let rests = |step: egraph::Step<'_>| matches!(step.how, How::Fact(..));
            if !proof.steps.iter().any(rests) || proof.len() > 300 {
                continue;
            }
            let Ok(flat) = proof.flatten(bank, Caps { steps: 200, term_size: 200 }) else {
                continue;
            };
            found += 1;
            f(rng, system, bank, proof, flat);
        }
    });
    found
}

#[test]
fn proofs_with_facts_are_flattened_shortened_written_and_read() {
    let found = proofs_with_facts(&mut |_, system, bank, proof, flat| {
        check_flat(system, bank, &flat).unwrap();
        let short = Shortener::new(system).shorten(bank, &flat, 200);
        check_flat(system, bank, &short).unwrap();
        assert!(short.steps.len() <= flat.steps.len());
        let again = flat.to_proof(bank);
        check(system, bank, &again).unwrap();
        let there_and_back = FlatProof::concatenated([flat.clone(), flat.clone().reversed()]);
        assert_eq!(there_and_back.steps.len(), 0);
        let text = proof_to_json(system, bank, &proof);
        let read = proof_from_json(system, bank, &text).unwrap();
        assert_eq!(read, proof);
    });
    assert!(found > 100, "{found}");
}

/// A step that can be changed.
struct Written {
    from: TermId,
    to: TermId,
    how: Reason,
    because: Vec<StepRef>,
}

enum Reason {
    Rule(egraph::RuleId, Vec<TermId>),
    Fold,
    Congruence(Vec<Option<StepRef>>),
    Chain(Vec<StepRef>),
    Transfer(AnalysisId, TransferId, Vec<TermId>),
    Other(AnalysisId, FactBy<'static>),
}

fn written(proof: &Proof) -> Vec<Written> {
    let write = |step: egraph::Step<'_>| Written {
        from: step.from,
        to: step.to,
        because: step.because.to_vec(),
        how: match step.how {
            How::Rule(rule, terms) => Reason::Rule(rule, terms.to_vec()),
            How::Fold => Reason::Fold,
            How::Congruence(children) => Reason::Congruence(children.to_vec()),
            How::Chain(links) => Reason::Chain(links.to_vec()),
            How::Fact(analysis, FactBy::Transfer(id, terms)) => {
                Reason::Transfer(analysis, id, terms.to_vec())
            }
            How::Fact(analysis, FactBy::Equality) => Reason::Other(analysis, FactBy::Equality),
            How::Fact(analysis, FactBy::Merge) => Reason::Other(analysis, FactBy::Merge),
        },
    };
    proof.steps.iter().map(write).collect()
}

fn as_proof(written: &[Written], root: StepRef) -> Proof {
    let mut steps = Steps::default();
    for Written { from, to, how, because } in written {
        let how = match how {
            Reason::Rule(rule, terms) => How::Rule(*rule, terms),
            Reason::Fold => How::Fold,
            Reason::Congruence(children) => How::Congruence(children),
            Reason::Chain(links) => How::Chain(links),
            Reason::Transfer(analysis, id, terms) => {
                How::Fact(*analysis, FactBy::Transfer(*id, terms))
            }
            Reason::Other(analysis, by) => How::Fact(*analysis, *by),
        };
        steps.push_because(*from, *to, how, because);
    }
    Proof { steps, root }
}

#[test]
fn a_fact_that_does_not_follow_is_refused() {
    let mut refused = [0; 7];
    proofs_with_facts(&mut |rng, system, bank, proof, _| {
        for _ in 0..20 {
            let mut all = written(&proof);
            let kind = rng.random_range(0..refused.len());
            let fits = |&i: &usize| match all[i].how {
                Reason::Other(_, FactBy::Equality) => true,
                Reason::Transfer(..) | Reason::Other(..) => kind != 6,
                _ => kind != 6 && !all[i].because.is_empty(),
            };
            let fitting: Vec<usize> = (0..all.len()).filter(fits).collect();
            if fitting.is_empty() {
                continue;
            }
            let index = fitting[rng.random_range(0..fitting.len())];
            let literals: Vec<TermId> =
                (0..bank.len() as u32).map(TermId).filter(|&t| bank.literal(t).is_some()).collect();
            let other = |rng: &mut ChaCha8Rng, not: TermId| {
                let others = literals.iter().copied().filter(|&t| t != not);
                let others: Vec<TermId> = others.collect();
                others[rng.random_range(0..others.len())]
            };
            let step = &mut all[index];
            let is_fact = !matches!(step.how, Reason::Rule(..));
            match (kind, &mut step.how) {
                // Another value.
                (0, _) if is_fact => step.to = other(rng, step.to),
                // At another term.
                (1, _) if is_fact => step.from = other(rng, step.from),
                // Of another analysis.
                (2, Reason::Transfer(analysis, ..) | Reason::Other(analysis, _)) => {
                    *analysis = AnalysisId(1 - analysis.0);
                }
                // With nothing behind it.
                (3, _) if !step.because.is_empty() => drop(step.because.pop()),
                // By another transfer, or by another kind of step.
                (4, Reason::Transfer(_, id, _)) => *id = TransferId((id.0 + 2) % 9),
                (4, Reason::Other(_, by)) => {
                    *by = if *by == FactBy::Merge { FactBy::Equality } else { FactBy::Merge };
                }
                // With other facts than those that are proved.
                (5, Reason::Rule(_, terms) | Reason::Transfer(_, _, terms))
                    if !step.because.is_empty() =>
                {
                    let last = terms.len() - 1;
                    terms[last] = other(rng, terms[last]);
                }
                // A fact is no equality.
                (6, Reason::Other(_, FactBy::Equality)) => step.because[0] = step.because[1],
                _ => continue,
            }
            let wrong = as_proof(&all, proof.root);
            assert!(check(system, bank, &wrong).is_err(), "kind {kind}: {wrong:?}");
            refused[kind] += 1;
        }
    });
    assert!(refused.iter().all(|&n| n >= 20), "{refused:?}");
}

#[test]
fn a_match_whose_fact_comes_later_is_not_missed() {
    // What the bounds of x are is known when it is found to equal a byte, by then the quotient is old.
    let text = BOUNDS.to_owned()
        + "(op f (Num) Num) (op g (Num) Num)
        (rewrite (f ?x) (g ?x) :name f) (rewrite (g ?x) (+ 1 (byte ?x)) :name g)";
    let system = common::system(&text);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(/ (f a) (f a))", None).unwrap();
    let one = bank.parse("1", None).unwrap();
    let egraph = grow(&system, &bank, start, 2);
    assert!(explain(&egraph, &mut bank, start, one).is_none());
    let egraph = grow(&system, &bank, start, 3);
    let proof = explain(&egraph, &mut bank, start, one).unwrap();
    holds(&proof, &system, &mut bank);
}

#[test]
fn a_class_that_equals_a_part_of_itself_ends() {
    // x = x + 1: its lower bound would rise for ever.
    let text = "(sort N) (op s (N) N) (op f (N) N) (literal i64 N)
        (analysis lo N N :merge (max old new))
        (transfer (lo ?c) ?c) (transfer (lo (s ?x)) (+ (lo ?x) 1)) (transfer (lo (f ?x)) 0)
        (rewrite (f ?x) (s (f ?x)) :name more)";
    let system = common::system(text);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(f 1)", None).unwrap();
    let egraph = grow(&system, &bank, start, 5);
    let lo = system.language.analysis_named("lo").unwrap();
    let class = egraph.lookup(&bank, start).unwrap();
    assert!(matches!(egraph.fact(lo, class), Some(Value::Int(1..100))));
}

#[test]
fn facts_are_within_the_memory_limit() {
    let (system, bank, start, _) = lesson("(+ 1 (+ 1 (+ 1 (+ 1 (* x 0)))))");
    for limit in [100_000, 400_000, 1_600_000] {
        let limits = Limits { memory: Some(limit), iterations: Some(9), ..Default::default() };
        let egraph = common::grow(&system, &bank, &[start], limits);
        assert!(egraph.heap_bytes() <= limit, "{} of {limit}", egraph.heap_bytes());
        assert!(egraph.heap_bytes() > limit / 2, "{} of {limit}", egraph.heap_bytes());
    }
}

#[test]
fn costs_and_computed_literals_read_facts() {
    let text = "(sort M) (sort N) (op * (M M) M) (op mat (N N M) M) (op cells (M) N) (literal i64 N) (variable M)
        (analysis rows M N :merge old) (analysis cols M N :merge old)
        (transfer (rows (mat ?r ?c ?x)) ?r) (transfer (cols (mat ?r ?c ?x)) ?c)
        (transfer (rows (* ?a ?b)) (rows ?a)) (transfer (cols (* ?a ?b)) (cols ?b))
        (birewrite (* ?a (* ?b ?c)) (* (* ?a ?b) ?c) :name assoc)
        (rewrite (cells ?a) (compute (* (rows ?a) (cols ?a))) :name cells)
        (cost (* ?a ?b) (* (* 2 (rows ?a)) (* (cols ?a) (cols ?b))) :name flops)";
    let system = common::system(text);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(cells (* (mat 2 30 a) (* (mat 30 4 b) (mat 4 50 c))))", None).unwrap();
    let egraph = common::grow(&system, &bank, &[start], Limits::default());
    let hundred = bank.parse("100", None).unwrap();
    let proof = explain(&egraph, &mut bank, start, hundred).unwrap();
    holds(&proof, &system, &mut bank);
    let flops = CostFunction::named(&system, "flops").unwrap();
    let product = bank.children(start)[0];
    // (2x30 times 30x4) times 4x50 against 2x30 times (30x4 times 4x50).
    assert_eq!(
        flops.text(&flops.of_term(&bank, product).unwrap()),
        (2 * (30 * 4 * 50 + 2 * 30 * 50)).to_string()
    );
    let class = egraph.lookup(&bank, product).unwrap();
    let (best, _) = extract_best(&egraph, &mut bank, class, &Sketch::Any, &flops).unwrap();
    assert_eq!(
        flops.text(&flops.of_term(&bank, best).unwrap()),
        (2 * (2 * 30 * 4 + 2 * 4 * 50)).to_string()
    );
}

#[test]
fn what_a_term_does_not_speak_of_it_does_not_depend_on() {
    // A bit for each variable, made of its name; of equal terms the one that speaks of fewer says more.
    let text = "(sort R) (sort Set) (op + (R R) R) (op * (R R) R) (op d (R R) R)
        (literal i64 R) (variable R) (literal (bits 64) Set)
        (analysis free R Set :merge (& old new))
        (transfer (free ?c) 0)
        (transfer (free (variable ?name)) (<< 1 (& ?name 63)))
        (transfer (free (+ ?a ?b)) (| (free ?a) (free ?b)))
        (transfer (free (* ?a ?b)) (| (free ?a) (free ?b)))
        (rewrite (d ?x ?c) 0 :when ((== (& (free ?x) (free ?c)) 0)) :name constant)
        (rewrite (* ?a 0) 0 :name mul-0)
        (rewrite (+ ?a 0) ?a :name add-0)";
    let system = common::system(text);
    let mut bank = TermBank::new(system.language.clone());
    let zero = bank.parse("0", system.language.sort("R")).unwrap();
    for (term, is_zero) in [
        ("(d x y)", true),
        ("(d x x)", false),
        ("(d x (+ y (* x 0)))", true),
        ("(d x (+ y x))", false),
        ("(d x 7)", true),
    ] {
        let term = bank.parse(term, None).unwrap();
        let egraph = common::grow(&system, &bank, &[term], Limits::default());
        let proof = explain(&egraph, &mut bank, term, zero);
        assert_eq!(proof.is_some(), is_zero, "{}", bank.text(term));
        if let Some(proof) = proof {
            holds(&proof, &system, &mut bank);
        }
    }
}
