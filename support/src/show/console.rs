//! What is said on the standard output and on the standard error. Nothing here panics.

use anyhow::{Context, Result};
use std::borrow::Cow;
use std::io::Write;

/// Writes to the standard output: what a command was asked for.
///
/// # Errors
/// It can't be written. That its reader went away is told apart by the kind of the
/// [`std::io::Error`], which stays in the chain.
///
/// Control characters other than ends of lines and tabs are written as `\u202e`.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(visible(text).as_bytes()).and_then(|()| out.flush());
    written.context("cannot write to the standard output")
}

/// Writes a line to the standard error: progress and remarks. Where that can't be read, nobody
/// misses it.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(line));
}

/// A text in which control characters other than ends of lines and tabs, and those that turn the
/// direction of writing, are written as `\u202e`. A name in a file from elsewhere could otherwise
/// move the cursor and make a terminal show what was not said. JSON stays the same JSON.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut seen = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unseen(c) {
            seen += &format!("\\u{:04x}", u32::from(c));
        } else {
            seen.push(c);
        }
    }
    Cow::Owned(seen)
}

pub(crate) fn is_unseen(c: char) -> bool {
    let directs = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    directs || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_not_forge_what_is_shown() {
        assert_eq!(visible("(+ a é)\t→\n"), "(+ a é)\t→\n");
        assert_eq!(visible("a\r\u{1b}[2Kb"), "a\\u000d\\u001b[2Kb");
        assert_eq!(visible("\u{202e}x\u{2069}\u{85}"), "\\u202ex\\u2069\\u0085");
    }
}
