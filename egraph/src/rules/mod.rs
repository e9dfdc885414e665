//! What a rules file means: patterns, conditions, rules, schedules. It must not know e-graphs, but
//! that a system holds its rules compiled ([`crate::matching::compiled_rule`]).

pub(crate) mod analysis;
pub(crate) mod binding;
pub(crate) mod cost;
pub(crate) mod expression;
pub(crate) mod kinds;
mod options;
pub(crate) mod pattern;
pub(crate) mod read;
pub(crate) mod schedule;
pub(crate) mod system;
pub(crate) mod variables;
