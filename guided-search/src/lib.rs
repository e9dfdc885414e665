//! Guided equality saturation: guide sources, staged search, evaluation and report.
//!
//! [`search::prove`] answers a question with one checked proof. It asks a
//! [`guide_source::GuideSource`] for waypoints and never trusts one: a bad guide costs time only.

pub mod baselines;
pub mod budget;
pub mod candidates;
pub mod chains;
pub mod config;
pub mod evaluate;
pub mod frontier;
pub mod guide_source;
pub mod held_out;
pub mod method;
pub mod proof_view;
pub mod question;
pub mod randomness;
pub mod report;
pub mod results;
pub mod search;
pub mod sources;
pub mod stage;
pub mod statistics;
pub mod task;
pub mod tree_distance;
