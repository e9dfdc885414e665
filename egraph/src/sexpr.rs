//! S-expressions with the place of every atom, the one surface syntax of Cairn.
//!
//! A comment runs from `;` to the end of its line. Nesting is parsed with an explicit stack, so
//! no input, however deep, can overflow the thread's stack.

use std::fmt;

/// A place in a text: line and column, both counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with a text, and where. Displays as `line:column: message`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ParseError {
    /// Where the mistake is.
    pub place: Place,
    /// What was expected, or what is wrong.
    pub message: String,
}

impl ParseError {
    /// An error at `place`.
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        ParseError { place, message: message.into() }
    }
}

/// An atom or a list, with the place where it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sexpr {
    /// A token without parentheses or white space.
    Atom(String, Place),
    /// A parenthesised list.
    List(Vec<Sexpr>, Place),
}

impl Sexpr {
    /// Where the expression starts.
    pub fn place(&self) -> Place {
        match self {
            Sexpr::Atom(_, place) | Sexpr::List(_, place) => *place,
        }
    }

    /// The text of an atom, `None` for a list.
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(text, _) => Some(text),
            Sexpr::List(..) => None,
        }
    }

    /// The items of a list, `None` for an atom.
    pub fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::List(items, _) => Some(items),
            Sexpr::Atom(..) => None,
        }
    }
}

/// Deeper nesting than this is refused: later stages may then recurse on terms safely.
pub const MAX_DEPTH: usize = 1_000;

/// Reads all s-expressions of `text`.
///
/// # Errors
/// An unbalanced parenthesis, or nesting beyond [`MAX_DEPTH`].
pub fn parse_all(text: &str) -> Result<Vec<Sexpr>, ParseError> {
    let mut open: Vec<(Vec<Sexpr>, Place)> = Vec::new();
    let mut done = Vec::new();
    let mut place = Place { line: 1, column: 1 };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let here = place;
        place.column += 1;
        match c {
            '\n' => place = Place { line: place.line + 1, column: 1 },
            ';' => while chars.next_if(|&c| c != '\n').is_some() {},
            '(' => {
                if open.len() >= MAX_DEPTH {
                    return Err(ParseError::new(
                        here,
                        format!("parentheses are nested more than {MAX_DEPTH} deep"),
                    ));
                }
                open.push((Vec::new(), here));
            }
            ')' => {
                let (items, start) = open
                    .pop()
                    .ok_or_else(|| ParseError::new(here, "')' without an opening '(' before it"))?;
                let siblings = open.last_mut().map_or(&mut done, |(items, _)| items);
                siblings.push(Sexpr::List(items, start));
            }
            c if c.is_whitespace() => {}
            c => {
                let mut atom = String::from(c);
                while let Some(c) =
                    chars.next_if(|&c| !c.is_whitespace() && !matches!(c, '(' | ')' | ';'))
                {
                    atom.push(c);
                    place.column += 1;
                }
                let siblings = open.last_mut().map_or(&mut done, |(items, _)| items);
                siblings.push(Sexpr::Atom(atom, here));
            }
        }
    }
    match open.pop() {
        Some((_, start)) => Err(ParseError::new(start, "'(' is never closed")),
        None => Ok(done),
    }
}

/// Reads exactly one s-expression.
///
/// # Errors
/// As [`parse_all`], and when there is no expression or more than one.
pub fn parse_one(text: &str) -> Result<Sexpr, ParseError> {
    let mut all = parse_all(text)?.into_iter();
    let first = all.next().ok_or_else(|| {
        ParseError::new(Place { line: 1, column: 1 }, "expected a term, found nothing")
    })?;
    match all.next() {
        None => Ok(first),
        Some(second) => {
            Err(ParseError::new(second.place(), "expected the end of the text after one term"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_from_one_and_skip_comments() {
        let all = parse_all("; first\n (a b) ; rest\nc").unwrap();
        assert_eq!(all[0].place(), Place { line: 2, column: 2 });
        assert_eq!(all[0].list().unwrap()[1].place(), Place { line: 2, column: 5 });
        assert_eq!(all[1], Sexpr::Atom("c".into(), Place { line: 3, column: 1 }));
    }

    #[test]
    fn unbalanced_parentheses_are_reported_where_they_stand() {
        assert_eq!(parse_all("(a\n (b").unwrap_err().to_string(), "2:2: '(' is never closed");
        assert_eq!(parse_all("a )").unwrap_err().place, Place { line: 1, column: 3 });
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = "(".repeat(MAX_DEPTH + 1);
        assert!(parse_all(&deep).unwrap_err().message.contains("nested"));
    }

    #[test]
    fn one_means_one() {
        assert!(parse_one("").is_err());
        assert!(parse_one("a b").is_err());
    }
}
