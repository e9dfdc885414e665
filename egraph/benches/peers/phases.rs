//! Where Cairn's time goes: finding matches, applying them, rebuilding.

use crate::medians;
use crate::table::short;
use crate::workloads::{Timed, Workload, configuration, run_cairn};
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

impl Timed for Phases {
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
        let (system, config) = (workload.load(), configuration(workload));
        let mut run = || {
            let mut phases = Phases::default();
            run_cairn(workload, &system, &config, &mut |egraph, iteration| {
                phases.search += iteration.search_seconds;
                phases.apply += iteration.apply_seconds;
                phases.rebuild += iteration.rebuild_seconds;
                phases.matches += iteration.matches;
                phases.new += iteration.new;
                phases.built = egraph.built();
                ControlFlow::Continue(())
            });
            phases
        };
        let run = medians(&mut [&mut run])[0];
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
