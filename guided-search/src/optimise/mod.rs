//! The best term that equals a given one: grown, extracted, and started over from, any time. It must not
//! know how guides are found.

pub(crate) mod answer;
mod begun;
mod expansion;
mod factors;
pub(crate) mod growth;
pub(crate) mod guided;
mod in_turns;
pub(crate) mod many;
pub(crate) mod optimisers;
pub(crate) mod picture;
pub(crate) mod run;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod values;
mod walk;
