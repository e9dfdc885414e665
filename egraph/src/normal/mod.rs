//! Normal forms: one term, rewritten from left to right until no rule of the system's normal form matches
//! any more, with a proof. No e-graph: nothing but the term of the moment is kept, so terms may grow on the way
//! to where they cancel.

pub(crate) mod normalise;
mod order;
