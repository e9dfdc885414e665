//! The scaling ladder: one training for each size of the network and each fraction of the data, and
//! what they say together. It trains with [`crate::training`] alone and must not know how a step is made.

pub mod baselines;
pub mod fit;
pub mod ladder;
pub mod laws;
pub mod measure;
pub mod page;
pub mod plan;
pub mod results;
pub mod sizes;
