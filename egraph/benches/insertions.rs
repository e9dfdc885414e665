//! Terms that come one after the other into an e-graph that is kept saturated, against saturating anew each time.
//!
//!     cargo bench -p cairn-egraph --bench insertions
//!
//! A thousand sums, or products, each of a run of variables that begins one later than that of the one before. Going on
//! (`SaturationConfig::go_on`) looks only at what is new. Anew is measured for every fiftieth term, and must come to an
//! e-graph of the same size; between these the time is taken to grow evenly.

use egraph::{EGraph, SaturationConfig, StopReason, System, TermBank, TermId, saturate};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const TERMS: usize = 1_000;
const EVERY: usize = 50;

fn main() {
    println!(
        "| terms | e-nodes | one after the other, s | a term of the first hundred, ms | of the last | the last e-graph anew, ms | all anew, s | × |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    insert("sums", "+", 5);
    insert("matrix-chain", "*", 10);
}

/// Inserts right-nested applications of an operator to so many variables.
fn insert(name: &str, op: &str, long: usize) {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems").join(name);
    let system = System::load(&rules.with_extension("rules")).unwrap_or_else(|e| panic!("{e}"));
    let system = Arc::new(system);
    let mut bank = TermBank::new(system.language.clone());
    let terms: Vec<TermId> = (0..TERMS)
        .map(|first| {
            let last = first + long - 1;
            let text = (first..last)
                .rev()
                .fold(format!("x{last}"), |rest, i| format!("({op} x{i} {rest})"));
            bank.parse(&text, None).unwrap_or_else(|e| panic!("{e}"))
        })
        .collect();
    let (mut kept, mut seconds) = (EGraph::new(system.clone()), Vec::new());
    // Seconds of saturating so many terms anew.
    let mut anew: Vec<f64> = Vec::new();
    for (number, &term) in terms.iter().enumerate() {
        seconds.push(saturated(&mut kept, &bank, &[term]));
        if (number + 1) % EVERY == 0 {
            let mut fresh = EGraph::new(system.clone());
            anew.push(saturated(&mut fresh, &bank, &terms[..=number]));
            let size = |egraph: &EGraph| (egraph.node_count(), egraph.class_count());
            assert_eq!(size(&fresh), size(&kept), "{name} after {} terms", number + 1);
        }
    }
    let sum = |seconds: &[f64]| seconds.iter().sum::<f64>();
    let (one_by_one, all) = (sum(&seconds), EVERY as f64 * sum(&anew));
    println!(
        "| {name}, {TERMS} of {long} | {} | {one_by_one:.2} | {:.3} | {:.3} | {:.1} | {all:.1} | {:.0} |",
        kept.node_count(),
        10.0 * sum(&seconds[..100]),
        10.0 * sum(&seconds[TERMS - 100..]),
        1e3 * anew.last().expect("more than fifty terms"),
        all / one_by_one,
    );
}

/// Adds terms and saturates, from where the e-graph was; the seconds that it takes.
fn saturated(egraph: &mut EGraph, bank: &TermBank, terms: &[TermId]) -> f64 {
    let began = Instant::now();
    for &term in terms {
        egraph.add_term(bank, term);
    }
    let config = SaturationConfig { go_on: true, ..SaturationConfig::default() };
    let report = saturate(egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    assert_eq!(report.stop, StopReason::Saturated);
    began.elapsed().as_secs_f64()
}
