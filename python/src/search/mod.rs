//! `prove` and `optimise`, for one question or many, and the functions that guide them.

pub mod guides;
pub mod optimise;
pub mod prove;
