//! Text files that people write: UTF-8, with any line ends, with or without a byte order mark.

use anyhow::{Context, Result, anyhow};
use std::path::Path;

/// The text of a file of `what`, without a byte order mark and with a line feed at the end of each line.
///
/// # Errors
/// The file can't be read, or is not UTF-8 (with the place).
pub fn read_text(path: &Path, what: &str) -> Result<String> {
    text_of(read_bytes(path, what)?, path)
}

/// What a file of `what` holds.
///
/// # Errors
/// The file can't be read.
pub fn read_bytes(path: &Path, what: &str) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {what} from {}", path.display()))
}

/// As [`read_text`], of a file that is read already.
///
/// # Errors
/// It is not UTF-8 (with the place).
pub fn text_of(bytes: Vec<u8>, path: &Path) -> Result<String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let (line, column) = place_after(std::str::from_utf8(valid).unwrap_or_default());
        anyhow!("{}:{line}:{column}: expected text in UTF-8, found other bytes", path.display())
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Line and column, from 1, of what comes after a text.
pub fn place_after(text: &str) -> (usize, usize) {
    let line = text.rsplit('\n').next().unwrap_or_default();
    (text.matches('\n').count() + 1, line.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_line_ends_make_no_difference_and_other_bytes_have_a_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.txt");
        for text in ["a\nb\n", "\u{feff}a\r\nb\r\n", "a\rb\r"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read_text(&path, "lines").unwrap(), "a\nb\n", "{text:?}");
        }
        std::fs::write(&path, b"a\nb\xff").unwrap();
        assert!(read_text(&path, "lines").unwrap_err().to_string().ends_with(
            "t.txt:2:2: expected text in \
            UTF-8, found other bytes"
        ));
    }
}
