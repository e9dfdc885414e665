//! How literals become tokens.

use egraph::{Leaf, TermBank, TermId};
use serde::{Deserialize, Serialize};
use terms::Renaming;

/// How literals become tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Literals {
    /// By their digits: a model may compute with them, and write any.
    #[default]
    Spelled,
    /// Those of start and target have names, as variables have: a model copies them, whatever they are. It spells
    /// −1, 0 and 1, which rules are about, and those that stand in neither.
    Named,
}

impl Literals {
    /// The names that leaves of the terms of a task, or of a triple, have as tokens.
    pub fn renaming(self, bank: &TermBank, terms: &[TermId]) -> Renaming {
        let named = |leaf: &Leaf| !matches!(leaf.to_string().as_str(), "-1" | "0" | "1");
        match self {
            Literals::Spelled => Renaming::new(bank, terms),
            Literals::Named => Renaming::with_literals(bank, terms, named),
        }
    }
}
