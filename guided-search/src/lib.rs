//! Guided equality saturation: tasks, guide sources, staged search, evaluation and report.
//!
//! The road of an evaluation: [`tasks`] → [`search`], which asks one of the [`sources`] for
//! waypoints and never trusts it: a bad guide costs time only → [`evaluation`] → [`report`].
//!
//! What this crate must not know: how guides are learned, the command line.

pub mod by_method;
pub mod config;
pub mod evaluation;
pub mod optimise;
pub mod report;
pub mod search;
pub mod sources;
pub mod tasks;
