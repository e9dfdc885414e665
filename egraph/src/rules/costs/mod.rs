//! Costs that a rules file declares.

pub(crate) mod declared;
pub(crate) mod read;
pub(crate) mod unit;
pub(crate) mod whole;
