//! What a second thread buys.

use crate::table;
use crate::workloads::{Run, Workload, configuration, run_cairn, unseen};
use crate::{allocator, medians};
use egraph::SaturationConfig;
use std::sync::Arc;

/// Prints the times on one thread and on two, run in turn.
pub fn compare(workloads: &[Workload]) {
    // The count is exact on one thread only.
    allocator::stop();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let pool = Arc::new(pool);
    println!(
        "| workload | e-nodes | one thread, ms | two threads, ms | × |\n|---|---:|---:|---:|---:|"
    );
    for workload in workloads {
        let system = workload.load();
        let one = configuration(workload);
        let two = SaturationConfig { pool: Some(pool.clone()), ..one.clone() };
        let run = |config: &SaturationConfig| run_cairn(workload, &system, config, &mut unseen()).0;
        let runs = medians(&mut [&mut || run(&one), &mut || run(&two)]);
        assert_eq!(runs[0].nodes, runs[1].nodes, "threads change nothing");
        let ms = |run: &Run| table::short(run.seconds * 1e3);
        let (one, two) = (&runs[0], &runs[1]);
        let ratio = table::short(one.seconds / two.seconds);
        println!("| {} | {} | {} | {} | {ratio} |", workload.name, one.nodes, ms(one), ms(two));
    }
}
