//! Which names the leaves of a training triple have.

use crate::tokens::vocabulary::{Vocabulary, WHOLE_NAMES};
use egraph::{TermBank, TermId};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use support::random::stream;
use terms::Renaming;

/// Which names the leaves of a training triple have as tokens. Those of what a model is asked, and of the
/// validation split, are always in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Names {
    /// The first ones: a model learns nothing of names that only longer terms than those it learns from need.
    #[default]
    First,
    /// For half of the triples any of those that are one token, in the order of the first ones: each such name is
    /// learned from terms that need few.
    Spread,
}

impl Names {
    /// The names of the terms of training triple number `id`.
    pub(crate) fn renaming(
        self,
        vocabulary: &Vocabulary,
        bank: &TermBank,
        terms: &[TermId],
        id: u64,
    ) -> Renaming {
        let first = vocabulary.literals().renaming(bank, terms);
        let mut rng = stream(0, id);
        if self == Names::Spread && rng.random_bool(0.5) {
            return first.spread(bank.language(), WHOLE_NAMES, &mut rng);
        }
        first
    }
}
