//! What a cost reads of an argument.

use crate::rules::variables::{VarId, Variables};
use crate::term::language::AnalysisId;

/// What a weight reads of an argument, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// The literal that it equals.
    Literal(usize),
    /// What is known of it.
    Fact(AnalysisId, usize),
}

impl Read {
    /// What a variable of a weight stands for.
    pub(crate) fn of(variables: &Variables, var: VarId) -> Read {
        match variables.fact(var) {
            None => Read::Literal(usize::from(var.0)),
            Some(fact) => Read::Fact(fact.analysis, usize::from(fact.var.0)),
        }
    }
}
