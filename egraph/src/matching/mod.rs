//! Finding: a rule compiled, where to begin, what matches, for one rule and for all. It must not
//! change the e-graph.

pub(crate) mod all_rules;
pub(crate) mod begin;
pub(crate) mod compiled_rule;
pub(crate) mod machine;
pub(crate) mod matches;
pub(crate) mod plan;
pub(crate) mod queue;
pub(crate) mod right_side;
