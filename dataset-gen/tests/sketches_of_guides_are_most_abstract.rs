//! Sketches of guides against all sketches of small guides.

mod small_system;

use dataset_gen::triples::sketch::most_abstract;
use egraph::{Node, Sketch, TermBank, TermId};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use small_system::{system, terms};
use support::random::{index_below, stream};

/// All sketches of a term that come of replacing subterms by `?`, with their nodes besides.
fn all_sketches(bank: &TermBank, term: TermId) -> Vec<(Sketch, usize)> {
    let mut found = vec![(Sketch::Any, 0)];
    match bank.node(term) {
        Node::Leaf(leaf) => found.push((Sketch::Leaf(leaf.clone()), 1)),
        Node::Op(op) => {
            let mut lists: Vec<(Vec<Sketch>, usize)> = vec![(Vec::new(), 1)];
            for &child in bank.children(term) {
                let below = all_sketches(bank, child);
                let longer = |(list, nodes): (Vec<Sketch>, usize)| {
                    let longer = |(s, n): &(Sketch, usize)| {
                        ([&list[..], std::slice::from_ref(s)].concat(), nodes + n)
                    };
                    below.iter().map(longer).collect::<Vec<_>>()
                };
                lists = lists.into_iter().flat_map(longer).collect();
            }
            found.extend(lists.into_iter().map(|(list, nodes)| (Sketch::Op(op, list), nodes)));
        }
    }
    found
}

fn nodes(sketch: &Sketch) -> usize {
    match sketch {
        Sketch::Any => 0,
        Sketch::Leaf(_) => 1,
        Sketch::Op(_, args) => 1 + args.iter().map(nodes).sum::<usize>(),
        _ => panic!("a guide has no other sketches"),
    }
}

/// The term with some subterms replaced by random ones of their sorts.
fn changed(bank: &mut TermBank, term: TermId, rng: &mut ChaCha8Rng) -> TermId {
    let mut changed = term;
    for _ in 0..1 + index_below(3, rng) {
        let mut path = Vec::new();
        let mut at = changed;
        while !bank.children(at).is_empty() && index_below(4, rng) > 0 {
            let rank = index_below(bank.children(at).len(), rng);
            path.push(rank as u32);
            at = bank.children(at)[rank];
        }
        let sort = bank.sort(at);
        let texts = match bank.language().sort_name(sort) {
            "Int" => ["a", "b", "(+ a b)", "(* a 1)"],
            _ => ["0", "1", "(< a b)", "(< b a)"],
        };
        let new = bank.parse(texts[index_below(4, rng)], Some(sort)).unwrap();
        changed = bank.replace(changed, &path, new).unwrap();
    }
    changed
}

fn satisfying(bank: &TermBank, sketch: &Sketch, terms: &[TermId]) -> usize {
    terms.iter().filter(|&&term| sketch.accepts(bank, term)).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn none_of_all_sketches_has_fewer_nodes(
        guide in terms(),
        seed in any::<u64>(),
        count in 0usize..10,
        share in prop_oneof![Just(0.0), 0.0..1.0f64],
    ) {
        let system = system();
        let mut bank = TermBank::new(system.language.clone());
        let guide = bank.parse(&guide, None).unwrap();
        prop_assume!(bank.size(guide) <= 15);
        let mut rng = stream(seed, 0);
        let start = changed(&mut bank, guide, &mut rng);
        let others: Vec<_> = (0..count).map(|_| changed(&mut bank, guide, &mut rng)).collect();
        let fits = |sketch: &Sketch| {
            !sketch.accepts(&bank, start)
                && satisfying(&bank, sketch, &others) as f64 <= share * count as f64
        };
        let least =
            all_sketches(&bank, guide).into_iter().filter(|(s, _)| fits(s)).map(|(_, n)| n).min();
        let found = most_abstract(&bank, guide, start, &others, share);
        prop_assert_eq!(found.as_ref().map(nodes), least);
        if let Some(sketch) = found {
            prop_assert!(fits(&sketch));
            prop_assert!(sketch.accepts(&bank, guide));
            let text = sketch.display(&system.language).to_string();
            let read = Sketch::parse(&system.language, &text, Some(bank.sort(guide)));
            prop_assert_eq!(read.unwrap(), sketch);
        }
    }

    #[test]
    fn many_others_have_a_sketch_that_fits(guide in terms(), seed in any::<u64>()) {
        let mut bank = TermBank::new(system().language.clone());
        let guide = bank.parse(&guide, None).unwrap();
        let mut rng = stream(seed, 1);
        let start = changed(&mut bank, guide, &mut rng);
        let others: Vec<_> = (0..400).map(|_| changed(&mut bank, guide, &mut rng)).collect();
        // Over 127 distinct ones for most guides: the greedy search.
        match most_abstract(&bank, guide, start, &others, 0.25) {
            Some(sketch) => {
                prop_assert!(!sketch.accepts(&bank, start) && sketch.accepts(&bank, guide));
                prop_assert!(satisfying(&bank, &sketch, &others) <= 100);
            }
            None => {
                let equal = others.iter().filter(|&&other| other == guide).count();
                prop_assert!(start == guide || equal > 100);
            }
        }
    }
}
