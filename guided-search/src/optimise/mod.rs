//! The best term that equals a given one: grown, extracted, and started over from, any time. It must not
//! know how guides are found.

pub mod answer;
pub mod picture;
pub mod run;
pub mod stages;
