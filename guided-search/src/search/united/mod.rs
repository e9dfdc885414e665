//! The search from many guides at once: its legs, and what an e-graph of them is told beside the rules. It must
//! not know where guides come from.

pub(crate) mod given;
pub(crate) mod legs;
