//! The page about an evaluation. It must not change what was measured.

pub mod page;
pub mod proof_view;
