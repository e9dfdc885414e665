//! How many terms: exact counts by class and size. It must not know what is drawn from them.

pub(crate) mod cell_counts;
pub(crate) mod counts;
pub(crate) mod grammar;
pub(crate) mod limbs;
pub(crate) mod number;
pub(crate) mod state;
pub(crate) mod terms;
