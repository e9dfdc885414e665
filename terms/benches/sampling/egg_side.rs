//! The same algorithm over egg 0.11, written for the comparison: the same e-graph, all counts in
//! floats, size by size; terms from the root down, each choice by weights.

use crate::counting::Counts;
use crate::draw::Draw;
use crate::egg_language::{EGraph, ENode, Literals, Symbols, expression};
use crate::egg_rules::with_literals;
use crate::random::Random;
use egg::{Id, RecExpr, Runner, SimpleScheduler, Symbol};
use egraph::{System, TermBank, TermId};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// An e-graph without explanations.
pub struct Grown {
    pub egraph: EGraph,
    pub root: Id,
}

/// Seconds, and what was found in them.
pub struct Measured {
    pub count_seconds: f64,
    /// Terms to the limit of the counts.
    pub terms: f64,
    pub draw_seconds: f64,
}

/// Grows the e-graph of a term by so many iterations.
pub fn grow(system: &System, bank: &TermBank, seed: TermId, iterations: u64) -> Grown {
    let mut symbols = Symbols::new(system);
    let rules: Vec<_> = system.rules.iter().map(|r| with_literals(r, &mut symbols)).collect();
    let start = expression(bank, seed, |leaf| symbols.leaf(leaf));
    let analysis = Literals { symbols, reason: Symbol::from("constant folding") };
    let runner = Runner::<ENode, Literals, ()>::new(analysis)
        .with_scheduler(SimpleScheduler)
        .with_node_limit(usize::MAX)
        .with_iter_limit(iterations as usize)
        .with_time_limit(Duration::from_secs(3_600))
        .with_expr(&start)
        .run(&rules);
    let root = runner.egraph.find(runner.roots[0]);
    Grown { egraph: runner.egraph, root }
}

/// Counts the terms of the root to size `counted`, and draws some with at most `drawn` nodes.
pub fn measure(grown: &Grown, counted: u32, drawn: u32, draws: usize) -> Measured {
    let Grown { egraph, root } = grown;
    let began = Instant::now();
    let counts = Counts::new(egraph, *root, counted.max(drawn) as usize);
    let count_seconds = began.elapsed().as_secs_f64();
    let terms = counts.root[..=counted as usize].iter().sum();
    let mut random = Random(1);
    let began = Instant::now();
    for _ in 0..draws {
        let size = random.weighted(&counts.root[..=drawn as usize]);
        let mut term = RecExpr::default();
        Draw::new(egraph, &counts, &mut random, true).class(*root, size, &mut term);
        black_box(term);
    }
    Measured { count_seconds, terms, draw_seconds: began.elapsed().as_secs_f64() }
}
