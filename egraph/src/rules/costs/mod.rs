//! What a term costs: costs that a rules file declares, and functions of them.

pub(crate) mod declared;
pub(crate) mod function;
pub(crate) mod read;
pub(crate) mod unit;
pub(crate) mod whole;
