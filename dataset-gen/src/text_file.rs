//! Text files that people write: UTF-8, with any line ends, with or without a byte order mark.

use anyhow::{Context, Result, anyhow};
use egraph::utf8;
use std::path::Path;

/// The text of a file of `what`, without a byte order mark and with a line feed at the end of each line.
///
/// # Errors
/// The file can't be read, or is not UTF-8 (with the place).
pub fn read_text(path: &Path, what: &str) -> Result<String> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {what} from {name}"))?;
    let text = utf8(bytes).map_err(|mistake| anyhow!("{name}:{mistake}"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
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
