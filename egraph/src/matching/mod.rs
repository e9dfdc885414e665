//! Finding: where to begin, what matches, for one rule and for all. It must not
//! change the e-graph.

pub(crate) mod all_rules;
pub(crate) mod delta_queries;
mod last_atoms;
pub(crate) mod machine;
pub(crate) mod match_queue;
mod matched;
pub(crate) mod matches;
pub(crate) mod near_changes;
