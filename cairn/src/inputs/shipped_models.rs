//! Trained models that come with the program, in a directory beside it: they are too large to be carried inside of it.

use clap::builder::{PathBufValueParser, TypedValueParser};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The environment variable that says where they are.
const PLACE: &str = "CAIRN_MODELS";

/// Where a package that carries the program keeps them.
static CARRIED: OnceLock<PathBuf> = OnceLock::new();

/// Says where a package that carries the program keeps its models; the first of several counts.
pub fn keep_models_in(directory: PathBuf) {
    let _ = CARRIED.set(directory);
}

/// What an argument means: a directory, or, if there is no such one, a model that comes with the program by its name. What
/// is neither comes back as it is, for a message of who reads it.
pub fn model_directory(argument: &Path) -> PathBuf {
    let name = argument.file_name().filter(|name| *name == argument.as_os_str());
    match name {
        Some(name) if !argument.exists() => places()
            .map(|place| place.join(name))
            .find(|model| model.is_dir())
            .unwrap_or_else(|| argument.to_owned()),
        _ => argument.to_owned(),
    }
}

/// Reads an argument so.
pub fn model_parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|argument| model_directory(&argument))
}

/// Where models may be: where the environment says, in the package, in `share/` beside the program's directory, in `models/`
/// here.
fn places() -> impl Iterator<Item = PathBuf> {
    let beside = || Some(env::current_exe().ok()?.parent()?.parent()?.join("share/cairn/models"));
    let said = env::var_os(PLACE).filter(|place| !place.is_empty()).map(PathBuf::from);
    [said, CARRIED.get().cloned(), beside(), Some("models".into())].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_a_model_that_comes_with_the_program_unless_there_is_a_directory() {
        let kept = tempfile::tempdir().unwrap();
        std::fs::create_dir(kept.path().join("tiling")).unwrap();
        keep_models_in(kept.path().to_owned());
        assert_eq!(model_directory(Path::new("tiling")), kept.path().join("tiling"));
        for other in ["./tiling", "a/tiling", "unknown", "", "src"] {
            assert_eq!(model_directory(Path::new(other)), Path::new(other));
        }
    }
}
