//! A seed's e-graph in egg, with explanations.

use crate::egg_language::{EGraph, ENode, Literals, Symbols, expression};
use crate::egg_rules::with_literals;
use crate::text::Names;
use egg::{Id, RecExpr, Rewrite, Runner, SimpleScheduler, Symbol};
use egraph::{System, TermBank, TermId};
use std::time::Duration;

/// A system's rules, and the numbers of the literals in them.
pub struct Rules {
    rules: Vec<Rewrite<ENode, Literals>>,
    symbols: Symbols,
}

impl Rules {
    pub fn new(system: &System) -> Rules {
        let mut symbols = Symbols::new(system);
        let rules = system.rules.iter().map(|r| with_literals(r, &mut symbols)).collect();
        Rules { rules, symbols }
    }
}

/// An e-graph and the seed in it.
pub struct Grown {
    pub egraph: EGraph,
    pub root: Id,
    pub start: RecExpr<ENode>,
    pub names: Names,
}

pub fn grow(system: &System, rules: &Rules, bank: &TermBank, seed: TermId, nodes: usize) -> Grown {
    let mut symbols = rules.symbols.clone();
    let mut names = Names::new(system);
    let start = expression(bank, seed, |leaf| names.enter(symbols.leaf(leaf), leaf));
    let analysis = Literals { symbols, reason: Symbol::from("constant folding") };
    let runner = Runner::<ENode, Literals, ()>::new(analysis)
        .with_explanations_enabled()
        .with_scheduler(SimpleScheduler)
        .with_node_limit(nodes)
        .with_iter_limit(usize::MAX)
        .with_time_limit(Duration::from_secs(3_600))
        .with_expr(&start)
        .run(&rules.rules);
    let root = runner.egraph.find(runner.roots[0]);
    Grown { egraph: runner.egraph, root, start, names }
}
