//! What a rules file means: patterns, conditions, rules, schedules, and rules compiled for matching. It
//! must not know e-graphs.

pub(crate) mod analysis;
pub(crate) mod binding;
pub(crate) mod compiled;
pub(crate) mod costs;
pub(crate) mod expression;
pub(crate) mod given;
pub(crate) mod kinds;
mod options;
pub(crate) mod pattern;
pub(crate) mod read;
pub(crate) mod rule;
pub(crate) mod schedule;
pub(crate) mod system;
pub(crate) mod variables;
