//! Explaining, checking and shortening: Cairn beside egg, on pairs of equal terms.
//!
//!     cargo bench -p egraph --bench proofs [-- --quick] [-- --cairn]

mod egg_side;
mod workloads;

use egraph::{Caps, Explainer, Proof, Shortener, TermBank, TermId, check, check_flat};
use std::time::{SystemTime, UNIX_EPOCH};
use workloads::{Draw, Grown, Workload, pairs, workloads};

/// Pairs per workload that both explain.
const PAIRS: usize = 200;
/// Pairs for Cairn's throughput.
const MANY: usize = 20_000;

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

/// Flat steps, loops cut where the proof is short enough to be flattened.
fn flat_len(proof: &Proof, bank: &mut TermBank) -> f64 {
    match proof.flatten(bank, Caps { steps: 5_000, term_size: u64::MAX }) {
        Ok(flat) => flat.steps.len() as f64,
        Err(_) => f64::NAN,
    }
}

fn row(workload: &Workload, draw: Draw, with_egg: bool) {
    let grown = workload.grow();
    let mut bank = TermBank::new(grown.system.language.clone());
    let (nodes, classes) = (grown.egraph.node_count(), grown.egraph.class_count());
    println!(
        "{}: {nodes} e-nodes, {classes} e-classes, {} iterations",
        workload.name, grown.iterations
    );
    let many = pairs(&grown.egraph, &mut bank, draw, 1, MANY, &mut |_, _, _| true);
    let rate = throughput(&grown, &many, &bank, false);
    let fresh = throughput(&grown, &many, &bank, true);
    println!(
        "  explained and checked: {rate:.0} pairs/s, a fresh explainer each {fresh:.0} pairs/s"
    );

    let egg = with_egg.then(|| egg_side::grow(&grown.system, workload.start(), grown.iterations));
    if let Some(egg) = &egg {
        println!(
            "  egg: {} e-nodes, {} e-classes",
            egg.total_number_of_nodes(),
            egg.number_of_classes()
        );
    }
    let shared = pairs(&grown.egraph, &mut bank, draw, 2, PAIRS, &mut |bank, a, b| match &egg {
        Some(egg) => {
            let class = |t| egg.lookup_expr(&egg_side::term(bank, t));
            class(a).is_some() && class(a) == class(b)
        }
        None => true,
    });
    let mut explainer = Explainer::new(&grown.egraph);
    let began = Stopwatch::start();
    let proofs: Vec<Proof> = shared
        .iter()
        .map(|&(a, b)| explainer.explain(&mut bank, a, b).expect("terms of one class"))
        .collect();
    let seconds = began.seconds();
    let dag: Vec<f64> = proofs.iter().map(|p| p.len() as f64).collect();
    let flat: Vec<f64> = proofs.iter().map(|p| flat_len(p, &mut bank)).collect();
    let long = flat.iter().filter(|n| n.is_nan()).count();
    let flat: Vec<f64> = flat.into_iter().filter(|n| !n.is_nan()).collect();
    println!(
        "  {} pairs: {seconds:.4} s, DAG {:.1} ({:.0}), flat {:.1} ({:.0}), {long} too long",
        shared.len(),
        mean(&dag),
        median(&dag),
        mean(&flat),
        median(&flat),
    );
    let mut shortener = Shortener::new(&grown.system);
    let flats: Vec<_> = proofs
        .iter()
        .filter_map(|p| p.flatten(&mut bank, Caps { steps: 5_000, term_size: u64::MAX }).ok())
        .collect();
    let began = Stopwatch::start();
    let short: Vec<_> =
        flats.iter().map(|flat| shortener.shorten(&mut bank, flat, u64::MAX)).collect();
    let seconds = began.seconds();
    for (short, flat) in short.iter().zip(&flats) {
        check_flat(&grown.system, &bank, short).expect("a shortened proof");
        assert!(short.steps.len() <= flat.steps.len());
        assert_eq!((short.terms[0], short.terms.last()), (flat.terms[0], flat.terms.last()));
    }
    let lengths: Vec<f64> = short.iter().map(|p| p.steps.len() as f64).collect();
    println!("  shortened: {seconds:.4} s, flat {:.2} ({:.0})", mean(&lengths), median(&lengths));
    let Some(mut egg) = egg else { return };
    for optimised in [false, true] {
        egg = if optimised {
            egg.with_explanation_length_optimization()
        } else {
            egg.without_explanation_length_optimization()
        };
        let began = Stopwatch::start();
        let mut explanations = Vec::new();
        for &(a, b) in &shared {
            let (a, b) = (egg_side::term(&bank, a), egg_side::term(&bank, b));
            explanations.push(egg.explain_equivalence(&a, &b));
        }
        let seconds = began.seconds();
        let flat: Vec<f64> = explanations.iter().map(egg_side::flat_steps).collect();
        let name = if optimised { "egg optimised" } else { "egg" };
        println!("  {name}: {seconds:.3} s, flat {:.1} ({:.0})", mean(&flat), median(&flat));
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |flag: &str| arguments.iter().any(|a| a == flag);
    for workload in workloads() {
        row(&workload, if has("--own") { Draw::Own } else { Draw::Descent }, !has("--cairn"));
    }
}
