//! Explaining, checking and shortening: Cairn beside egg, on pairs of equal terms.
//!
//!     cargo bench -p cairn-egraph --bench proofs -- [--quick] [--cairn]
//!
//! Pairs are drawn from one e-class each: once the terms as which two e-nodes were made, once
//! terms by random descent through the e-graph. Lengths are mean (median) of the flattened
//! proofs. `--quick` takes 40 pairs instead of 200, `--cairn` leaves egg out.

mod egg_side;
mod workloads;

use egraph::{Caps, Explainer, FlatProof, Shortener, TermBank, TermId, check, check_flat};
use std::time::{SystemTime, UNIX_EPOCH};
use workloads::{Draw, Grown, Workload, pairs, workloads};

/// Pairs for Cairn's throughput.
const MANY: usize = 50_000;
/// How often the same proofs are shortened anew: a thread's time is told in steps of
/// milliseconds.
const REPETITIONS: u32 = 5;

/// Seconds that this thread has run, which other load on the machine changes little; wall-clock
/// time where the system does not tell.
struct Stopwatch(f64);

impl Stopwatch {
    fn now() -> f64 {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanoseconds = text.and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
        nanoseconds.map_or_else(
            || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64()),
            |n| n * 1e-9,
        )
    }

    fn start() -> Stopwatch {
        Stopwatch(Stopwatch::now())
    }

    fn seconds(&self) -> f64 {
        Stopwatch::now() - self.0
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn throughput(grown: &Grown, many: &[(TermId, TermId)], bank: &TermBank, fresh: bool) -> f64 {
    let mut rates = Vec::new();
    for _ in 0..3 {
        let mut bank = bank.clone();
        let pairs = if fresh { &many[..many.len() / 20] } else { many };
        let mut explainer = Explainer::new(&grown.egraph);
        let began = Stopwatch::start();
        for &(a, b) in pairs {
            if fresh {
                explainer = Explainer::new(&grown.egraph);
            }
            let proof = explainer.explain(&mut bank, a, b).expect("terms of one class");
            check(&grown.system, &bank, &proof).expect("a proof");
            assert_eq!((proof.start(), proof.end()), (a, b));
        }
        rates.push(pairs.len() as f64 / began.seconds());
    }
    median(&rates)
}

fn show(name: &str, seconds: Option<f64>, lengths: &[f64]) {
    let seconds = seconds.map_or(String::new(), |s| format!("{s:>9.4} s"));
    println!("  {name:<14} {seconds:>11}  flat {:.2} ({:.0})", mean(lengths), median(lengths));
}

/// Cairn's proofs of the pairs, as they come and shortened; seconds to shorten them.
fn shorten(grown: &Grown, bank: &mut TermBank, shared: &[(TermId, TermId)]) -> f64 {
    let mut explainer = Explainer::new(&grown.egraph);
    let mut flats = Vec::new();
    let mut dag = Vec::new();
    for &(a, b) in shared {
        let proof = explainer.explain(bank, a, b).expect("terms of one class");
        dag.push(proof.len() as f64);
        flats.extend(proof.flatten(bank, Caps { steps: 5_000, term_size: u64::MAX }));
    }
    let length = |p: &FlatProof| p.steps.len() as f64;
    println!(
        "  {} pairs, {} too long to flatten; steps with shared parts {:.1} ({:.0})",
        shared.len(),
        shared.len() - flats.len(),
        mean(&dag),
        median(&dag)
    );
    show("Cairn", None, &flats.iter().map(length).collect::<Vec<_>>());
    let mut seconds = 0.0;
    let mut short = Vec::new();
    let before = bank.clone();
    for _ in 0..REPETITIONS {
        *bank = before.clone();
        let mut shortener = Shortener::new(&grown.system);
        let began = Stopwatch::start();
        short = flats.iter().map(|f| shortener.shorten(bank, f, u64::MAX)).collect();
        seconds += began.seconds() / f64::from(REPETITIONS);
    }
    for (short, flat) in short.iter().zip(&flats) {
        check_flat(&grown.system, bank, short).expect("a shortened proof");
        assert!(short.steps.len() <= flat.steps.len());
        assert_eq!((short.terms[0], short.terms.last()), (flat.terms[0], flat.terms.last()));
    }
    show("Cairn, shorter", Some(seconds), &short.iter().map(length).collect::<Vec<_>>());
    seconds
}

fn row(workload: &Workload, count: usize, with_egg: bool) {
    let grown = workload.grow();
    let (nodes, classes) = (grown.egraph.node_count(), grown.egraph.class_count());
    println!(
        "{}: {nodes} e-nodes, {classes} e-classes, {} iterations",
        workload.name, grown.iterations
    );
    let mut egg =
        with_egg.then(|| egg_side::grow(&grown.system, workload.start(), grown.iterations));
    if let Some(egg) = &egg {
        let (nodes, classes) = (egg.total_number_of_nodes(), egg.number_of_classes());
        println!("  egg: {nodes} e-nodes, {classes} e-classes");
    }
    for (draw, name) in [(Draw::Own, "e-nodes as made"), (Draw::Descent, "random descents")] {
        println!(" {name}");
        let mut bank = TermBank::new(grown.system.language.clone());
        let shared =
            pairs(&grown.egraph, &mut bank, draw, 2, count, &mut |bank, a, b| match &egg {
                Some(egg) => {
                    let class = |t| egg.lookup_expr(&egg_side::term(bank, t));
                    class(a).is_some() && class(a) == class(b)
                }
                None => true,
            });
        if shared.len() < count {
            println!(
                "  only {} pairs of at most 60 nodes in {} draws",
                shared.len(),
                1_000 * count
            );
            continue;
        }
        let ours = shorten(&grown, &mut bank, &shared);
        if let Some(found) = egg.take() {
            egg = Some(explain_with_egg(found, &bank, &shared, ours));
        }
        let many = pairs(&grown.egraph, &mut bank, draw, 1, MANY, &mut |_, _, _| true);
        let rate = throughput(&grown, &many, &bank, false);
        let fresh = throughput(&grown, &many, &bank, true);
        println!("  explained and checked: {rate:.0} pairs/s; {fresh:.0} by an explainer each");
    }
}

/// The same pairs, without and with length optimisation.
fn explain_with_egg(
    mut egg: egg_side::EGraph,
    bank: &TermBank,
    shared: &[(TermId, TermId)],
    ours: f64,
) -> egg_side::EGraph {
    for optimised in [false, true] {
        egg = if optimised {
            egg.with_explanation_length_optimization()
        } else {
            egg.without_explanation_length_optimization()
        };
        let began = Stopwatch::start();
        let mut lengths = Vec::new();
        for &(a, b) in shared {
            let (a, b) = (egg_side::term(bank, a), egg_side::term(bank, b));
            lengths.push(egg_side::flat_steps(&egg.explain_equivalence(&a, &b)));
        }
        let seconds = began.seconds();
        show(if optimised { "egg, optimised" } else { "egg" }, Some(seconds), &lengths);
        if optimised {
            println!("  shortened {:.0} times faster than egg's optimised", seconds / ours);
        }
    }
    egg
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |flag: &str| arguments.iter().any(|a| a == flag);
    let quick = has("--quick");
    for workload in workloads() {
        row(&workload, if quick { 40 } else { 200 }, !has("--cairn"));
    }
}
