//! Every method on every task: rows, and what they come to. It must not know how they are shown.

pub mod checked;
pub mod evaluate;
pub mod results;
pub mod statistics;
