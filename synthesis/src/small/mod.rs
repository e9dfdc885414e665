//! Small terms: a store of them, their order, what rules make of them, and all of them by size.

pub mod enumerated;
pub mod matching;
pub mod order;
pub mod renaming;
pub mod rewriting;
pub mod terms;
