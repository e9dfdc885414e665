//! Frontier terms, those that an earlier state of an e-graph did not represent in a class, are
//! counted as enumeration counts them, and each is drawn equally often.

use crate::small_system::chi_square::p_value;
use crate::small_system::enumeration::Enumeration;
use crate::small_system::{grown, random_system, term};
use egraph::{EGraph, Id, Past, Snapshot, TermBank, TermId};
use num_bigint::BigUint;
use proptest::prelude::*;
use std::collections::BTreeSet;
use support::random::stream;
use terms::{Counts, Frontier, Sample, Terms, is_padded};

/// Whether `earlier` did not represent `term` in one of the classes `known`.
fn is_new(earlier: &EGraph, bank: &TermBank, term: TermId, known: &[Id]) -> bool {
    let class = earlier.lookup(bank, term);
    class.is_none_or(|class| known.iter().all(|&id| earlier.find(id) != class))
}

/// What `later` was when it was `earlier`.
fn past(later: &EGraph, earlier: &EGraph) -> Past {
    Past::new(later, Snapshot::new(earlier))
}

/// Whether a term is counted: each node is no child of itself, each constant part is a literal.
fn is_counted(egraph: &EGraph, bank: &TermBank, term: TermId, terms: Terms) -> bool {
    let class = |t: TermId| egraph.find(egraph.lookup(bank, t).unwrap());
    let root = class(term);
    let padded = |t: &TermId| bank.children(*t).iter().any(|&child| class(child) == class(*t));
    let foldable = |t: &TermId| {
        class(*t) != root && egraph.literal(class(*t)).is_some() && !bank.children(*t).is_empty()
    };
    let subterms = bank.subterms(term);
    (terms.padded || !subterms.iter().any(padded))
        && (terms.constants || !subterms.iter().any(foldable))
}

/// Counts of the frontier agree with enumeration, and its numbers are its terms.
fn check(later: &EGraph, earlier: &EGraph, root: Id, terms: Terms, limit: u32) {
    let class = later.find(root);
    // As many as can be enumerated.
    let counts = Counts::new(later, &[(class, limit)], Terms::ALL);
    let few = |&size: &u32| counts.up_to(class, size) < BigUint::from(3_000u32);
    let Some(limit) = (1..=limit).rev().find(few) else { return };
    let mut frontier = Frontier::new(later, &past(later, earlier), &[(root, limit)], terms);
    let mut all = Enumeration::new(later);
    let mut expected = BTreeSet::new();
    for size in 0..=limit {
        let mut new = all.terms(class, size);
        new.retain(|&t| is_counted(later, &all.bank, t, terms));
        new.retain(|&t| is_new(earlier, &all.bank, t, &[root]));
        assert_eq!(frontier.count(class, size), BigUint::from(new.len()), "size {size}");
        expected.extend(new);
    }
    assert_eq!(frontier.up_to(class, limit), BigUint::from(expected.len()));
    let mut found = BTreeSet::new();
    let mut last_size = 0;
    for number in 0..expected.len() {
        let term = frontier.term(&mut all.bank, class, limit, &number.into()).unwrap();
        assert!(all.bank.size(term) >= last_size, "terms are numbered by size");
        last_size = all.bank.size(term);
        found.insert(term);
    }
    assert_eq!(found, expected);
    assert_eq!(frontier.term(&mut all.bank, class, limit, &expected.len().into()), None);
}

fn modes() -> impl Strategy<Value = Terms> {
    any::<(bool, bool)>().prop_map(|(padded, constants)| Terms { padded, constants })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn the_frontier_agrees_with_enumeration(
        (seed, rules, iterations) in random_system::cases(),
        terms in modes(),
        class in any::<prop::sample::Index>(),
    ) {
        if let Some((later, earlier)) = random_system::grown(&seed, &rules, iterations) {
            let classes: Vec<Id> = earlier.classes().collect();
            check(&later, &earlier, *class.get(&classes), terms, 9);
        }
    }

    #[test]
    fn counts_agree_with_enumeration(
        (seed, rules, _) in random_system::cases(),
        class in any::<prop::sample::Index>(),
        terms in modes(),
    ) {
        if let Some((egraph, _)) = random_system::grown(&seed, &rules, 0) {
            let classes: Vec<Id> = egraph.classes().collect();
            let class = *class.get(&classes);
            let counts = Counts::new(&egraph, &[(class, 9)], terms);
            let every = Counts::new(&egraph, &[(class, 9)], Terms::ALL);
            let mut all = Enumeration::new(&egraph);
            for size in 0..=9 {
                if every.up_to(class, size) > BigUint::from(3_000u32) {
                    break;
                }
                let mut expected = all.terms(class, size);
                prop_assert_eq!(every.count(class, size), BigUint::from(expected.len()));
                expected.retain(|&t| is_counted(&egraph, &all.bank, t, terms));
                prop_assert_eq!(counts.count(class, size), BigUint::from(expected.len()));
            }
        }
    }
}

#[test]
fn a_state_grown_again_will_do() {
    for seed in ["(+ a 0)", "(* (+ a b) 1)", "(if (< a b) (+ a b) (+ b a))", "(+ (+ a b) (+ c 2))"]
    {
        for (earlier, later) in [(0, 1), (1, 2), (1, 3), (2, 3), (3, 3)] {
            let (earlier, later) = (grown(seed, earlier), grown(seed, later));
            let (bank, term) = term(later.system(), seed);
            let root = earlier.lookup(&bank, term).unwrap();
            for terms in [Terms::ALL, Terms::PLAIN] {
                check(&later, &earlier, root, terms, 11);
            }
        }
    }
}

#[test]
fn a_term_of_another_class_is_new_where_that_class_was_united() {
    // (+ a b) was there before, but in a class of its own.
    let (earlier, later) = (grown("(* (+ a b) 1)", 0), grown("(* (+ a b) 1)", 1));
    let text = |text: &str| {
        let (bank, term) = term(earlier.system(), text);
        earlier.lookup(&bank, term).unwrap()
    };
    let (product, sum) = (text("(* (+ a b) 1)"), text("(+ a b)"));
    assert_eq!(later.find(product), later.find(sum));
    let class = later.find(sum);
    let mut bank = TermBank::new(later.system().language.clone());
    let mut small = |roots: &[(Id, u32)]| {
        let mut frontier = Frontier::new(&later, &past(&later, &earlier), roots, Terms::ALL);
        let sample: Sample = frontier.sample(&mut bank, class, 3, 9, 1_000, &mut stream(0, 0));
        sample.terms.iter().map(|&t| bank.text(t)).collect::<BTreeSet<_>>()
    };
    let all = ["(+ a b)", "(+ b a)"].map(String::from);
    assert_eq!(small(&[(product, 3)]), BTreeSet::from(all.clone()));
    // Of the classes of both roots, one had the first.
    assert_eq!(small(&[(product, 3), (sum, 3)]), BTreeSet::from([all[1].clone()]));
    assert_eq!(small(&[(sum, 2), (product, 3)]), BTreeSet::from([all[1].clone()]));
}

#[test]
fn every_frontier_term_is_drawn_equally_often() {
    for (seed_term, earlier, limit, each, terms_wanted) in [
        ("(* (+ a b) 1)", 1, 7, 40, Terms::ALL),
        ("(if (< a b) (+ a b) b)", 1, 12, 40, Terms::ALL),
        ("(+ (* a b) (* a (+ c d)))", 1, 13, 40, Terms::PLAIN),
        ("(+ a (+ b (+ c (+ d (+ e f)))))", 2, 11, 10, Terms::PLAIN),
        ("(+ (+ a b) (+ c 2))", 1, 11, 5, Terms::ALL),
    ] {
        let (earlier, later) = (grown(seed_term, earlier), grown(seed_term, 3));
        let (bank, term) = term(later.system(), seed_term);
        let root = earlier.lookup(&bank, term).unwrap();
        let class = later.find(root);
        let mut all = Enumeration::new(&later);
        let mut terms = all.up_to(class, limit);
        terms.retain(|&t| is_counted(&later, &all.bank, t, terms_wanted));
        terms.retain(|&t| terms_wanted.padded || !is_padded(&later, &all.bank, t));
        terms.retain(|&t| is_new(&earlier, &all.bank, t, &[root]));
        assert!((50..=100_000).contains(&terms.len()), "{seed_term}: {} terms", terms.len());
        let mut frontier =
            Frontier::new(&later, &past(&later, &earlier), &[(root, limit)], terms_wanted);
        for seed in 0..10 {
            let mut rng = stream(seed, 7);
            // One at a time, as in drawing with replacement.
            let p = p_value(&terms, each, || {
                frontier.sample(&mut all.bank, class, limit, 1, 1_000, &mut rng).terms[0]
            });
            assert!(p > 0.001, "{seed_term}, seed {seed}: p = {p}");
        }
    }
}
