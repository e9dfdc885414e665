//! The ways to prove a task: the table of them, and one file a way. They must not know how a search
//! spends its work: all they see of it is what it asks.

pub(crate) mod all_work;
pub(crate) mod asked;
pub(crate) mod expert;
pub(crate) mod frontier;
pub(crate) mod guide_writer;
pub(crate) mod oracle;
pub(crate) mod ranked;
pub(crate) mod table;
pub(crate) mod tree_distance;
pub(crate) mod watched;
pub(crate) mod written;
