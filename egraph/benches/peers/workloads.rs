//! What is measured: a system, a start term, and where to stop.

use crate::allocator;
use egraph::{
    EGraph, Iteration, Limits, Observer, SaturationConfig, Scheduler, System, TermBank, TermId,
    saturate,
};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Where a run ends: both sides must be there at the same e-graph.
#[derive(Clone, Copy)]
pub enum Stop {
    /// At saturation, with this many e-nodes and e-classes where a formula says how many.
    Saturated(Option<(usize, usize)>),
    /// After this many iterations, all of them complete.
    Iterations(u64),
}

/// A row of the table.
pub struct Workload {
    pub name: &'static str,
    /// A file in configs/systems/.
    pub system: &'static str,
    pub start: String,
    pub scheduler: Scheduler,
    pub stop: Stop,
    /// Small enough for `--quick`.
    pub quick: bool,
    /// Whether egg can do it with explanations in reasonable time and memory.
    pub explained: bool,
}

/// The rows.
pub fn all() -> Vec<Workload> {
    let row = |name, system, start: &str, stop| Workload {
        name,
        system,
        start: start.to_owned(),
        scheduler: Scheduler::Simple,
        stop,
        quick: true,
        explained: true,
    };
    let chain = |name, n| row(name, "matrix-chain", &nested("*", n), chain_size(n));
    let sum = |name, n| row(name, "sums", &nested("+", n), sum_size(n));
    let long = |row| Workload { quick: false, ..row };
    let backoff = |row| Workload { scheduler: Scheduler::Backoff, ..row };
    vec![
        chain("mm20", 21),
        long(chain("mm40", 41)),
        long(chain("mm80", 81)),
        sum("AC8", 8),
        long(sum("AC10", 10)),
        // egg with explanations would take minutes and several gigabytes.
        Workload { explained: false, ..long(sum("AC12", 12)) },
        row("horner6", "horner", &polynomial(6), Stop::Saturated(None)),
        backoff(row("math-100k", "math-test", INTEGRAL, Stop::Iterations(55))),
        long(backoff(row("math-1M", "math-test", INTEGRAL, Stop::Iterations(200)))),
        row("prop", "prop-test", IMPLICATION, Stop::Iterations(8)),
        row("halide", "halide", BOUNDS, Stop::Iterations(5)),
    ]
}

/// Rows of some 1,000 and 4,000 e-nodes, as guided search grows them by thousands; mm20 and horner6 are so small
/// themselves.
pub fn small() -> Vec<Workload> {
    let row = |name, like: &str, iterations| {
        let like = all().into_iter().find(|row| row.name == like).expect("a row of this name");
        Workload { name, stop: Stop::Iterations(iterations), ..like }
    };
    vec![
        row("halide-1k", "halide", 3),
        row("halide-4k", "halide", 4),
        row("math-1k", "math-100k", 6),
        row("math-4k", "math-100k", 7),
        row("prop-1k", "prop", 5),
        row("prop-2k", "prop", 6),
    ]
}

const INTEGRAL: &str = "(i (ln x) x)";
const IMPLICATION: &str = "(-> (& (-> p q) (-> r s)) (-> (& p r) (& q s)))";
const BOUNDS: &str = "(&& (<= lo (max lo (min (+ x 1) hi))) (<= (min x hi) (max lo hi)))";

/// The right-nested application of `op` to `n` distinct variables.
fn nested(op: &str, n: usize) -> String {
    (1..n).rev().fold(format!("x{n}"), |rest, i| format!("({op} x{i} {rest})"))
}

/// A partial product runs from one matrix to another; it is cut at every place inside.
fn chain_size(n: usize) -> Stop {
    Stop::Saturated(Some(((n + 1) * n * (n - 1) / 6 + n, n * (n + 1) / 2)))
}

/// A partial sum is a subset; it is cut into any two parts.
fn sum_size(n: usize) -> Stop {
    let (two, three) = (1 << n, 3usize.pow(n as u32));
    Stop::Saturated(Some((three - 2 * two + 1 + n, two - 1)))
}

/// The sum of c_i x^i up to the degree, with exponents in Peano form.
fn polynomial(degree: usize) -> String {
    let exponent = |i| (0..i).fold("Zero".to_owned(), |n, _| format!("(Succ {n})"));
    let term = |i| match i {
        0 => "c0".to_owned(),
        _ => format!("(* c{i} (pow x {}))", exponent(i)),
    };
    (0..degree).rev().fold(term(degree), |rest, i| format!("(+ {} {rest})", term(i)))
}

impl Workload {
    /// The rewrite system, read from its file.
    pub fn load(&self) -> Arc<System> {
        let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let systems = above.map(|dir| dir.join("configs/systems")).find(|dir| dir.is_dir());
        let path = systems.expect("configs/systems").join(self.system).with_extension("rules");
        Arc::new(System::load(&path).unwrap_or_else(|e| panic!("{e}")))
    }

    /// The start term in a bank of its own.
    pub fn start_term(&self, system: &System) -> (TermBank, TermId) {
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(&self.start, None).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        (bank, term)
    }
}

/// What one run of one side came to. Bytes are those on the heap beyond what was there before.
#[derive(Clone, Copy)]
pub struct Run {
    pub nodes: usize,
    pub classes: usize,
    pub seconds: f64,
    /// At the end, when nothing but the e-graph and the report is left.
    pub live: usize,
    /// At most.
    pub peak: usize,
}

/// What takes time.
pub trait Timed: Copy {
    fn seconds(&self) -> f64;
}

impl Timed for Run {
    fn seconds(&self) -> f64 {
        self.seconds
    }
}

/// Cairn's configuration for a workload.
pub fn configuration(workload: &Workload) -> SaturationConfig {
    let iterations = match workload.stop {
        Stop::Saturated(_) => None,
        Stop::Iterations(n) => Some(n),
    };
    let limits = Limits { iterations, ..Limits::default() };
    SaturationConfig { limits, scheduler: workload.scheduler, ..Default::default() }
}

/// Sees nothing of a run.
pub fn unseen() -> impl FnMut(&EGraph, &Iteration) -> ControlFlow<()> + Send {
    |_, _| ControlFlow::Continue(())
}

/// Runs Cairn; gives `heap_bytes()` beside the run.
pub fn run_cairn(
    workload: &Workload,
    system: &Arc<System>,
    config: &SaturationConfig,
    observer: &mut Observer<'_>,
) -> (Run, usize) {
    let (bank, start) = workload.start_term(system);
    let before = allocator::live();
    allocator::reset_peak();
    let began = Instant::now();
    let mut egraph = EGraph::new(system.clone());
    egraph.add_term(&bank, start);
    let report = saturate(&mut egraph, config, observer);
    let run = Run {
        seconds: began.elapsed().as_secs_f64(),
        live: allocator::live() - before,
        peak: allocator::peak() - before,
        nodes: egraph.node_count(),
        classes: egraph.class_count(),
    };
    drop(report);
    (run, egraph.heap_bytes())
}
