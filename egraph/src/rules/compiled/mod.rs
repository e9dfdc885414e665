//! Rules, compiled for matching: what to look for in which order, and how to build what follows. Plain
//! data, which a system holds beside its rules; it must not know e-graphs.

pub(crate) mod program;
pub(crate) mod recipe;
pub(crate) mod rewrite;
