//! Whether an equality follows from rules within a limit: both sides in one small e-graph.

use egraph::{
    EGraph, Limits, RuleChoice, SaturationConfig, Schedule, System, TermBank, TermId,
    saturate_until,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How far an e-graph is grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    /// Iterations with all rules.
    pub iterations: u64,
    /// E-nodes.
    pub nodes: usize,
}

impl Reach {
    /// These rules, within these limits.
    pub fn config(self, rules: RuleChoice) -> SaturationConfig {
        let limits = Limits {
            iterations: Some(self.iterations),
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        let schedule = Some(Arc::new(Schedule::run(rules).until_stable()));
        SaturationConfig { limits, schedule, ..SaturationConfig::default() }
    }
}

/// Whether both terms become equal in an e-graph that begins with both.
pub fn united(system: &Arc<System>, bank: &TermBank, ends: (TermId, TermId), reach: Reach) -> bool {
    of_both(system, bank, ends, reach).1
}

/// The e-graph that begins with both terms, and whether they become equal in it.
pub fn of_both(
    system: &Arc<System>,
    bank: &TermBank,
    (left, right): (TermId, TermId),
    reach: Reach,
) -> (EGraph, bool) {
    let mut egraph = EGraph::new(system.clone());
    let (left, right) = (egraph.add_term(bank, left), egraph.add_term(bank, right));
    let equal = |egraph: &EGraph| egraph.find(left) == egraph.find(right);
    saturate_until(&mut egraph, &reach.config(RuleChoice::All), equal);
    let united = equal(&egraph);
    (egraph, united)
}

/// The e-graph of the left term alone in which the right one is its equal by some of the rules, if that comes about: then a
/// rule from left to right is not needed beside these, whatever else there is.
pub fn reached(
    (system, rules): (&Arc<System>, RuleChoice),
    bank: &TermBank,
    (left, right): (TermId, TermId),
    reach: Reach,
) -> Option<EGraph> {
    let mut egraph = EGraph::new(system.clone());
    let left = egraph.add_term(bank, left);
    let equal = |egraph: &EGraph| {
        egraph.lookup(bank, right).is_some_and(|right| egraph.find(right) == egraph.find(left))
    };
    saturate_until(&mut egraph, &reach.config(rules), equal);
    equal(&egraph).then_some(egraph)
}
