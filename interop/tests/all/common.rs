//! What the tests of the import share.

use egraph::ParseError;
use interop::Imported;

/// The import of a program that may include `more.egg` only.
pub fn import_egglog(program: &str) -> Result<Imported, ParseError> {
    interop::import_egglog(program, &|file| match file {
        "more.egg" => Ok("(datatype M (O) (S M))\n(include \"others.egg\")".to_owned()),
        _ => Err("there is no such file".to_owned()),
    })
}
