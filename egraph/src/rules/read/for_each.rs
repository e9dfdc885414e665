//! `(for N (8 16) …)`: declarations that are written once for several numbers, most often widths of words.
//!
//! Each declaration is taken once for each number, with `{…}` in its atoms replaced by what the expression comes to: `{N}`,
//! `{2^N-1}`. What comes out is read as if it stood in the file, so nothing else knows of numbers.

use crate::text::sexpr::{ParseError, Place, Sexpr};

/// What a `for` may be replaced by altogether, so that no short file fills the memory.
const MOST: usize = 1 << 20;

/// Names with their numbers, of all `for`s around.
type Numbers = Vec<(String, i128)>;

/// The declarations with each `for` replaced by what it stands for.
///
/// # Errors
/// A `for` that is none, or a number that can't be computed, with the place.
pub(super) fn expanded(declarations: Vec<Sexpr>) -> Result<Vec<Sexpr>, ParseError> {
    let mut all = Vec::new();
    let mut atoms = 0;
    for declaration in declarations {
        match is_for(&declaration) {
            true => expand(&declaration, &Numbers::new(), &mut all, &mut atoms)?,
            false => all.push(declaration),
        }
    }
    Ok(all)
}

fn is_for(declaration: &Sexpr) -> bool {
    let head = declaration.list().and_then(<[Sexpr]>::first);
    head.and_then(Sexpr::atom) == Some("for")
}

fn expand(
    declaration: &Sexpr,
    around: &Numbers,
    all: &mut Vec<Sexpr>,
    atoms: &mut usize,
) -> Result<(), ParseError> {
    if !is_for(declaration) {
        all.push(said(declaration, around, atoms)?);
        return Ok(());
    }
    let place = declaration.place();
    let expected =
        "expected (for N (8 16 …) declaration …), or (for (M N) ((8 16) …) declaration …)";
    let [_, names, rows, body @ ..] = declaration.list().unwrap_or(&[]) else {
        return Err(ParseError::new(place, expected));
    };
    let names = match names {
        Sexpr::Atom(..) => std::slice::from_ref(names),
        Sexpr::List(names, _) => names,
    };
    let (names, Some(rows)) = (names.iter().map(|name| variable(name, around)), rows.list()) else {
        return Err(ParseError::new(rows.place(), expected));
    };
    let names: Vec<&str> = names.collect::<Result<_, _>>()?;
    if names.is_empty() || body.is_empty() {
        return Err(ParseError::new(place, expected));
    }
    for row in rows {
        let row = said(row, around, atoms)?;
        let numbers = match &row {
            Sexpr::Atom(..) => std::slice::from_ref(&row),
            Sexpr::List(numbers, _) => numbers,
        };
        if numbers.len() != names.len() {
            let message = format!(
                "expected {} for {}, found {}",
                names.len(),
                names.join(" "),
                numbers.len()
            );
            return Err(ParseError::new(row.place(), message));
        }
        let mut inside = around.clone();
        for (name, number) in names.iter().zip(numbers) {
            let text = number.atom().and_then(|atom| atom.parse::<i64>().ok());
            let Some(value) = text else {
                return Err(ParseError::new(number.place(), "expected an integer"));
            };
            inside.push(((*name).to_owned(), value.into()));
        }
        for declaration in body {
            expand(declaration, &inside, all, atoms)?;
        }
    }
    Ok(())
}

/// The name of a number: letters.
fn variable<'s>(name: &'s Sexpr, around: &Numbers) -> Result<&'s str, ParseError> {
    let fits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic());
    match name.atom() {
        Some(text) if fits(text) && around.iter().all(|(known, _)| known != text) => Ok(text),
        _ => Err(ParseError::new(
            name.place(),
            "expected a name of letters, as N, that no for around has",
        )),
    }
}

/// An expression with the numbers in place of what is in braces.
fn said(sexpr: &Sexpr, numbers: &Numbers, atoms: &mut usize) -> Result<Sexpr, ParseError> {
    *atoms += 1;
    if *atoms > MOST {
        let message = format!("the declarations of all for come to more than {MOST} atoms");
        return Err(ParseError::new(sexpr.place(), message));
    }
    Ok(match sexpr {
        Sexpr::Atom(atom, place) => Sexpr::Atom(replaced(atom, *place, numbers)?, *place),
        Sexpr::List(items, place) => {
            let items = items.iter().map(|item| said(item, numbers, atoms));
            Sexpr::List(items.collect::<Result<_, _>>()?, *place)
        }
    })
}

fn replaced(atom: &str, place: Place, numbers: &Numbers) -> Result<String, ParseError> {
    if !atom.contains('{') {
        return Ok(atom.to_owned());
    }
    let (mut text, mut rest) = (String::new(), atom);
    while let Some((before, from)) = rest.split_once('{') {
        let Some((expression, after)) = from.split_once('}') else {
            return Err(ParseError::new(place, format!("'{{' is never closed in '{atom}'")));
        };
        let value = computed(expression, numbers)
            .map_err(|why| ParseError::new(place, format!("'{{{expression}}}' {why}")))?;
        text += before;
        text += &value.to_string();
        rest = after;
    }
    Ok(text + rest)
}

/// The value of sums of products of powers: `N`, `2^N-1`, `2*N`, `2^N/2`. Quotients are rounded down.
fn computed(expression: &str, numbers: &Numbers) -> Result<i128, String> {
    let known = |text: &str| numbers.iter().find(|(name, _)| name == text).map(|(_, value)| *value);
    if let Some(value) = known(expression) {
        return Ok(value);
    }
    let atom = |text: &str| -> Result<i128, String> {
        if let Some(value) = known(text) {
            return Ok(value);
        }
        if !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()) {
            return text.parse().map_err(|_| too_large());
        }
        let names: Vec<&str> = numbers.iter().map(|(name, _)| &**name).collect();
        let known = names.join(", ");
        Err(format!(
            "is no number: expected {known} and numbers with + - * / ^ between them, found '{text}'"
        ))
    };
    let power = |text: &str| -> Result<i128, String> {
        match text.split_once('^') {
            None => atom(text),
            Some((base, exponent)) => {
                let exponent = u32::try_from(atom(exponent)?).map_err(|_| too_large())?;
                atom(base)?.checked_pow(exponent).ok_or_else(too_large)
            }
        }
    };
    let product = |text: &str| {
        folded(text, ['*', '/'], 1, power, [i128::checked_mul, i128::checked_div_euclid])
    };
    folded(expression, ['+', '-'], 0, product, [i128::checked_add, i128::checked_sub])
}

/// The parts of a text between two operators, each `read`, put together from the left.
fn folded(
    text: &str,
    operators: [char; 2],
    unit: i128,
    read: impl Fn(&str) -> Result<i128, String>,
    [with, without]: [fn(i128, i128) -> Option<i128>; 2],
) -> Result<i128, String> {
    parts(text, operators, operators[0]).into_iter().try_fold(unit, |value, (operator, part)| {
        let apply = if operator == operators[0] { with } else { without };
        apply(value, read(part)?).ok_or_else(too_large)
    })
}

fn too_large() -> String {
    "is too large".to_owned()
}

/// A text in parts, each with the operator before it; the first has `first`.
fn parts(text: &str, operators: [char; 2], first: char) -> Vec<(char, &str)> {
    let mut all = Vec::new();
    let (mut operator, mut start) = (first, 0);
    for (at, c) in text.char_indices().filter(|(_, c)| operators.contains(c)) {
        all.push((operator, &text[start..at]));
        (operator, start) = (c, at + 1);
    }
    all.push((operator, &text[start..]));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sexpr::parse_all;

    fn shown(sexpr: &Sexpr) -> String {
        match sexpr {
            Sexpr::Atom(atom, _) => atom.clone(),
            Sexpr::List(items, _) => {
                format!("({})", items.iter().map(shown).collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn all(text: &str) -> Result<String, String> {
        let all = expanded(parse_all(text).unwrap()).map_err(|mistake| mistake.to_string())?;
        Ok(all.iter().map(shown).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn each_declaration_is_taken_for_each_number() {
        let text = "(a {N}) (for N (8 16) (sort W{N}) (b {2^N-1} {2^N/2} {N+2*N-1}))";
        let said = "(a {N}) (sort W8) (b 255 128 23) (sort W16) (b 65535 32768 47)";
        assert_eq!(all(text).as_deref(), Ok(said));
        let pairs = "(for (M N) ((1 2) (3 4)) (x{M}-{N}))";
        assert_eq!(all(pairs).as_deref(), Ok("(x1-2) (x3-4)"));
        let nested = "(for M (1 2) (for N ({M} {2*M}) (x{M}{N})))";
        assert_eq!(all(nested).as_deref(), Ok("(x11) (x12) (x22) (x24)"));
        assert_eq!(all("(for N (64) ({2^N-1}))").as_deref(), Ok("(18446744073709551615)"));
        assert_eq!(all("(for N () (x))").as_deref(), Ok(""));
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, mistake) in [
            ("(for)", "1:1: expected (for N (8 16 …)"),
            ("(for N 8 (x))", "1:8: expected (for N"),
            ("(for N (8))", "1:1: expected (for N"),
            ("(for () (8) (x))", "1:1: expected (for N"),
            ("(for 1 (8) (x))", "1:6: expected a name of letters"),
            ("(for N (1) (for N (2) (x)))", "1:17: expected a name of letters"),
            ("(for N (8 a) (x))", "1:11: expected an integer"),
            ("(for (M N) (8) (x))", "1:13: expected 2 for M N, found 1"),
            ("(for N (8) (x {M}))", "1:15: '{M}' is no number: expected N and numbers"),
            ("(for N (8) (x {}))", "1:15: '{}' is no number"),
            ("(for N (8) (x {N))", "1:15: '{' is never closed"),
            ("(for N (200) (x {2^N}))", "1:17: '{2^N}' is too large"),
            ("(for N (0) (x {1/N}))", "1:15: '{1/N}' is too large"),
            ("(for N (0) (x {2^N-1-N^2^2}))", "1:15: '{2^N-1-N^2^2}' is no number"),
        ] {
            let found = all(text).unwrap_err();
            assert!(found.starts_with(mistake), "{text}: {found}");
        }
    }

    #[test]
    fn short_files_stay_small() {
        let many = "1 ".repeat(100);
        let text = (0..6).fold("(x)".to_owned(), |body, i| {
            format!("(for {} ({many}) {body})", char::from(b'a' + i))
        });
        assert!(all(&text).unwrap_err().contains("more than 1048576 atoms"));
    }
}
