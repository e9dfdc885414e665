//! Long work in parts: processes that know nothing of each other do a part of the items each, and what they made is
//! merged. It must not know what the items are.

pub(crate) mod journal;
pub(crate) mod make;
pub(crate) mod merge;
pub(crate) mod part;
pub(crate) mod shard;
