//! Analyses: facts of classes in conditions, in computed literals and in costs, with proofs that a
//! checker accepts, and refuses where one part is changed.

mod common;

use egraph::{
    Caps, EGraph, FlatProof, Id, Limits, Proof, System, TermBank, TermId, Value, check, check_flat,
    explain,
};
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

#[test]
fn the_lessons_second_example_has_582_products_after_five_iterations() {
    let (system, mut bank, start, chain) = lesson("(+ 1 (+ 1 (+ 1 (+ 1 (* x 0)))))");
    let egraph = grow(&system, &bank, start, 1);
    assert!(explain(&egraph, &mut bank, start, chain).is_none(), "(* x 0) has no bounds yet");
    let egraph = grow(&system, &bank, start, 2);
    let proof = explain(&egraph, &mut bank, start, chain).expect("after two iterations");
    holds(&proof, &system, &mut bank);
    let egraph = grow(&system, &bank, start, 5);
    let product = system.language.operator("*").unwrap();
    let is_product = |n: &Id| egraph.node(*n) == egraph::Node::Op(product);
    let classes =
        egraph.classes().map(|class| egraph.nodes(class).iter().filter(|n| is_product(n)).count());
    assert_eq!(classes.sum::<usize>(), 582);
}
