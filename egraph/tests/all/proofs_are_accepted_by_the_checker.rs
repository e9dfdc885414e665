//! Proofs of random pairs from one class, as DAGs and flat.

use crate::common;
use egraph::{
    Caps, EGraph, Explainer, Import, Limits, Proof, System, TermBank, TermId, check, check_flat,
    explain,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Explains and checks pairs of e-nodes of the same class; returns how many.
fn check_random_pairs(
    system: &System,
    egraph: &EGraph,
    bank: &mut TermBank,
    rng: &mut ChaCha8Rng,
    pairs: usize,
) -> usize {
    let classes: Vec<_> = egraph.classes().filter(|&c| egraph.nodes(c).len() > 1).collect();
    let mut explainer = Explainer::new(egraph);
    let mut checked = 0;
    for _ in 0..pairs {
        let nodes = egraph.nodes(classes[rng.random_range(0..classes.len())]);
        let pick = |rng: &mut ChaCha8Rng| nodes[rng.random_range(0..nodes.len())];
        let (a, b) = (pick(rng), pick(rng));
        let (a, b) = (egraph.term(bank, a), egraph.term(bank, b));
        if bank.size(a) > 60 || bank.size(b) > 60 {
            continue;
        }
        let proof = explainer.explain(bank, a, b).expect("terms of one class are equal");
        assert_proves(system, bank, &proof, a, b);
        if checked % 8 == 0 {
            // An explainer that has explained nothing else gives the same proof.
            let alone = explain(egraph, bank, a, b).expect("terms of one class are equal");
            let caps = Caps { steps: 5_000, term_size: 100_000 };
            assert_eq!(proof.flatten(bank, caps).ok(), alone.flatten(bank, caps).ok());
        }
        checked += 1;
    }
    checked
}

fn assert_proves(system: &System, bank: &mut TermBank, proof: &Proof, a: TermId, b: TermId) {
    assert_eq!((proof.start(), proof.end()), (a, b));
    check(system, bank, proof)
        .unwrap_or_else(|e| panic!("{e}: {} = {}\n{proof:?}", bank.text(a), bank.text(b)));
    let caps = Caps { steps: 5_000, term_size: 100_000 };
    if let Ok(flat) = proof.flatten(bank, caps) {
        check_flat(system, bank, &flat).unwrap();
        assert_eq!((flat.terms[0], *flat.terms.last().unwrap()), (a, b));
        let distinct: std::collections::HashSet<_> = flat.terms.iter().collect();
        assert_eq!(distinct.len(), flat.terms.len(), "a loop is left in the proof");
        check_flat(system, bank, &flat.reversed()).unwrap();
    }
}

#[test]
fn for_sums() {
    let system = common::system(common::SUMS);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(+ a (+ b (+ c (+ d (+ e f)))))", None).unwrap();
    let egraph = common::grow(&system, &bank, &[start], Limits::default());
    assert_eq!(egraph.class_count(), 63);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    assert!(check_random_pairs(&system, &egraph, &mut bank, &mut rng, 2_000) > 1_000);
}

#[test]
fn for_integers_with_constants_and_conditions() {
    let system = common::system(common::INTEGERS);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut checked = 0;
    for _ in 0..60 {
        let mut bank = TermBank::new(system.language.clone());
        let terms: Vec<TermId> =
            (0..2).map(|_| common::random_integer_term(&mut rng, &mut bank, 12)).collect();
        let limits = Limits { nodes: Some(1_500), iterations: Some(8), ..Default::default() };
        let egraph = common::grow(&system, &bank, &terms, limits);
        assert_eq!(egraph.conflict(), None);
        checked += check_random_pairs(&system, &egraph, &mut bank, &mut rng, 100);
    }
    assert!(checked > 3_000, "{checked}");
}

#[test]
fn for_terms_that_are_represented_but_were_never_added() {
    let system = common::system(common::SUMS);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(+ a (+ b (+ c (+ d e))))", None).unwrap();
    let egraph = common::grow(&system, &bank, &[start], Limits::default());
    for text in ["(+ (+ e d) (+ (+ c b) a))", "(+ (+ (+ (+ e a) d) b) c)"] {
        let other = bank.parse(text, None).unwrap();
        let proof = explain(&egraph, &mut bank, start, other).unwrap();
        assert_proves(&system, &mut bank, &proof, start, other);
    }
    let different = bank.parse("(+ a (+ b (+ c (+ d d))))", None).unwrap();
    assert_eq!(explain(&egraph, &mut bank, start, different), None);
}

#[test]
fn for_a_folded_constant() {
    let system = common::system(common::INTEGERS);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(/ (* x (+ 2 6)) (- 5 1))", None).unwrap();
    let goal = bank.parse("(* x 2)", None).unwrap();
    let egraph = common::grow(
        &system,
        &bank,
        &[start],
        Limits { iterations: Some(3), ..Default::default() },
    );
    let proof = explain(&egraph, &mut bank, start, goal).unwrap();
    assert_proves(&system, &mut bank, &proof, start, goal);
}

#[test]
fn of_chains_of_proofs_and_copies_in_other_banks() {
    let system = common::system(common::SUMS);
    let mut bank = TermBank::new(system.language.clone());
    let a = bank.parse("(+ a (+ b c))", None).unwrap();
    let b = bank.parse("(+ (+ c b) a)", None).unwrap();
    let egraph = common::grow(&system, &bank, &[a], Limits::default());
    let there = explain(&egraph, &mut bank, a, b).unwrap();
    let back = there.clone().reversed();
    let round = Proof::chain(vec![there.clone(), back, there, Proof::reflexive(b)]);
    assert_proves(&system, &mut bank, &round, a, b);
    let mut other = TermBank::new(system.language.clone());
    other.parse("(+ z z)", None).unwrap();
    let copy = round.import(&mut other, &mut Import::new(&bank));
    check(&system, &other, &copy).unwrap();
    assert_eq!(other.text(copy.end()), "(+ (+ c b) a)");
}
