//! The least cost of a term whose equal parts count once: choices of e-nodes without cycles, improved within bounds, and proved
//! to be the least.

mod choices;
mod exact;
pub(crate) mod of_class;
pub(crate) mod solver;
