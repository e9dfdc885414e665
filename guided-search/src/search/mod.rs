//! Guided search: one account of work, one fresh e-graph a stage. It must not know where guides come
//! from.

pub mod answer;
pub mod baselines;
pub mod budget;
pub mod frontier;
pub mod prove;
pub mod reached;
pub mod stage;
