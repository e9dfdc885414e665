//! From seeds to a data set or tasks, and a look at what there is.

pub(crate) mod generate;
pub(crate) mod inspect;
pub(crate) mod merge;
pub(crate) mod seeds;
pub(crate) mod split;
pub(crate) mod tasks;
pub(crate) mod verify;
