//! Self-contained pages: no network, no JavaScript.

use crate::files::whole_file::first_bytes;
use std::path::Path;

/// What every page begins with.
const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

/// Whether a file is a page with this title.
pub fn has_title(path: &Path, title: &str) -> bool {
    let begin = format!("{HEAD}<title>{}</title>", escape(title));
    first_bytes(path).is_ok_and(|text| text.starts_with(&begin))
}

/// A page with `body` as its content, and `style` (CSS) after that of all pages.
pub fn page(title: &str, style: &str, body: &str) -> String {
    let common = include_str!("page.css");
    let title = escape(title);
    format!(
        "{HEAD}<title>{title}</title>\n<style>\n{common}{style}</style>\n</head>\n<body>\n\
         <main>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// Text for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escape("(< a \"b\")"), "(&lt; a &quot;b&quot;)");
        assert!(page("a < b", "", "").contains("<title>a &lt; b</title>"));
    }
}
