//! Shortened proofs: right, with the same ends, never longer, and the same whatever else was
//! shortened before. And proofs too long to be flattened.

use crate::common;
use egraph::{
    Caps, EGraph, Explainer, FlatProof, How, Import, Limits, Proof, RuleId, Shortener, Steps,
    System, TermBank, TermId, TooLong, check, check_flat,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CAPS: Caps = Caps { steps: 500, term_size: 300 };

/// Flat proofs of random pairs of e-nodes of one class.
fn flat_proofs(egraph: &EGraph, bank: &mut TermBank, seed: u64, count: usize) -> Vec<FlatProof> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let classes: Vec<_> = egraph.classes().filter(|&c| egraph.nodes(c).len() > 1).collect();
    let mut explainer = Explainer::new(egraph);
    let mut found = Vec::new();
    for _ in 0..count {
        let nodes = egraph.nodes(classes[rng.random_range(0..classes.len())]);
        let mut pick = || egraph.term(bank, nodes[rng.random_range(0..nodes.len())]);
        let (a, b) = (pick(), pick());
        if bank.size(a) <= 60 && bank.size(b) <= 60 {
            let proof = explainer.explain(bank, a, b).expect("terms of one class");
            found.extend(proof.flatten(bank, CAPS));
        }
    }
    found
}

/// Shortens the proofs; returns the lengths before and after.
fn shorten_all(system: &System, bank: &mut TermBank, proofs: &[FlatProof]) -> (usize, usize) {
    let mut shortener = Shortener::new(system);
    let (mut before, mut after) = (0, 0);
    for proof in proofs {
        let short = shortener.shorten(bank, proof, CAPS.term_size);
        check_flat(system, bank, &short).unwrap_or_else(|e| panic!("{e}: {short:?}"));
        assert_eq!(short.terms[0], proof.terms[0]);
        assert_eq!(short.terms.last(), proof.terms.last());
        assert!(short.steps.len() <= proof.steps.len());
        let distinct: std::collections::HashSet<_> = short.terms.iter().collect();
        assert_eq!(distinct.len(), short.terms.len(), "a loop is left in the proof");
        assert!(short.terms.iter().all(|&t| bank.size(t) <= CAPS.term_size));
        let dag = short.to_proof(bank);
        check(system, bank, &dag).unwrap();
        assert_eq!((dag.start(), dag.end()), (short.terms[0], *short.terms.last().unwrap()));
        before += proof.steps.len();
        after += short.steps.len();
    }
    (before, after)
}

#[test]
fn for_sums() {
    let system = common::system(common::SUMS);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(+ a (+ b (+ c (+ d (+ e f)))))", None).unwrap();
    let egraph = common::grow(&system, &bank, &[start], Limits::default());
    let proofs = flat_proofs(&egraph, &mut bank, 1, 1_000);
    let (before, after) = shorten_all(&system, &mut bank, &proofs);
    assert!(after * 10 < before * 9, "{before} steps became {after}");
}

#[test]
fn for_integers_with_constants_and_conditions() {
    let system = common::system(common::INTEGERS);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (mut before, mut after) = (0, 0);
    for seed in 0..30 {
        let mut bank = TermBank::new(system.language.clone());
        let term = common::random_integer_term(&mut rng, &mut bank, 14);
        let limits = Limits { nodes: Some(1_000), iterations: Some(6), ..Default::default() };
        let egraph = common::grow(&system, &bank, &[term], limits);
        if egraph.classes().all(|c| egraph.nodes(c).len() == 1) {
            continue;
        }
        let proofs = flat_proofs(&egraph, &mut bank, seed, 40);
        let (b, a) = shorten_all(&system, &mut bank, &proofs);
        (before, after) = (before + b, after + a);
    }
    assert!(before > 2_000 && after * 10 < before * 9, "{before} steps became {after}");
}

#[test]
fn the_same_whatever_was_shortened_before() {
    let system = common::system(common::INTEGERS);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(+ (/ (* x 8) 4) (* (+ y 3) (- x x)))", None).unwrap();
    let limits = Limits { nodes: Some(1_000), iterations: Some(5), ..Default::default() };
    let egraph = common::grow(&system, &bank, &[start], limits);
    let proofs = flat_proofs(&egraph, &mut bank, 3, 200);
    let text = |bank: &TermBank, p: &FlatProof| egraph::proof_text(&system, bank, p);
    let mut one = Shortener::new(&system);
    let forwards: Vec<String> = proofs
        .iter()
        .map(|p| {
            let short = one.shorten(&mut bank, p, CAPS.term_size);
            text(&bank, &short)
        })
        .collect();
    let mut other = Shortener::new(&system);
    let mut fresh_bank = TermBank::new(system.language.clone());
    for (p, expected) in proofs.iter().zip(&forwards).rev() {
        let proof = p.to_proof(&bank).import(&mut fresh_bank, &mut Import::new(&bank));
        let flat = proof.flatten(&mut fresh_bank, CAPS).unwrap();
        let short = other.shorten(&mut fresh_bank, &flat, CAPS.term_size);
        assert_eq!(&text(&fresh_bank, &short), expected);
        let alone = Shortener::new(&system).shorten(&mut fresh_bank, &flat, CAPS.term_size);
        assert_eq!(short, alone);
    }
}

#[test]
fn rewrites_that_undo_each_other_across_a_rule() {
    // x is made 0 + x, carried by the rule, and made x again.
    let system = common::system(
        "(sort S) (op + (S S) S) (op f (S S) S) (op zero () S) (variable S)
         (birewrite (+ ?x zero) ?x :name zero) (rewrite (f ?x ?y) (f ?y ?x) :name comm)",
    );
    let mut bank = TermBank::new(system.language.clone());
    let texts = ["(f a b)", "(f (+ a zero) b)", "(f b (+ a zero))", "(f b a)"];
    let terms: Vec<TermId> = texts.iter().map(|t| bank.parse(t, None).unwrap()).collect();
    let [a, b] = ["a", "b"].map(|t| bank.parse(t, None).unwrap());
    let step = |rule: &str, forward, path: &[u32], substitution: &[TermId]| egraph::FlatStep {
        rule: egraph::Justification::Rule(system.rule_named(rule).unwrap()),
        forward,
        path: path.to_vec(),
        substitution: substitution.to_vec(),
        because: Vec::new(),
    };
    let sum = bank.parse("(+ a zero)", None).unwrap();
    let steps = vec![
        step("zero", false, &[0], &[a]),
        step("comm", true, &[], &[sum, b]),
        step("zero", true, &[1], &[a]),
    ];
    let proof = FlatProof { terms, steps, facts: Steps::default() };
    check_flat(&system, &bank, &proof).unwrap();
    let short = Shortener::new(&system).shorten(&mut bank, &proof, CAPS.term_size);
    check_flat(&system, &bank, &short).unwrap();
    assert_eq!(short.steps.len(), 1);
}

#[test]
fn a_proof_with_more_than_ten_to_the_seventeen_steps_is_too_long_at_once() {
    let system = common::system(common::SUMS);
    let mut bank = TermBank::new(system.language.clone());
    let [a, b, ab, ba] =
        ["a", "b", "(+ a b)", "(+ b a)"].map(|text| bank.parse(text, None).unwrap());
    let mut steps = Steps::default();
    let mut at = steps.push(ab, ba, How::Rule(RuleId(0), &[a, b]));
    // There, back and there again: 3 to the 36th.
    for _ in 0..36 {
        at = steps.push(ab, ba, How::Chain(&[at, at.flip(), at]));
    }
    let proof = Proof { steps, root: at };
    check(&system, &bank, &proof).unwrap();
    let caps = Caps { steps: 1_000, term_size: 100 };
    assert_eq!(proof.flatten(&mut bank, caps), Err(TooLong::Steps));
}

#[test]
fn a_proof_of_many_steps_deep_in_a_term_is_too_long() {
    let system = common::system(common::SUMS);
    let mut bank = TermBank::new(system.language.clone());
    let [a, b, ab, ba] =
        ["a", "b", "(+ a b)", "(+ b a)"].map(|text| bank.parse(text, None).unwrap());
    let plus = system.language.operator("+").unwrap();
    let caps = Caps { steps: 100, term_size: 1_000 };
    let mut flattened = |depth: usize| {
        let mut steps = Steps::default();
        let there = steps.push(ab, ba, How::Rule(RuleId(0), &[a, b]));
        let many: Vec<_> = (0..1_001).map(|i| [there, there.flip()][i % 2]).collect();
        let (mut ends, mut at) = ([ab, ba], steps.push(ab, ba, How::Chain(&many)));
        for _ in 0..depth {
            ends = ends.map(|end| bank.apply(plus, &[a, end]));
            at = steps.push(ends[0], ends[1], How::Congruence(&[None, Some(at)]));
        }
        let proof = Proof { steps, root: at };
        check(&system, &bank, &proof).unwrap();
        proof.flatten(&mut bank, caps)
    };
    assert_eq!(flattened(100).map(|flat| flat.steps.len()), Ok(1));
    assert_eq!(flattened(300), Err(TooLong::Steps));
}

#[test]
fn a_proof_of_chains_alone_and_one_of_a_huge_term_are_refused_at_once() {
    let system = common::system(common::SUMS);
    let mut bank = TermBank::new(system.language.clone());
    let a = bank.parse("a", None).unwrap();
    let caps = Caps { steps: 1_000, term_size: 100 };
    let mut steps = Steps::default();
    let mut at = steps.push(a, a, How::Chain(&[]));
    for _ in 0..60 {
        at = steps.push(a, a, How::Chain(&[at, at]));
    }
    let proof = Proof { steps, root: at };
    check(&system, &bank, &proof).unwrap();
    assert_eq!(proof.flatten(&mut bank, caps), Err(TooLong::Steps));

    let plus = system.language.operator("+").unwrap();
    let huge = (0..60).fold(a, |term, _| bank.apply(plus, &[term, term]));
    let proof = Proof::reflexive(huge);
    check(&system, &bank, &proof).unwrap();
    assert_eq!(proof.flatten(&mut bank, caps), Err(TooLong::TermSize));
}
