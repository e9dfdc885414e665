//! Live bytes per canonical e-node, asked of the allocator, of egg's e-graphs with explanations
//! and of Cairn's, from the same seeds.

use crate::allocator;
use crate::grow::{Rules, grow};
use egraph::{Limits, SaturationConfig, System, TermBank, TermId, saturate};
use std::ops::ControlFlow;
use std::sync::Arc;

/// As JSON.
pub fn measure(system: &Arc<System>, bank: &TermBank, seeds: &[TermId], nodes: usize) -> String {
    let rules = Rules::new(system);
    let limits = Limits { nodes: Some(nodes), ..SaturationConfig::default().limits };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    let (mut egg, mut cairn) = (Sum::default(), Sum::default());
    for &seed in seeds {
        let before = allocator::live();
        let grown = grow(system, &rules, bank, seed, nodes);
        egg.add(grown.egraph.total_number_of_nodes(), allocator::live() - before);
        drop(grown);

        let before = allocator::live();
        let mut egraph = egraph::EGraph::new(system.clone());
        egraph.add_term(bank, seed);
        saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        cairn.add(egraph.node_count(), allocator::live() - before);
    }
    format!("{{\"egg\": {:.1}, \"cairn\": {:.1}}}", egg.per_node(), cairn.per_node())
}

#[derive(Default)]
struct Sum {
    nodes: usize,
    bytes: usize,
}

impl Sum {
    fn add(&mut self, nodes: usize, bytes: usize) {
        self.nodes += nodes;
        self.bytes += bytes;
    }

    fn per_node(&self) -> f64 {
        self.bytes as f64 / self.nodes as f64
    }
}
