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

/// A trained model that the threads of a search or an evaluation share.
pub type Model<'m> = model::SharedModel<'m, ClassChoices>;
