//! The top-level forms of a rules file, and the file without some of them.

use crate::text::sexpr::{ParseError, parse_all};
use std::ops::Range;

/// Where a form stands in the text, in bytes, and at which line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Where it stands.
    pub bytes: Range<usize>,
    /// The line and the column of its parenthesis, from 1.
    pub place: (u32, u32),
}

/// The forms of a text, in its order.
///
/// # Errors
/// It is no list of s-expressions.
pub fn forms(text: &str) -> Result<Vec<Form>, ParseError> {
    let places = parse_all(text)?.into_iter().map(|form| (form.place().line, form.place().column));
    Ok(places.zip(spans(text)).map(|(place, bytes)| Form { bytes, place }).collect())
}

/// From each parenthesis that is in no other to the one that closes it; outside of them stand comments only.
fn spans(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut depth, mut begin, mut comment) = (Vec::new(), 0u32, 0, false);
    for (at, char) in text.char_indices() {
        match char {
            '\n' | '\r' => comment = false,
            _ if comment => {}
            ';' => comment = true,
            '(' => {
                if depth == 0 {
                    begin = at;
                }
                depth += 1;
            }
            ')' => {
                depth -= 1;
                if depth == 0 {
                    found.push(begin..at + 1);
                }
            }
            _ => {}
        }
    }
    found
}

/// The text without some of its forms; of a line of which nothing else is left, nothing stays.
pub fn text_without(text: &str, forms: &[Form], left_out: &[bool]) -> String {
    let mut found = String::new();
    let mut at = 0;
    for (form, _) in forms.iter().zip(left_out).filter(|(_, out)| **out) {
        let (mut begin, mut end) = (form.bytes.start, form.bytes.end);
        let blank = |part: &str| part.chars().all(|c| c == ' ' || c == '\t');
        let line_begins = text[..begin].rfind('\n').map_or(0, |newline| newline + 1);
        let line_ends = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
        if line_begins >= at
            && blank(&text[line_begins..begin])
            && blank(text[end..line_ends].trim_end_matches(['\n', '\r']))
        {
            (begin, end) = (line_begins, line_ends);
        }
        found += &text[at..begin];
        at = end;
    }
    found + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_go_with_their_lines_and_comments_stay() {
        let text = "; (not a form)\n(sort S) (op f (S) S)\n  (rewrite (f ?a)\n    ?a) \n(variable S) ; end";
        let all = forms(text).unwrap();
        assert_eq!(
            all.iter().map(|form| form.place).collect::<Vec<_>>(),
            [(2, 1), (2, 10), (3, 3), (5, 1)]
        );
        let without = |which: &[usize]| {
            let out: Vec<bool> = (0..all.len()).map(|i| which.contains(&i)).collect();
            text_without(text, &all, &out)
        };
        assert_eq!(without(&[]), text);
        assert_eq!(without(&[2]), "; (not a form)\n(sort S) (op f (S) S)\n(variable S) ; end");
        assert_eq!(
            without(&[0, 3]),
            "; (not a form)\n (op f (S) S)\n  (rewrite (f ?a)\n    ?a) \n ; end"
        );
    }
}
