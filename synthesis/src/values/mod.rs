//! Values of terms: the inputs, which are values of the variables, and what a term comes to at each of them.

pub mod column;
pub mod conditions;
pub mod inputs;
