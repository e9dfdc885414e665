//! What small terms are made of, as a rules file says it; how its operators compute on words.

pub mod parts;
pub mod word;

pub use parts::{Language, Operator, Variable};
