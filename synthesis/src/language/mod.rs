//! What small terms are made of, as a rules file says it; what its operators compute, and how they do on words.

pub mod meaning;
pub mod operator_set;
pub mod parts;
pub mod tables;
pub mod word;

pub use operator_set::OperatorSet;
pub use parts::{Language, Operator, Variable};
