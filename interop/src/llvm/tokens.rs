//! Tokens of LLVM IR and where they stand.

use egraph::{ParseError, Place};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A keyword, a type or a number.
    Word,
    /// A value, a block or a type of its own, as `%x`: its name, in quotes only where it needs them.
    Local(String),
    /// `@f`, likewise.
    Global(String),
    /// `!dbg`, `!7` and what begins with `#`.
    Mark,
    /// A text in quotes.
    Quoted,
    Comment,
    /// A character by itself.
    Sign(char),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    /// Its bytes in the whole text.
    pub at: Range<usize>,
}

/// The place of a byte.
pub fn place(text: &str, at: usize) -> Place {
    let before = &text[..at];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let count = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
    Place {
        line: count(before.matches('\n').count()),
        column: count(text[line..at].chars().count()),
    }
}

pub fn error(text: &str, at: usize, message: impl Into<String>) -> ParseError {
    ParseError::new(place(text, at), message)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-' | '+')
}

/// Whether a name that begins like this needs no quotes.
fn is_plain(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| is_word(c) && c != '+')
}

/// The name of what a text in quotes names, or a text without.
pub fn named(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| is_plain(inner)).unwrap_or(text).to_owned()
}

/// Whether a name is a number with zeros before it: another name of what that number names.
pub fn has_zeros_before(name: &str) -> bool {
    name.len() > 1 && name.starts_with('0') && name.chars().all(|c| c.is_ascii_digit())
}

/// What is said of such a name, and of one that only begins as a number.
pub fn no_number(text: &str, at: usize, name: &str) -> ParseError {
    error(text, at, format!("{name}: expected a number, without zeros before it"))
}

/// The tokens of a part of a text.
///
/// # Errors
/// Quotes that are not closed; `%02`, which is another name of `%2`, and `%2x`; a word with a `$` in it, which only a label has.
pub fn tokens(text: &str, part: Range<usize>) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = part.start;
    while let Some(first) = text[at..part.end].chars().next() {
        let start = at;
        let rest = |at: usize| &text[at..part.end];
        let run = |at: usize| {
            let more = rest(at);
            more.len() - more.trim_start_matches(is_word).len()
        };
        let quoted = |at: usize| match rest(at + 1).find('"') {
            Some(end) => Ok(at + end + 2),
            None => Err(error(text, at, "'\"' is never closed")),
        };
        at += first.len_utf8();
        let kind = match first {
            _ if first.is_whitespace() => continue,
            ';' => {
                at = start + rest(start).find('\n').unwrap_or(rest(start).len());
                Kind::Comment
            }
            '"' => {
                at = quoted(start)?;
                Kind::Quoted
            }
            '%' | '@' | '!' | '#' => {
                at = if rest(at).starts_with('"') { quoted(at)? } else { at + run(at) };
                let name = &text[start + 1..at];
                let digits = name.starts_with(|c: char| c.is_ascii_digit());
                let number = digits && name.chars().all(|c| c.is_ascii_digit());
                match first {
                    _ if name.is_empty() => Kind::Sign(first),
                    '%' | '@' if digits && (!number || has_zeros_before(name)) => {
                        return Err(no_number(text, start, &text[start..at]));
                    }
                    '%' => Kind::Local(named(name)),
                    '@' => Kind::Global(named(name)),
                    _ => Kind::Mark,
                }
            }
            _ if is_word(first) => {
                at = start + run(start);
                let word = &text[start..at];
                // `$f` is a comdat.
                let has_dollar = !word.starts_with('$') && word.contains('$');
                if has_dollar && !rest(at).starts_with(':') {
                    let message = format!("{word}: expected a keyword, a type or a number");
                    return Err(error(text, start, message));
                }
                Kind::Word
            }
            _ => Kind::Sign(first),
        };
        tokens.push(Token { kind, at: start..at });
    }
    Ok(tokens)
}
