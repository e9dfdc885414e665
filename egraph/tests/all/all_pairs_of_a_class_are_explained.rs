//! Whatever grew an e-graph, any two terms of a class have a proof that the checker accepts, and finding it ends.
//!
//! Systems: all that are shipped, and random ones. Treatments: each scheduler, a schedule, several terms that are given
//! as equal, saved and loaded on the way, one and two threads, up to 20,000 e-nodes. In debug builds, as tests are, each
//! iteration is held to the invariants of the e-graph and of its proof forest, too.

use crate::common;
use crate::common::random;
use egraph::{
    EGraph, Explainer, Id, Limits, SaturationConfig, Scheduler, System, TermBank, TermId, check,
    saturate,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time for the explanations of one e-graph, far more than they take.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug)]
struct Treatment {
    scheduler: Scheduler,
    /// E-nodes at most.
    nodes: usize,
    two_threads: bool,
    /// Saved and loaded after this iteration.
    stored_after: Option<u64>,
    /// Run as a schedule of short runs.
    scheduled: bool,
    /// Terms to begin with; they are given as equal.
    terms: usize,
}

fn random_treatment(rng: &mut ChaCha8Rng, nodes: usize) -> Treatment {
    let schedulers = [Scheduler::Simple, Scheduler::Backoff, Scheduler::BestFirst];
    Treatment {
        scheduler: schedulers[rng.random_range(0..3)],
        nodes,
        two_threads: rng.random_range(0..2) == 0,
        stored_after: (rng.random_range(0..3) == 0).then(|| rng.random_range(1..5)),
        scheduled: rng.random_range(0..4) == 0,
        terms: rng.random_range(1..4),
    }
}

fn run(
    egraph: &mut EGraph,
    treatment: Treatment,
    iterations: Option<u64>,
    go_on: bool,
    sides: [Vec<Id>; 2],
) {
    let limits = Limits {
        nodes: Some(treatment.nodes),
        iterations: iterations.or(Some(60)),
        visits: Some(20_000_000),
        ..Limits::default()
    };
    let pool = treatment
        .two_threads
        .then(|| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap()));
    let config = SaturationConfig {
        limits,
        pool,
        scheduler: treatment.scheduler,
        go_on,
        sides,
        ..SaturationConfig::default()
    };
    saturate(egraph, &config, &mut |_, _| ControlFlow::Continue(()));
}

/// Grows an e-graph of the terms that `draw` makes and explains `pairs` random pairs; how many it explained.
fn explain_random_pairs(
    text: &str,
    treatment: Treatment,
    pairs: usize,
    rng: &mut ChaCha8Rng,
    draw: impl FnOnce(&mut ChaCha8Rng, &mut TermBank) -> Vec<TermId>,
) -> usize {
    let mut bank = TermBank::new(random::parsed(text).language.clone());
    let starts = draw(rng, &mut bank);
    let mut text = text.to_owned();
    let same_sort = starts.iter().skip(1).filter(|&&t| bank.sort(t) == bank.sort(starts[0]));
    // Binders name their variables in text, which `given` reads as any other.
    for (i, &other) in same_sort.enumerate().filter(|_| !bank.language().has_binders()) {
        text += &format!("\n(given {} {} :name given{i})", bank.text(starts[0]), bank.text(other));
    }
    if treatment.scheduled {
        text = text
            .lines()
            .filter(|line| !line.starts_with("(schedule"))
            .collect::<Vec<_>>()
            .join("\n");
        text += "\n(schedule (saturate (seq (run) (repeat 2 (run)))))";
    }
    let system = random::parsed(&text);
    let mut egraph = EGraph::new(system.clone());
    let ids: Vec<Id> = starts.iter().map(|&t| egraph.add_term(&bank, t)).collect();
    let sides = [vec![ids[0]], ids[1..].to_vec()];
    if let Some(after) = treatment.stored_after {
        run(&mut egraph, treatment, Some(after), false, sides.clone());
        egraph = EGraph::from_bytes(&egraph.to_bytes(&text, &[]).unwrap()).unwrap().0;
        run(&mut egraph, treatment, None, true, sides);
    } else {
        run(&mut egraph, treatment, None, false, sides);
    }
    let classes: Vec<Id> = egraph.classes().filter(|&c| egraph.nodes(c).len() > 1).collect();
    if classes.is_empty() {
        return 0;
    }
    let mut explainer = Explainer::new(&egraph);
    let began = Instant::now();
    for _ in 0..pairs {
        let class = classes[rng.random_range(0..classes.len())];
        let [a, b] = [(); 2].map(|()| random::member(rng, &egraph, &mut bank, class));
        let proof = explainer.explain(&mut bank, a, b).expect("terms of one class");
        check(&system, &bank, &proof).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!((proof.start(), proof.end()), (a, b), "{text}");
        assert!(began.elapsed() < PATIENCE, "{text}");
    }
    pairs
}

fn shipped_text(name: &str) -> String {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems");
    std::fs::read_to_string(systems.join(format!("{name}.rules"))).unwrap()
}

fn of_shipped_systems(seed: u64, nodes: usize, rounds: usize, pairs: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for name in random::shipped_names() {
        let text = shipped_text(&name);
        let mut explained = 0;
        for _ in 0..rounds {
            let treatment = random_treatment(&mut rng, nodes);
            let size = rng.random_range(2..24);
            explained += explain_random_pairs(&text, treatment, pairs, &mut rng, |rng, bank| {
                random::terms(rng, &name, bank, treatment.terms, size)
            });
        }
        assert!(explained > 0, "{name}: nothing was equal to anything");
    }
}

#[test]
fn of_small_e_graphs_of_shipped_systems() {
    of_shipped_systems(1, 2_000, 12, 60);
}

#[test]
fn of_e_graphs_of_20000_e_nodes_of_shipped_systems() {
    of_shipped_systems(2, 20_000, 2, 100);
}

/// Terms that fold in the middle of a batch of matches: what brought a cycle into the proof forest once.
#[test]
fn of_terms_over_words_that_fold() {
    for (name, term) in [
        ("mba", "(~ 18446744073709551615)"),
        ("mba", "(* 18446744073709551615 (& a (* 18446744073709551615 a)))"),
        ("mba", "(^ x x)"),
        ("mba", "(~ 2)"),
        ("words", "(|:32 (&:32 a (~:32 b)) (&:32 b (~:32 a)))"),
        ("words", "(^:32 (~:32 (&:32 0 1)) x)"),
    ] {
        let text = shipped_text(name);
        for scheduler in [Scheduler::Simple, Scheduler::Backoff, Scheduler::BestFirst] {
            let treatment = Treatment {
                scheduler,
                nodes: 4_000,
                two_threads: false,
                stored_after: None,
                scheduled: false,
                terms: 1,
            };
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            let explained = explain_random_pairs(&text, treatment, 300, &mut rng, |_, bank| {
                vec![bank.parse(term, None).unwrap()]
            });
            assert_eq!(explained, 300, "{name}: {term}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn of_random_systems(seed in any::<u64>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let text = random::system_text(&mut rng);
        let treatment = random_treatment(&mut rng, 3_000);
        let size = rng.random_range(3..20);
        explain_random_pairs(&text, treatment, 40, &mut rng, |rng, bank| {
            random::terms(rng, "random", bank, treatment.terms, size)
        });
    }

    /// With an operator of three arguments, rows are wide and matches are applied one by one: a naive engine, in whose
    /// e-graph the same terms are equal after each iteration.
    #[test]
    fn as_where_matches_are_applied_one_by_one(seed in any::<u64>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let text = random::system_text(&mut rng);
        let text: Vec<&str> = text.lines().filter(|line| !line.contains("(op h") && !line.contains("(h ")).collect();
        let text = text.join("\n");
        let size = rng.random_range(3..16);
        let wide = format!("{text}\n(op wide (S S S) S)");
        let grow = |system: &Arc<System>, bank: &TermBank, term: TermId, iterations| {
            let limits = Limits { iterations: Some(iterations), ..Limits::default() };
            common::grow(system, bank, &[term], limits)
        };
        let systems = [&text, &wide].map(|text| random::parsed(text));
        let mut banks = [0, 1].map(|i: usize| TermBank::new(systems[i].language.clone()));
        let start = random::terms(&mut rng, "random", &mut banks[0], 1, size)[0];
        let shown = banks[0].text(start);
        let sort = banks[0].sort(start);
        let same = banks[1].parse(&shown, Some(sort)).unwrap();
        for iterations in 1..7 {
            let many = grow(&systems[0], &banks[0], start, iterations);
            let one = grow(&systems[1], &banks[1], same, iterations);
            if many.conflict().is_some() || one.conflict().is_some() {
                prop_assert_eq!(many.conflict().is_some(), one.conflict().is_some());
                break;
            }
            prop_assert_eq!(many.node_count(), one.node_count(), "{} of {}", iterations, text);
            prop_assert_eq!(many.class_count(), one.class_count(), "{} of {}", iterations, text);
            // As many classes, and each e-node of the one in the other's: so the same classes.
            for class in many.classes() {
                let mut of_class = None;
                for &node in many.nodes(class) {
                    let term = many.term(&mut banks[0], node);
                    let [first, second] = &mut banks;
                    let imported = second.parse(&first.text(term), Some(sort));
                    let Ok(imported) = imported else { continue };
                    let found = one.lookup(second, imported);
                    prop_assert!(found.is_some(), "{} of {}", iterations, text);
                    prop_assert_eq!(*of_class.get_or_insert(found), found, "{} of {}", iterations, text);
                }
            }
            if many.node_count() > 1_500 {
                break;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn of_random_parts_of_systems_that_fold(seed in any::<u64>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let name = ["mba", "words", "halide", "ring", "arith", "math"][rng.random_range(0..6)];
        let text = random::part_of(&mut rng, &shipped_text(name));
        let treatment = random_treatment(&mut rng, 3_000);
        let size = rng.random_range(2..10);
        explain_random_pairs(&text, treatment, 40, &mut rng, |rng, bank| {
            random::terms(rng, name, bank, treatment.terms, size)
        });
    }
}
