//! The variables of a rule.

use crate::term::language::{AnalysisId, Language, SortId};
use crate::text::sexpr::{ParseError, Place};

/// Index of a pattern variable in [`Variables::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u16);

const MOST_VARIABLES: usize = 4_096;

/// The variables of one rule: pattern variables with the sorts that their places give them, and behind
/// them the facts that its expressions read, each as a variable that is bound to a literal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// Names by [`VarId`]: those of pattern variables with their `?`, facts as `(lo ?x)`.
    pub names: Vec<String>,
    /// Sorts, by [`VarId`]; of a fact that of its values.
    pub sorts: Vec<SortId>,
    /// What the last variables stand for.
    pub facts: Vec<FactOf>,
}

/// A fact that an expression reads: the value of an analysis at a pattern variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactOf {
    /// The analysis.
    pub analysis: AnalysisId,
    /// The pattern variable.
    pub var: VarId,
}

impl Variables {
    /// The variable called `name` (with its `?`).
    pub fn get(&self, name: &str) -> Option<VarId> {
        self.names.iter().position(|n| n == name).map(|i| VarId(i as u16))
    }

    /// Number of pattern variables; the variables behind them are facts.
    pub fn patterns(&self) -> usize {
        self.names.len() - self.facts.len()
    }

    /// The fact that a variable stands for, if it is no pattern variable.
    pub fn fact(&self, VarId(var): VarId) -> Option<FactOf> {
        Some(self.facts[usize::from(var).checked_sub(self.patterns())?])
    }

    /// The pattern variable that a variable is, or whose fact it is.
    pub fn pattern_of(&self, var: VarId) -> VarId {
        self.fact(var).map_or(var, |fact| fact.var)
    }

    /// The variable that stands for a fact, entered if it is new.
    pub(crate) fn enter_fact(
        &mut self,
        language: &Language,
        fact: FactOf,
        place: Place,
    ) -> Result<VarId, ParseError> {
        let analysis = language.analysis(fact.analysis);
        let (of, sort) = (usize::from(fact.var.0), analysis.sort);
        if self.sorts[of] != sort {
            let message = format!(
                "{} speaks of sort {}, and {} has sort {}",
                analysis.name,
                language.sort_name(sort),
                self.names[of],
                language.sort_name(self.sorts[of])
            );
            return Err(ParseError::new(place, message));
        }
        if let Some(known) = self.facts.iter().position(|known| *known == fact) {
            return Ok(VarId((self.patterns() + known) as u16));
        }
        if self.names.len() >= MOST_VARIABLES {
            let message = format!("too many variables in a rule: at most {MOST_VARIABLES}");
            return Err(ParseError::new(place, message));
        }
        self.names.push(format!("({} {})", analysis.name, self.names[of]));
        self.sorts.push(analysis.values);
        self.facts.push(fact);
        Ok(VarId(self.names.len() as u16 - 1))
    }

    pub(crate) fn enter(
        &mut self,
        language: &Language,
        name: &str,
        sort: SortId,
        place: Place,
    ) -> Result<VarId, ParseError> {
        if let Some(var) = self.get(name) {
            let known = self.sorts[var.0 as usize];
            if known != sort {
                let message = format!(
                    "{name} has sort {} elsewhere in this rule, but sort {} is expected here",
                    language.sort_name(known),
                    language.sort_name(sort)
                );
                return Err(ParseError::new(place, message));
            }
            return Ok(var);
        }
        if self.names.len() >= MOST_VARIABLES {
            let message = format!("too many variables in a rule: at most {MOST_VARIABLES}");
            return Err(ParseError::new(place, message));
        }
        self.names.push(name.to_owned());
        self.sorts.push(sort);
        Ok(VarId(self.names.len() as u16 - 1))
    }
}
