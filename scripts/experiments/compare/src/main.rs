//! The workloads of `egraph/benches/peers`, read from the same source and rule files, in egglog
//! and slotted-egraphs, with Cairn beside them:
//!
//!     cargo run --release --manifest-path scripts/experiments/compare/Cargo.toml
//!     cargo run --release --manifest-path scripts/experiments/compare/Cargo.toml -- mm20 AC8
//!
//! Times are of one run on one thread; sizes are those at the end. Cairn always keeps what
//! explanations need; egglog is run without proofs, then with, slotted-egraphs without.
//! Left out are the math and halide rows: neither peer has egg's back-off scheduler, and constant
//! folding with conditions over Euclidean division would have to be written anew in each.
//! egglog with proofs and slotted-egraphs are run on the rows of the benchmark's `--quick` only. In
//! egglog's encoding of proofs the number of e-nodes is that of all terms ever built, and classes
//! are not counted.

#[allow(dead_code)]
#[path = "../../../../egraph/benches/peers/allocator.rs"]
mod allocator;
mod egglog_side;
mod slotted_side;
#[allow(dead_code)]
#[path = "../../../../egraph/benches/peers/workloads.rs"]
mod workloads;

use std::sync::Arc;
use workloads::Workload;

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

/// What one run came to.
struct Run {
    nodes: usize,
    classes: Option<usize>,
    seconds: f64,
}

type Peer = fn(&Workload, &egraph::System) -> Run;

fn cairn(workload: &Workload, system: &egraph::System) -> Run {
    let config = workloads::configuration(workload);
    let (run, _) = workloads::run_cairn(
        workload,
        &Arc::new(system.clone()),
        &config,
        &mut workloads::unseen(),
    );
    Run { nodes: run.nodes, classes: Some(run.classes), seconds: run.seconds }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    // The third says whether the peer is run on the long rows, too.
    let peers: [(&str, Peer, bool); 4] = [
        ("Cairn", cairn, true),
        ("egglog", |w, s| egglog_side::run(w, s, false), true),
        ("egglog with proofs", |w, s| egglog_side::run(w, s, true), false),
        ("slotted-egraphs", slotted_side::run, false),
    ];
    println!("| workload | engine | ms | e-nodes | e-classes |\n|---|---|---:|---:|---:|");
    for workload in workloads::all() {
        let system = workload.load();
        let name = workload.name;
        if system.language.constant_folding
            || !wanted.is_empty() && !wanted.iter().any(|w| w == name)
        {
            continue;
        }
        for (engine, run, _) in peers.iter().filter(|(_, _, long)| *long || workload.quick) {
            let Run { nodes, classes, seconds } = run(&workload, &system);
            let classes = classes.map_or("–".to_owned(), |n| n.to_string());
            println!("| {name} | {engine} | {:.1} | {nodes} | {classes} |", seconds * 1e3);
        }
    }
}
