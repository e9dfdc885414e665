//! Self-contained pages: no network, no JavaScript.

use crate::files::whole_file::first_bytes;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::path::Path;

/// Whether a file is a page with this title.
pub fn has_title(path: &Path, title: &str) -> bool {
    let title = html! { title { (title) } }.into_string();
    first_bytes(path)
        .is_ok_and(|text| text.starts_with(&DOCTYPE.into_string()) && text.contains(&title))
}

/// A page with `body` as its content, and `style` (CSS) after that of all pages.
pub fn page(title: &str, style: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("page.css"))) (PreEscaped(style)) }
            }
            body { main { (body) } }
        }
    };
    page.into_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_known_by_its_title_and_text_is_no_markup() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.html");
        let text = page("a < b", "", &html! { p { "(< a \"b\")" } });
        assert!(text.contains("<p>(&lt; a &quot;b&quot;)</p>"));
        std::fs::write(&path, text).unwrap();
        assert!(has_title(&path, "a < b") && !has_title(&path, "a"));
    }
}
