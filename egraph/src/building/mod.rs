//! Building: what a match makes of a right-hand side, in an e-graph, over terms, and as what is bound. It must not know how
//! matches are found.

pub(crate) mod bound_ids;
pub(crate) mod on_terms;
pub(crate) mod right_side;
pub(crate) mod term_function;
