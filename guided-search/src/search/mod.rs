//! Guided search: one account of work, one fresh e-graph a stage. It must not know where guides come
//! from.

pub mod agenda;
pub mod answer;
pub mod baselines;
pub mod budget;
pub mod frontier_terms;
pub mod known;
pub mod prove;
pub mod reached;
pub mod schedulers;
pub mod stage;
