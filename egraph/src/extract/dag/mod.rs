//! The least cost of a term whose equal parts count once: choices of e-nodes without cycles, improved within bounds, and proved
//! to be the least.

mod apart;
mod changes;
mod choices;
mod exact;
mod implied;
mod least_trees;
pub(crate) mod of_class;
mod program;
mod question;
mod reduce;
pub(crate) mod solver;
mod sums;
