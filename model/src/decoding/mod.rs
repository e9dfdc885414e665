//! Writing a term node by node, with nothing but well-formed terms possible. It must not know how the
//! network was trained.

pub mod decode;
pub mod draft;
pub(crate) mod sampling;
