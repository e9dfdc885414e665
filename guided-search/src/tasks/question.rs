//! Terms that belong to one question: all of one sort.

use anyhow::{Result, anyhow};
use egraph::{ParseError, Sexpr, TermBank, TermId, parse_term};

/// Reads terms of one sort. A literal or variable takes the sort of the others, so that the `1` that
/// equals `(<= v0 v0)`, or an operator without arguments, is a truth value.
///
/// # Errors
/// The first that is not a term, or not of the sort of the others: its index, and what is wrong.
pub fn read_question(
    bank: &mut TermBank,
    terms: &[Sexpr],
) -> std::result::Result<Vec<TermId>, (usize, ParseError)> {
    // An operator has a sort of its own, with or without arguments. Where there is none, literals and variables have that which
    // the first has by itself, or the first that all of them can have.
    let is_applied =
        |term: &Sexpr| term.atom().is_none_or(|atom| bank.language().operator(atom).is_some());
    let decides = match terms.iter().position(is_applied) {
        Some(i) => i,
        None => (0..terms.len()).find(|i| fits_all(bank, terms, *i)).unwrap_or(0),
    };
    let other = match terms.get(decides) {
        Some(term) => Some(bank.read(term, None).map_err(|error| (decides, error))?),
        None => None,
    };
    let sort = other.map(|term| bank.sort(term));
    let mut read = Vec::with_capacity(terms.len());
    for (i, term) in terms.iter().enumerate() {
        let found = bank.read(term, sort).map_err(|error| {
            // A term by itself, but of another sort: that is what to say.
            match (bank.read(term, None), other) {
                (Ok(found), Some(other)) if bank.sort(found) != bank.sort(other) => {
                    let sort_name = |term| bank.language().sort_name(bank.sort(term));
                    let message = format!(
                        "has sort {}, but {} has sort {}: both must have one sort",
                        sort_name(found),
                        bank.display_part(other, 20),
                        sort_name(other)
                    );
                    (i, ParseError::new(term.place(), message))
                }
                _ => (i, error),
            }
        })?;
        read.push(found);
    }
    Ok(read)
}

/// Whether all terms can have the sort that one of them has by itself.
fn fits_all(bank: &mut TermBank, terms: &[Sexpr], one: usize) -> bool {
    let sort = bank.read(&terms[one], None).map(|term| bank.sort(term));
    sort.is_ok_and(|sort| terms.iter().all(|term| bank.read(term, Some(sort)).is_ok()))
}

/// Terms of one sort, from texts with names for messages, as `--start`.
///
/// # Errors
/// A text that is no term, or not of the sort of the others: with the name, the text and the place in
/// it.
pub fn read_texts(bank: &mut TermBank, texts: &[(&str, &str)]) -> Result<Vec<TermId>> {
    let wrong = |i: usize, error: ParseError| {
        let (name, text) = texts[i];
        anyhow!("{name} {}: {error}", quoted(text))
    };
    let parsed = texts.iter().enumerate();
    let terms = parsed
        .map(|(i, (_, text))| parse_term(text).map_err(|e| wrong(i, e)))
        .collect::<Result<Vec<_>>>()?;
    read_question(bank, &terms).map_err(|(i, error)| wrong(i, error))
}

/// The text in quotes; of a long one the beginning.
pub fn quoted(text: &str) -> String {
    const SHOWN: usize = 100;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("'{}…'", &text[..end]),
        None => format!("'{text}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    #[test]
    fn literals_have_the_sort_of_what_they_equal() {
        let text = "(sort I) (sort B) (sort C) (literal i64 I) (literal bool B) (variable I)
            (op + (I I) I) (op T () B) (op c () C)";
        let mut bank = TermBank::new(System::parse(text).unwrap().language);
        let mut sorts = |from: &str, to: &str| {
            let read = read_texts(&mut bank, &[("--start", from), ("--target", to)]);
            let sort = |term: &TermId| bank.language().sort_name(bank.sort(*term)).to_owned();
            read.map(|terms| terms.iter().map(sort).collect::<Vec<_>>().concat())
        };
        for (from, to, sort) in
            [("T", "1", "BB"), ("1", "T", "BB"), ("1", "0", "II"), ("x", "1", "II")]
        {
            assert_eq!(sorts(from, to).unwrap(), sort, "{from} {to}");
        }
        for (from, to) in [("T", "x"), ("c", "1"), ("1", "c"), ("c", "T"), ("T", "2")] {
            assert!(sorts(from, to).is_err(), "{from} {to}");
        }
    }

    #[test]
    fn a_term_of_another_sort_is_told_from_one_that_is_none() {
        let text = "(sort I) (sort B) (literal i64 I) (literal bool B) (variable I)
            (op + (I I) I) (op < (I I) B)";
        let mut bank = TermBank::new(System::parse(text).unwrap().language);
        let mut read = |from: &str, to: &str| {
            read_texts(&mut bank, &[("--start", from), ("--target", to)]).map_err(|e| e.to_string())
        };
        assert!(read("1", "(< a b)").is_ok());
        let sorts = "has sort I, but (< a b) has sort B: both must have one sort";
        assert_eq!(read("x", "(< a b)").unwrap_err(), format!("--start 'x': 1:1: {sorts}"));
        assert_eq!(
            read("(< a b)", "(+ a b)").unwrap_err(),
            format!("--target '(+ a b)': 1:1: {sorts}")
        );
        assert!(read("a", "(+ a").unwrap_err().starts_with("--target '(+ a': 1:1: "));
        assert!(read("a", &"(".repeat(120_000)).unwrap_err().len() < 500);
    }
}
