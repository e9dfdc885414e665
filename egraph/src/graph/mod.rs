//! Equality: e-nodes, e-classes, why they are equal, and what an e-graph was earlier. It must not
//! know how matches are found or which rules run.

pub(crate) mod changes;
pub(crate) mod class_index;
pub(crate) mod egraph;
pub(crate) mod facts;
pub(crate) mod hash_cons;
pub(crate) mod node_table;
pub(crate) mod parents;
pub(crate) mod past;
pub(crate) mod proof_forest;
pub(crate) mod seen;
pub(crate) mod small_slice;
pub(crate) mod unionfind;
