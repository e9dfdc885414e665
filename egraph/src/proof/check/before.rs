//! The steps to which a step of a proof may refer: those before it.

use super::problem::Problem;
use crate::proof::dag::{How, Step, StepRef, Steps};
use crate::rules::variables::FactOf;
use crate::term::bank::TermId;
use crate::term::language::AnalysisId;

/// The steps before one, which may refer to them.
pub(super) struct Before<'s> {
    pub steps: &'s Steps,
    pub index: usize,
}

impl Before<'_> {
    /// The ends of an earlier step that proves an equality.
    pub fn equality(&self, r: StepRef) -> Result<(TermId, TermId), Problem> {
        if r.step as usize >= self.index {
            return Err(Problem::BadReference);
        }
        match self.steps.get(r.step).how {
            How::Fact(..) => Err(Problem::BadReference),
            _ => Ok(self.steps.ends(r)),
        }
    }

    /// The value that an earlier step proves an analysis to have at a term.
    pub fn fact(&self, r: StepRef, of: AnalysisId, term: TermId) -> Result<TermId, Problem> {
        if r.step as usize >= self.index || r.reversed {
            return Err(Problem::BadReference);
        }
        match self.steps.get(r.step) {
            Step { from, to, how: How::Fact(analysis, _), .. }
                if (analysis, from) == (of, term) =>
            {
                Ok(to)
            }
            _ => Err(Problem::FactMismatch),
        }
    }

    /// Whether earlier steps prove the facts that stand behind the pattern variables of a
    /// substitution, which has the length that the variables have.
    pub fn facts(
        &self,
        facts: &[FactOf],
        substitution: &[TermId],
        because: &[StepRef],
    ) -> Result<(), Problem> {
        if because.len() != facts.len() {
            return Err(Problem::FactMismatch);
        }
        let (terms, values) = substitution.split_at(substitution.len() - facts.len());
        for ((of, &value), &r) in facts.iter().zip(values).zip(because) {
            if self.fact(r, of.analysis, terms[usize::from(of.var.0)])? != value {
                return Err(Problem::FactMismatch);
            }
        }
        Ok(())
    }
}
