//! S-expressions with the place of every atom, the one surface syntax of Cairn.
//!
//! A comment runs from `;` to the end of its line. Nesting is parsed and dropped with an explicit stack, so
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

impl Place {
    /// The place after the character `c` at this one, if `next` follows. Lines end with a line
    /// feed, a carriage return, or both.
    fn after(self, c: char, next: Option<&char>) -> Place {
        match c {
            '\n' => Place { line: self.line + 1, column: 1 },
            '\r' if next != Some(&'\n') => Place { line: self.line + 1, column: 1 },
            BYTE_ORDER_MARK if (self.line, self.column) == (1, 1) => self,
            _ => Place { column: self.column + 1, ..self },
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Of a text.
const START: Place = Place { line: 1, column: 1 };

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
    /// An error at `place`. Of a message that quotes a very long text the middle is left out.
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        ParseError { place, message: elide(message.into()) }
    }
}

/// Characters that are kept at the beginning and at the end of a message.
const KEPT: usize = 200;

fn elide(message: String) -> String {
    let length = message.chars().count();
    if length <= 2 * KEPT {
        return message;
    }
    let head: String = message.chars().take(KEPT).collect();
    let tail: String = message.chars().skip(length - KEPT).collect();
    format!("{head} … {tail}")
}

/// The mark that some editors write at the beginning of a file; no part of its text.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of a file.
///
/// # Errors
/// The bytes are not UTF-8; the place is that of the first that is not.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, ParseError> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let mut place = START;
        let mut chars = std::str::from_utf8(valid).unwrap_or_default().chars().peekable();
        while let Some(c) = chars.next() {
            place = place.after(c, chars.peek());
        }
        ParseError::new(place, "expected text in UTF-8, found other bytes")
    })
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

impl Drop for Sexpr {
    fn drop(&mut self) {
        let Sexpr::List(items, _) = self else { return };
        let mut left = std::mem::take(items);
        while let Some(mut next) = left.pop() {
            if let Sexpr::List(items, _) = &mut next {
                left.append(items);
            }
        }
    }
}

/// Whether a character can be part of an atom.
pub(crate) fn is_of_atom(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | ';' | BYTE_ORDER_MARK)
}

/// Deeper nesting than this is refused, so that what is read from text may be recursed on safely.
pub const MAX_DEPTH: usize = 1_000;

/// As [`MAX_DEPTH`], of terms, which nothing recurses on: a sum of many summands is as deep.
pub const MAX_TERM_DEPTH: usize = 30_000;

/// Reads all s-expressions of `text`.
///
/// # Errors
/// An unbalanced parenthesis, nesting beyond [`MAX_DEPTH`], or a byte order mark that is not at
/// the beginning.
pub fn parse_all(text: &str) -> Result<Vec<Sexpr>, ParseError> {
    parse_from(text, START, MAX_DEPTH)
}

/// As [`parse_all`], for terms: nested up to [`MAX_TERM_DEPTH`], so nobody may recurse on them.
///
/// # Errors
/// As [`parse_all`].
pub fn parse_terms(text: &str) -> Result<Vec<Sexpr>, ParseError> {
    parse_from(text, START, MAX_TERM_DEPTH)
}

/// Reads what can be read of a text with mistakes: the expressions of those parts that have none, and the
/// mistakes of the others. A part begins with a line that begins with a parenthesis.
pub(crate) fn parse_parts(text: &str) -> (Vec<Sexpr>, Vec<ParseError>) {
    let (mut done, mut mistakes) = (Vec::new(), Vec::new());
    let (mut start, mut first_line) = (0, 1);
    let mut line = 1;
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        let ends = at == text.len() || (c == '\n' && text[at + 1..].starts_with('('));
        line += u32::from(c == '\n');
        if ends {
            let part = &text[start..text.len().min(at + 1)];
            match parse_from(part, Place { line: first_line, column: 1 }, MAX_DEPTH) {
                Ok(all) => done.extend(all),
                Err(mistake) => mistakes.push(mistake),
            }
            (start, first_line) = (at + 1, line);
        }
    }
    (done, mistakes)
}

fn parse_from(text: &str, start: Place, depth: usize) -> Result<Vec<Sexpr>, ParseError> {
    let mut open: Vec<(Vec<Sexpr>, Place)> = Vec::new();
    let mut done = Vec::new();
    let mut place = start;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let here = place;
        place = here.after(c, chars.peek());
        match c {
            BYTE_ORDER_MARK if place == here => {}
            ';' => while chars.next_if(|&c| !matches!(c, '\n' | '\r')).is_some() {},
            '(' => {
                if open.len() >= depth {
                    return Err(nested_too_deep(here, depth));
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
            // Nobody sees it, and where a text begins with it it goes away.
            BYTE_ORDER_MARK => {
                return Err(ParseError::new(here, "an invisible byte order mark (U+FEFF)"));
            }
            c => {
                let mut atom = String::from(c);
                while let Some(c) = chars.next_if(|&c| is_of_atom(c)) {
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

/// That something at this place is deeper than it may be.
pub(crate) fn nested_too_deep(place: Place, depth: usize) -> ParseError {
    ParseError::new(place, format!("parentheses are nested more than {depth} deep"))
}

/// Reads exactly one s-expression.
///
/// # Errors
/// As [`parse_all`], and when there is no expression or more than one.
pub fn parse_one(text: &str) -> Result<Sexpr, ParseError> {
    only(parse_all(text)?)
}

/// As [`parse_one`], for a term: nested up to [`MAX_TERM_DEPTH`], so nobody may recurse on it.
///
/// # Errors
/// As [`parse_one`].
pub fn parse_term(text: &str) -> Result<Sexpr, ParseError> {
    only(parse_terms(text)?)
}

fn only(all: Vec<Sexpr>) -> Result<Sexpr, ParseError> {
    let mut all = all.into_iter();
    let first =
        all.next().ok_or_else(|| ParseError::new(START, "expected a term, found nothing"))?;
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
        let deep = |depth| "(".repeat(depth) + &")".repeat(depth);
        assert!(parse_all(&deep(MAX_DEPTH)).is_ok());
        assert!(parse_all(&deep(MAX_DEPTH + 1)).unwrap_err().message.contains("nested"));
        assert!(parse_term(&deep(MAX_TERM_DEPTH)).is_ok());
        assert!(parse_term(&deep(MAX_TERM_DEPTH + 1)).unwrap_err().message.contains("nested"));
    }

    #[test]
    fn lines_end_with_either_character_or_both() {
        for end in ["\n", "\r", "\r\n"] {
            let message = parse_all(" a\u{feff}").unwrap_err().to_string();
            assert_eq!(message, "1:3: an invisible byte order mark (U+FEFF)");
            let all = parse_all(&format!("\u{feff}a ; one{end}; two{end}{end} b{end}")).unwrap();
            let places: Vec<_> = all.iter().map(|s| s.place().to_string()).collect();
            assert_eq!(places, ["1:1", "4:2"], "{end:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_reported_where_they_stand() {
        let error = utf8(b"(sort I)\n; \xc3\xa4 \xff".to_vec()).unwrap_err();
        assert_eq!(error.place, Place { line: 2, column: 5 });
    }

    #[test]
    fn messages_do_not_repeat_a_long_text() {
        let place = Place { line: 1, column: 1 };
        let message =
            ParseError::new(place, format!("unknown '{}' here", "x".repeat(9_999))).message;
        assert!(message.starts_with("unknown 'xxx") && message.ends_with("xxx' here"));
        assert!(message.len() < 500, "{message}");
    }

    #[test]
    fn one_means_one() {
        assert!(parse_one("").is_err());
        assert!(parse_one("a b").is_err());
    }
}
