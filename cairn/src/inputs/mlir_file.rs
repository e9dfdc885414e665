//! What commands on files of MLIR have in common.

use anyhow::{Result, anyhow, ensure};
use egraph::{ParseError, Place, System};
use interop::{Mlir, MlirTable};
use std::path::Path;
use support::{InputFile, text_of};

/// The operations that the operators of a system are.
///
/// # Errors
/// The rules file says nothing of it, or the first mistake, with its place.
pub fn load_table(file: &InputFile, system: &System) -> Result<MlirTable> {
    ensure!(
        !system.mlir.is_empty(),
        "{file} says of no operator which operation of MLIR it is: expected (mlir …), as \
         (mlir (type Int i32) (+ \"arith.addi\"))"
    );
    MlirTable::of(system).map_err(|mistake| anyhow!("{file}:{mistake}"))
}

/// A file of MLIR in the generic form.
///
/// # Errors
/// It can't be read, or the first mistake, with its place.
pub fn load_mlir(path: &Path) -> Result<Mlir> {
    let bytes = InputFile::Path(path.to_owned()).read("the MLIR")?;
    Mlir::parse(&text_of(bytes, path)?).map_err(|mistake| in_file(path, &mistake))
}

/// A mistake in a file of MLIR.
pub fn in_file(path: &Path, mistake: &ParseError) -> anyhow::Error {
    let ParseError { place: Place { line, column }, message } = mistake;
    anyhow!("{}:{line}:{column}: {message}", path.display())
}
