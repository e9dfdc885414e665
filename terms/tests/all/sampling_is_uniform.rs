//! Counts agree with full enumeration, and every term of a class is drawn equally often.

use crate::small_system;
use crate::small_system::chi_square::{p_value, upper_gamma};
use crate::small_system::enumeration::Enumeration;
use crate::small_system::{RULES, grown, grown_by, system, term};
use egraph::{
    Bounds, EGraph, Id, Limits, SaturationConfig, StopReason, System, TermBank, TermId, saturate,
};
use num_bigint::BigUint;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use support::random::{below, stream};
use terms::{Counts, Room, Sampler, Terms, fitting, is_padded};

const LIMIT: u32 = 7;

#[test]
fn counts_agree_with_enumeration_in_every_class() {
    // Cyclic: x = x + 0 = x * 1. The operator `if` has three children.
    for seed in ["(+ a 0)", "(* (+ a b) 1)", "(if (< a b) (+ a b) (+ b a))", "(+ (+ a b) (+ c 2))"]
    {
        let egraph = grown(seed, 3);
        let roots: Vec<_> = egraph.classes().map(|class| (class, LIMIT)).collect();
        let counts = Counts::new(&egraph, &roots, Terms::ALL);
        let mut all = Enumeration::new(&egraph);
        for class in egraph.classes() {
            let mut sum = 0;
            for size in 0..=LIMIT {
                let terms = all.terms(class, size);
                assert_eq!(counts.count(class, size), BigUint::from(terms.len()), "{seed} {size}");
                let distinct: BTreeSet<_> = terms.iter().collect();
                assert_eq!(distinct.len(), terms.len(), "a term has two derivations");
                sum += terms.len();
                assert_eq!(counts.up_to(class, size), BigUint::from(sum));
            }
        }
    }
}

#[test]
fn counts_below_one_root_are_enough_for_it() {
    let egraph = grown("(if (< a b) (+ a (+ b 0)) (+ b a))", 3);
    let every: Vec<_> = egraph.classes().map(|class| (class, 14)).collect();
    let (root, all) = (egraph.find(Id(0)), Counts::new(&egraph, &every, Terms::ALL));
    for &(root, _) in every.iter().take(40).chain(&[(root, 14)]) {
        let pruned = Counts::new(&egraph, &[(root, 14)], Terms::ALL);
        for size in 0..=14 {
            assert_eq!(pruned.count(root, size), all.count(root, size));
        }
        assert!(pruned.heap_bytes() <= all.heap_bytes());
    }
}

#[test]
fn counts_beyond_64_bits_are_exact() {
    // The recurrence of the definition, in big integers; all e-nodes here are binary.
    let egraph = grown("(+ a 0)", 1);
    let roots: Vec<_> = egraph.classes().map(|class| (class, 160)).collect();
    let counts = Counts::new(&egraph, &roots, Terms::ALL);
    let mut all: BTreeMap<(Id, u32), BigUint> = BTreeMap::new();
    for size in 1..=160u32 {
        for class in egraph.classes() {
            let mut sum = BigUint::ZERO;
            for &node in egraph.nodes(class) {
                match *egraph.children(node) {
                    [] => sum += u32::from(size == 1),
                    [x, y] => {
                        for s in 1..size.saturating_sub(1) {
                            sum += &all[&(x, s)] * &all[&(y, size - 1 - s)];
                        }
                    }
                    _ => unreachable!("e-nodes are leaves or binary"),
                }
            }
            assert_eq!(counts.count(class, size), sum);
            all.insert((class, size), sum);
        }
    }
    let root = egraph.find(egraph.lookup_text("a"));
    assert!(counts.count(root, 159).bits() > 128);
    let mut bank = TermBank::new(egraph.system().language.clone());
    let mut sampler = Sampler::new(&egraph, &counts);
    let mut sizes = BTreeSet::new();
    for number in 0..100 {
        let term = sampler.draw(&mut bank, root, 160, &mut stream(number, 0)).unwrap();
        assert_eq!(egraph.lookup(&bank, term), Some(root));
        sizes.insert(bank.size(term));
    }
    // Nearly all terms are of the largest sizes.
    assert!(sizes.last() <= Some(&160) && sizes.first() > Some(&100), "{sizes:?}");
}

#[test]
fn memory_of_counts_is_limited_exactly() {
    let egraph = grown("(+ (+ a b) (+ c 2))", 3);
    let roots = [(egraph.find(Id(0)), 90), (egraph.lookup_text("(+ (+ a b) (+ c 2))"), 90)];
    let counts = Counts::new(&egraph, &roots, Terms::ALL);
    let bytes = counts.heap_bytes();
    assert!(counts.count(roots[1].0, 89).bits() > 128, "rows have several widths");
    let within = |bytes: usize| Counts::within(&egraph, &roots, Terms::ALL, Room::of_bytes(bytes));
    let exact = within(bytes).expect("they fit exactly");
    assert_eq!(exact.up_to(roots[1].0, 90), counts.up_to(roots[1].0, 90));
    for less in [0, bytes / 2, bytes - 8, bytes - 1] {
        assert!(within(less).is_err());
        // With the largest size that is not too large, or nearly so.
        let mut lowered = roots;
        let found = fitting(&mut lowered, |roots| {
            Counts::within(&egraph, roots, Terms::ALL, Room::of_bytes(less))
        });
        let limit = lowered[1].1;
        assert!(limit < 90 && (limit > 30 || less == 0), "limit {limit} in {less} of {bytes}");
        assert!(found.heap_bytes() <= less);
        assert_eq!(found.up_to(roots[1].0, limit), counts.up_to(roots[1].0, limit));
    }
}

#[test]
fn counting_and_drawing_end_within_their_bounds() {
    let egraph = grown("(if (< a b) (+ a (+ b 0)) (+ (* b a) c))", 4);
    let root = egraph.find(Id(0));
    let mut bank = TermBank::new(system().language.clone());
    let mut both = || {
        let counts = Counts::new(&egraph, &[(root, 60)], Terms::ALL);
        let mut sampler = Sampler::new(&egraph, &counts);
        let sample = sampler.sample(&mut bank, root, 60, 100, 200, &mut stream(5, 0));
        (counts.heap_bytes(), sample.terms.len())
    };
    let whole = both();
    for bound in [
        |most| Bounds { steps: Some(most), ..Bounds::default() },
        |most| Bounds { memory: Some(most as usize), ..Bounds::default() },
    ] {
        let (mut most, mut ended) = (0, 0);
        while bound(most).hold(&mut both).map(|found| assert_eq!(found, whole)).is_err() {
            (most, ended) = (4 * most + 10, ended + 1);
        }
        assert!(ended > 1, "{most}");
    }
    let over = Bounds { deadline: Some(std::time::Instant::now()), ..Bounds::default() };
    assert_eq!(over.hold(&mut both), Err(StopReason::Time));
}

#[test]
fn counting_takes_no_more_products_than_it_may() {
    let egraph = grown("(if (< a b) (+ a (+ b 0)) (+ (* b a) c))", 4);
    let root = egraph.find(Id(0));
    let counts = Counts::new(&egraph, &[(root, 60)], Terms::ALL);
    let mut last = 60;
    for products in [1_000_000, 100_000, 10_000, 1_000, 0] {
        let mut roots = [(root, 60)];
        let room = Room { products, ..Room::ANY };
        let found = fitting(&mut roots, |roots| Counts::within(&egraph, roots, Terms::ALL, room));
        let [(_, limit)] = roots;
        assert!(limit <= last, "{limit} with {products}, {last} with more");
        assert_eq!(found.up_to(root, limit), counts.up_to(root, limit));
        last = limit;
    }
    assert_eq!(last, 0);
}

#[test]
fn threads_count_the_same() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let egraph = grown("(if (< a b) (+ a (+ b 0)) (+ (* b a) c))", 4);
    let root = egraph.find(Id(0));
    for terms in [Terms::ALL, Terms::PLAIN] {
        let alone = Counts::new(&egraph, &[(root, 30)], terms);
        let together = Counts::in_pool(&egraph, &[(root, 30)], terms, &pool);
        for class in egraph.classes() {
            for size in 0..=30 {
                assert_eq!(together.count(class, size), alone.count(class, size));
            }
        }
    }
}

trait LookupText {
    fn lookup_text(&self, text: &str) -> Id;
}

impl LookupText for EGraph {
    fn lookup_text(&self, text: &str) -> Id {
        let (bank, term) = term(self.system(), text);
        self.lookup(&bank, term).expect("the term is represented")
    }
}

#[test]
fn numbers_are_terms_and_terms_are_numbers() {
    let egraph = grown("(if (< a b) (+ a b) (+ b 0))", 3);
    let root = egraph.find(Id(0));
    let root = egraph.find(egraph.classes().find(|&c| egraph.nodes(c).len() > 2).unwrap_or(root));
    let counts = Counts::new(&egraph, &[(root, LIMIT)], Terms::ALL);
    let mut all = Enumeration::new(&egraph);
    let mut expected = BTreeSet::new();
    for size in 0..=LIMIT {
        let terms = all.terms(root, size);
        expected.extend(terms.into_iter().map(|t| all.bank.text(t)));
    }
    let mut bank = TermBank::new(egraph.system().language.clone());
    let mut sampler = Sampler::new(&egraph, &counts);
    let mut found = BTreeSet::new();
    let mut last_size = 0;
    for number in 0..expected.len() {
        let term = sampler.term(&mut bank, root, LIMIT, &BigUint::from(number)).unwrap();
        assert!(bank.size(term) >= last_size, "terms are numbered by size");
        last_size = bank.size(term);
        found.insert(bank.text(term));
    }
    assert_eq!(found, expected);
    assert_eq!(sampler.term(&mut bank, root, LIMIT, &BigUint::from(expected.len())), None);
}

#[test]
fn p_values_are_those_of_tables() {
    // Upper tails of chi-square: (degrees of freedom, statistic, p).
    for (freedom, statistic, p) in [
        (1.0, 3.841459, 0.05),
        (10.0, 18.307038, 0.05),
        (10.0, 29.588298, 0.001),
        (100.0, 77.929465, 0.95),
    ] {
        assert!((upper_gamma(freedom / 2.0, statistic / 2.0) - p).abs() < 1e-6, "{freedom} {p}");
    }
    // Many degrees of freedom: by Wilson and Hilferty, the cube root of χ²/d is nearly normal.
    let d = 100_000.0f64;
    let variance = 2.0 / (9.0 * d);
    let three_deviations = d * (1.0 - variance + 3.0 * variance.sqrt()).powi(3);
    assert!((upper_gamma(d / 2.0, three_deviations / 2.0) - 0.001_349_9).abs() < 1e-6);
}

#[test]
fn every_term_is_drawn_equally_often() {
    for (seed_term, limit, each, terms_wanted) in [
        ("(+ a 0)", 7, 40, Terms::ALL),
        ("(* (+ a b) 1)", 7, 40, Terms::ALL),
        ("(if (< a b) (+ a b) b)", 10, 40, Terms::ALL),
        ("(+ (* a b) (* a (+ c d)))", 13, 40, Terms::PLAIN),
        ("(+ a (+ b (+ c (+ d (+ e f)))))", 11, 10, Terms::PLAIN),
        ("(+ (+ a b) (+ c 2))", 11, 5, Terms::ALL),
    ] {
        let egraph = grown(seed_term, 3);
        let root = egraph.find(egraph.lookup_text(seed_term));
        let counts = Counts::new(&egraph, &[(root, limit)], terms_wanted);
        let mut all = Enumeration::new(&egraph);
        let mut terms = all.up_to(root, limit);
        terms.retain(|&term| is_wanted(&egraph, &all.bank, term, terms_wanted));
        assert!((50..=100_000).contains(&terms.len()), "{seed_term}: {} terms", terms.len());
        let mut sampler = Sampler::new(&egraph, &counts);
        for seed in 0..10 {
            let mut rng = stream(seed, 0);
            // One at a time, as in drawing with replacement.
            let p = p_value(&terms, each, || {
                sampler.sample(&mut all.bank, root, limit, 1, 1_000, &mut rng).terms[0]
            });
            assert!(p > 0.001, "{seed_term}, seed {seed}: p = {p}");
        }
    }
}

/// Whether a term is one of `terms`, by their definition.
fn is_wanted(egraph: &EGraph, bank: &TermBank, term: TermId, terms: Terms) -> bool {
    let foldable = |&t: &TermId| {
        let class = egraph.find(egraph.lookup(bank, t).unwrap());
        egraph.literal(class).is_some() && !bank.children(t).is_empty()
    };
    (terms.padded || !is_padded(egraph, bank, term))
        && (terms.constants || !bank.subterms(term).iter().filter(|&&t| t != term).any(foldable))
}

#[test]
fn samples_are_distinct_and_not_padded() {
    // In (neg (neg x)) = x no node equals its own child, so these are counted and rejected.
    let rules = format!("{RULES} (op neg (Int) Int) (birewrite (neg (neg ?a)) ?a :name neg-neg)");
    let seed = "(+ (+ a b) (+ c 2))";
    let egraph = grown_by(Arc::new(System::parse(&rules).unwrap()), seed, 3);
    let (bank, term) = term(egraph.system(), seed);
    let root = egraph.find(egraph.lookup(&bank, term).unwrap());
    let counts = Counts::new(&egraph, &[(root, 9)], Terms { padded: false, constants: true });
    let mut bank = TermBank::new(egraph.system().language.clone());
    let mut sampler = Sampler::new(&egraph, &counts);
    let sample = sampler.sample(&mut bank, root, 9, 40, 100_000, &mut stream(3, 1));
    assert_eq!(sample.terms.len(), 40);
    assert!(sample.padded > 0, "the class has padded terms");
    assert_eq!(sample.drawn, 40 + sample.padded + sample.repeated);
    assert_eq!(sample.terms.iter().collect::<BTreeSet<_>>().len(), 40);
    for &term in &sample.terms {
        assert_eq!(egraph.lookup(&bank, term).map(|id| egraph.find(id)), Some(root));
        assert!(!is_padded(&egraph, &bank, term), "{}", bank.text(term));
    }
    let padded = bank.parse("(+ (+ a (+ b 0)) (+ c 2))", None).unwrap();
    assert!(is_padded(&egraph, &bank, padded));
}

#[test]
fn plain_terms_are_those_without_padding_and_foldable_parts() {
    let seed = "(+ (* a 1) (+ b 2))";
    let egraph = grown(seed, 3);
    let root = egraph.find(egraph.lookup_text(seed));
    let mut all = Enumeration::new(&egraph);
    let mut expected = BTreeSet::new();
    for size in 0..=7 {
        for term in all.terms(root, size) {
            if is_wanted(&egraph, &all.bank, term, Terms::PLAIN) {
                expected.insert(all.bank.text(term));
            }
        }
    }
    let counts = Counts::new(&egraph, &[(root, 7)], Terms::PLAIN);
    assert!(counts.up_to(root, 7) < Counts::new(&egraph, &[(root, 7)], Terms::ALL).up_to(root, 7));
    let mut bank = TermBank::new(egraph.system().language.clone());
    let mut sampler = Sampler::new(&egraph, &counts);
    let wanted = expected.len() + 1;
    let sample = sampler.sample(&mut bank, root, 7, wanted, 20_000, &mut stream(5, 0));
    let found: BTreeSet<_> = sample.terms.iter().map(|&t| bank.text(t)).collect();
    assert_eq!(found, expected);
    assert!(expected.len() > 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn drawn_terms_are_in_the_class_and_within_the_limit(
        seed in small_system::terms(),
        limit in 5u32..40,
        number in any::<u64>(),
    ) {
        let system = system();
        let (bank, term) = term(&system, &seed);
        let mut egraph = EGraph::new(system);
        let root = egraph.add_term(&bank, term);
        let limits = Limits { nodes: Some(300), iterations: Some(4), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        prop_assume!(egraph.conflict().is_none());
        let root = egraph.find(root);
        let counts = Counts::new(&egraph, &[(root, limit)], Terms::ALL);
        let mut bank = bank.clone();
        let mut sampler = Sampler::new(&egraph, &counts);
        let mut rng = stream(number, 0);
        let mut same_rng = stream(number, 0);
        let total = counts.up_to(root, limit);
        for _ in 0..20 {
            let Some(term) = sampler.draw(&mut bank, root, limit, &mut rng) else {
                prop_assert!(counts.least_size(root).is_none_or(|least| least > limit));
                break;
            };
            // Narrow numbers are taken apart by other code than wide ones.
            let same = sampler.term(&mut bank, root, limit, &below(&total, &mut same_rng));
            prop_assert_eq!(same, Some(term));
            prop_assert!(bank.size(term) <= u64::from(limit));
            prop_assert_eq!(egraph.lookup(&bank, term).map(|id| egraph.find(id)), Some(root));
        }
    }
}
