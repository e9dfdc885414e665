//! How many terms: exact counts by class and size. It must not know what is drawn from them.

pub mod counts;
pub(crate) mod grammar;
pub(crate) mod limbs;
pub(crate) mod row;
pub(crate) mod state;
