//! Whether limits on memory hold.

use crate::allocator;
use crate::workloads::{Workload, configuration};
use egraph::{EGraph, Limits, SaturationConfig, StopReason, saturate};
use std::ops::ControlFlow;
use std::time::Instant;

const MIB: usize = 1 << 20;
/// Shares of the limit that may be overshot, and that `heap_bytes()` may be wrong by.
const OVERSHOOT: f64 = 1.01;
const ACCURACY: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// Runs each workload that is large enough under limits of 64 MiB, 256 MiB and 1 GiB, whatever
/// else would end it; prints what of a limit was taken, and whether all limits held.
pub fn try_all(workloads: &[Workload]) -> bool {
    println!(
        "| workload | limit, MiB | stop | e-nodes | s | heap_bytes / limit | peak of the allocator / limit | live / heap_bytes |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|");
    let mut right = true;
    for workload in workloads {
        for mib in [64, 256, 1024] {
            let stop = try_one(workload, mib * MIB, &mut right);
            if matches!(stop, StopReason::Saturated | StopReason::Iterations) {
                break; // A larger limit gives the same.
            }
        }
    }
    right
}

fn try_one(workload: &Workload, limit: usize, right: &mut bool) -> StopReason {
    let system = workload.load();
    let (bank, start) = workload.start_term(&system);
    let limits = Limits { memory: Some(limit), ..Limits::default() };
    let config = SaturationConfig { limits, ..configuration(workload) };
    let before = allocator::live();
    allocator::reset_peak();
    let began = Instant::now();
    let mut egraph = EGraph::new(system.clone());
    egraph.add_term(&bank, start);
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    let report = saturate(&mut egraph, &config, &mut |egraph, _| {
        // Of a small e-graph the reports of iterations are a visible part.
        if egraph.heap_bytes() > MIB {
            let ratio = (allocator::live() - before) as f64 / egraph.heap_bytes() as f64;
            (least, most) = (least.min(ratio), most.max(ratio));
        }
        ControlFlow::Continue(())
    });
    let seconds = began.elapsed().as_secs_f64();
    let share = |bytes: usize| bytes as f64 / limit as f64;
    let (heap, peak) = (share(egraph.heap_bytes()), share(allocator::peak() - before));
    let accurate = least > most || (ACCURACY.contains(&least) && ACCURACY.contains(&most));
    *right &= peak <= OVERSHOOT && heap <= OVERSHOOT && accurate;
    let ratios = if least > most { "–".to_owned() } else { format!("{least:.3}–{most:.3}") };
    println!(
        "| {} | {} | {} | {} | {seconds:.1} | {heap:.4} | {peak:.4} | {ratios} |",
        workload.name,
        limit / MIB,
        report.stop,
        egraph.node_count(),
    );
    report.stop
}
