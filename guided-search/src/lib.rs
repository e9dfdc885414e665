//! Guided equality saturation: tasks, guide sources, staged search, evaluation and report.
//!
//! The road of an evaluation: [`tasks`] → [`search`], which asks one of the [`sources`] for
//! waypoints and never trusts it: a bad guide costs time only → [`evaluation`] → [`report`].
//!
//! Beside it, [`learning`] finds out which matches lead to proofs.
//!
//! What this crate must not know: how a model that writes guides is trained, the command line.

pub mod by_method;
pub mod config;
pub mod evaluation;
pub mod learning;
pub mod optimise;
pub mod report;
pub mod search;
pub mod sources;
pub mod tasks;
