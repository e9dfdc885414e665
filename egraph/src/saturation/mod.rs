//! The loop: which rules run, what they found applied, limits, what was done. It must not know why
//! anybody wants the e-graph.

pub(crate) mod apply;
pub(crate) mod best_first;
mod fitting;
mod follow_schedule;
pub(crate) mod match_order;
mod progress;
mod rebase;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod scheduler;
pub(crate) mod sight;
pub(crate) mod surroundings;
