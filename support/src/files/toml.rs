//! Configuration files in TOML, with mistakes reported as `file:line:column: message`.

use super::text::place_after;
use anyhow::{Context, Result, anyhow};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Reads a configuration. Give `T` the attribute `serde(deny_unknown_fields)`, so that a
/// mistyped key is an error too.
///
/// # Errors
/// The file can't be read, is not TOML, or has a key or value that `T` does not know.
pub fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the configuration {name}"))?;
    toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
        let (line, column) = place_after(before);
        anyhow!("{name}:{line}:{column}: {}", error.message())
    })
}
