//! Rules that are missing: what an e-graph of two equal terms holds apart although it is equal.

pub mod apart;
pub mod expressions;
pub mod general;
pub mod literals;
pub mod points;
pub mod run;
pub mod widths;
