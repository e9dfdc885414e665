//! Configuration files in TOML, with mistakes reported as `file:line:column: message`.

use super::input::InputFile;
use super::text::{place_after, text_of};
use anyhow::{Result, anyhow};
use serde::de::DeserializeOwned;

/// Reads a configuration. Give `T` the attribute `serde(deny_unknown_fields)`, so that a
/// mistyped key is an error too.
///
/// # Errors
/// The file can't be read, is not TOML, or has a key or value that `T` does not know.
pub fn read_toml<T: DeserializeOwned>(file: &InputFile) -> Result<T> {
    let text = text_of(file.read("the configuration")?, file.path())?;
    toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
        let (line, column) = place_after(before);
        anyhow!("{file}:{line}:{column}: {}", error.message())
    })
}
