//! Pieces of declarations: options, names, and how they are told in messages.

use crate::rules::read::costs::read_number;
use crate::term::values::rational::Rational;
use crate::text::sexpr::{ParseError, Place, Sexpr};
use crate::text::similar::did_you_mean;

/// The options of a declaration, `:key value …`, with the place of each key. None may come twice.
pub(super) fn pairs(options: &[Sexpr]) -> Result<Vec<(&str, Place, &Sexpr)>, ParseError> {
    let mut pairs: Vec<(&str, Place, &Sexpr)> = Vec::new();
    for option in options.chunks(2) {
        let (key, at) = (option[0].atom().unwrap_or("("), option[0].place());
        if key == "(" || option.len() == 1 && !key.starts_with(':') {
            let message = format!("expected an option, which begins with ':', found '{key}'");
            return Err(ParseError::new(at, message));
        }
        if pairs.iter().any(|&(before, ..)| before == key) {
            return Err(ParseError::new(at, format!("a second '{key}': only one is allowed")));
        }
        let value = option
            .get(1)
            .ok_or_else(|| ParseError::new(at, format!("expected a value after '{key}'")))?;
        pairs.push((key, at, value));
    }
    Ok(pairs)
}

pub(super) fn unexpected(expected: &str, known: &[&str], key: &str, at: Place) -> ParseError {
    let meant = did_you_mean(key, known.iter().copied());
    ParseError::new(at, format!("expected {expected}, found '{key}'{meant}"))
}

/// What `:cost` says, which is the only option.
pub(super) fn cost_option(options: &[Sexpr]) -> Result<Option<(Rational, Place)>, ParseError> {
    let mut cost = None;
    for (key, at, value) in pairs(options)? {
        match key {
            ":cost" => cost = Some((read_number(value)?, value.place())),
            _ => return Err(unexpected(":cost", &[":cost"], key, at)),
        }
    }
    Ok(cost)
}

pub(super) fn find_atom(sexpr: &Sexpr, wanted: &str) -> Option<Place> {
    match sexpr {
        Sexpr::Atom(atom, place) => (atom == wanted).then_some(*place),
        Sexpr::List(items, _) => items.iter().find_map(|item| find_atom(item, wanted)),
    }
}

pub(super) fn text(sexpr: &Sexpr) -> String {
    match sexpr {
        Sexpr::Atom(atom, _) => atom.clone(),
        Sexpr::List(items, _) => {
            format!("({})", items.iter().map(text).collect::<Vec<_>>().join(" "))
        }
    }
}

pub(super) fn one_atom<'a>(
    args: &'a [Sexpr],
    place: Place,
    form: &str,
) -> Result<&'a str, ParseError> {
    match args {
        [name] => expect_atom(name, form),
        _ => Err(ParseError::new(place, format!("expected {form}"))),
    }
}

pub(super) fn expect_atom<'a>(sexpr: &'a Sexpr, what: &str) -> Result<&'a str, ParseError> {
    sexpr.atom().ok_or_else(|| ParseError::new(sexpr.place(), format!("expected {what}")))
}
