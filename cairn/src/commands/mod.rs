//! The commands, a file each, by what they are for.

pub(crate) mod about;
pub(crate) mod answers;
pub(crate) mod data;
pub(crate) mod export;
pub(crate) mod learning;
pub(crate) mod measured;
pub(crate) mod rules;
pub(crate) mod system;
