//! The best term of a class: what e-nodes cost, the terms that satisfy a sketch, the least cost of a tree, and of a
//! term whose shared parts count once. It must not know how the e-graph was grown.

pub(crate) mod best;
pub(crate) mod by_function;
pub(crate) mod dag;
mod of_e_node;
mod ranks;
pub(crate) mod satisfied;
pub(crate) mod sketch;
pub(crate) mod tree;
pub(crate) mod way;
