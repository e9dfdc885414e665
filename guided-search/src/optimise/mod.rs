//! The best term that equals a given one: grown, extracted, and started over from, any time. It must not
//! know how guides are found.

pub(crate) mod answer;
pub(crate) mod many;
pub(crate) mod picture;
pub(crate) mod run;
pub(crate) mod stages;
pub(crate) mod table;
