//! What small terms are made of, as a rules file says it; how its operators compute on words; and the file without some of its
//! forms.

pub mod forms;
pub mod parts;
pub mod word;

pub use parts::{Language, Operator, Variable};
