//! Terms as text that belong together: all of one sort.
//!
//! A lone literal does not show its sort; it takes that of the others, so that the `1` that equals
//! `(<= v0 v0)` is a truth value.

use egraph::{ParseError, SortId, TermBank};

/// The sort of terms that have one: that of the first application, `None` if there is none.
///
/// # Errors
/// The first application is not a term of the bank's language.
pub fn sort_of<'a>(
    bank: &mut TermBank,
    texts: impl IntoIterator<Item = &'a String>,
) -> Result<Option<SortId>, ParseError> {
    let mut applications = texts.into_iter().filter(|text| text.starts_with('('));
    let first = applications.next().map(|text| bank.parse(text, None)).transpose()?;
    Ok(first.map(|term| bank.sort(term)))
}
