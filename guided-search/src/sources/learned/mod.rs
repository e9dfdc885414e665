//! Guides of a trained model: written freely, written inside a class, or chosen among terms that were drawn.
//! They must not know how it was trained.

pub mod class_choices;
pub mod inside;
pub mod likely;
pub mod ranked;
pub mod select;
pub mod value;
pub mod written;

use class_choices::ClassChoices;
use egraph::TermId;
use std::cmp::Ordering;

/// A trained model that the threads of a search or an evaluation share.
pub type Model<'m> = model::SharedModel<'m, ClassChoices>;

/// Terms in the order of what the model says of each; those of which it says the same stay as they are.
fn in_order<K>(
    terms: &[TermId],
    said: impl Iterator<Item = K>,
    compare: impl Fn(&K, &K) -> Ordering,
) -> Vec<TermId> {
    let mut ranked: Vec<(K, TermId)> = said.zip(terms.iter().copied()).collect();
    ranked.sort_by(|a, b| compare(&a.0, &b.0));
    ranked.into_iter().map(|(_, term)| term).collect()
}
