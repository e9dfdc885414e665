//! Where Cairn's time goes: finding matches, applying them, rebuilding.

use crate::table::short;
use crate::workloads::{Workload, configuration};
use crate::{MAX_ROUNDS, MIN_ROUNDS, MIN_SECONDS};
use egraph::{EGraph, saturate};
use std::ops::ControlFlow;

#[derive(Clone, Copy, Default)]
struct Phases {
    /// Seconds, as are the next two.
    search: f64,
    apply: f64,
    rebuild: f64,
    /// Matches found, those included that say nothing new.
    matches: u64,
    /// Those of them that are applied.
    new: u64,
    built: u64,
}

impl Phases {
    fn seconds(&self) -> f64 {
        self.search + self.apply + self.rebuild
    }
}

/// Prints the milliseconds of each phase in the median run, and how many nanoseconds a match and an e-node have taken.
pub fn print(workloads: &[Workload]) {
    println!(
        "| workload | built | matches | applied | search, ms | apply, ms | rebuild, ms | ns a match | ns an e-node |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|"
    );
    for workload in workloads {
        let run = median(workload);
        let [search, apply, rebuild] =
            [run.search, run.apply, run.rebuild].map(|seconds| short(seconds * 1e3));
        let [a_match, an_e_node] =
            [run.matches, run.built].map(|count| short(run.seconds() * 1e9 / count as f64));
        println!(
            "| {} | {} | {} | {} | {search} | {apply} | {rebuild} | {a_match} | {an_e_node} |",
            workload.name, run.built, run.matches, run.new
        );
    }
}

fn median(workload: &Workload) -> Phases {
    let mut runs: Vec<Phases> = Vec::new();
    let all = |runs: &[Phases]| runs.iter().map(Phases::seconds).sum::<f64>();
    while runs.len() < MIN_ROUNDS || runs.len() < MAX_ROUNDS && all(&runs) < MIN_SECONDS {
        runs.push(run(workload));
    }
    runs.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    runs[runs.len() / 2]
}

fn run(workload: &Workload) -> Phases {
    let system = workload.load();
    let (bank, start) = workload.start_term(&system);
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, start);
    let mut phases = Phases::default();
    saturate(&mut egraph, &configuration(workload), &mut |egraph, iteration| {
        phases.search += iteration.search_seconds;
        phases.apply += iteration.apply_seconds;
        phases.rebuild += iteration.rebuild_seconds;
        phases.matches += iteration.matches;
        phases.new += iteration.new;
        phases.built = egraph.built();
        ControlFlow::Continue(())
    });
    phases
}
