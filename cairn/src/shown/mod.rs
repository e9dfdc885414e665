//! What commands share of what they say.

pub(crate) mod ended;
pub(crate) mod file_names;
pub(crate) mod guides;
pub(crate) mod lets;
pub(crate) mod one_way;
pub(crate) mod part;
pub(crate) mod proof;
pub(crate) mod proved;
pub(crate) mod queries;
