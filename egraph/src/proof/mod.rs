//! Why terms are equal: proofs read from an e-graph, as sequences, shorter ones, in files, and the
//! kernel that checks them. The kernel must not know the e-graph or share its matching.

pub(crate) mod check;
pub(crate) mod copy;
pub(crate) mod dag;
pub(crate) mod dense;
pub(crate) mod explain;
pub(crate) mod file;
pub(crate) mod flatten;
pub(crate) mod lineage;
pub(crate) mod shorten;
pub(crate) mod used;
