//! What is known of a candidate for a rule.

use egraph::Value;

/// What is known of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// It is true, by this.
    Proved(String),
    /// It is false under this assignment: values by variable of the language.
    Refuted(Vec<Value>),
    /// Neither, and why.
    Unknown(String),
}
