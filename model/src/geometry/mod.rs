//! Where nodes stand in their trees, and how they are related. It knows neither tokens nor tensors.

pub mod positions;
pub mod relations;
