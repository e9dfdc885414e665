//! Why a part of a program is not taken over.

use egraph::{ParseError, Place};

/// Why a part of a program is not taken over.
pub(super) enum Refusal {
    /// A rules file can't say it, or the program is mistaken.
    Because(ParseError),
    /// It speaks of this, which is not taken over itself.
    Follows(Place, String),
}

/// Of a part that is translated.
pub(super) type Result<T> = std::result::Result<T, Refusal>;

/// What a rules file can't say.
pub(super) fn refused(place: Place, what: &str) -> Refusal {
    mistaken(place, format!("{what} can't be imported: a rules file has no such thing"))
}

/// What is wrong at a place.
pub(super) fn mistaken(place: Place, message: impl Into<String>) -> Refusal {
    Refusal::Because(ParseError::new(place, message))
}
