//! Every method on every task: rows, and what they come to. It must not know how they are shown.

pub(crate) mod checked;
pub(crate) mod comparison;
pub(crate) mod described;
pub(crate) mod evaluate;
pub(crate) mod finished;
pub(crate) mod results;
pub(crate) mod statistics;
pub(crate) mod trial;
pub(crate) mod worth;
