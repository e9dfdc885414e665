//! What commands on files of MLIR have in common.

use anyhow::{Result, anyhow, ensure};
use egraph::{ParseError, Place, System};
use interop::{Mlir, MlirTable, MlirTool};
use std::path::Path;
use support::{InputFile, note, text_of};

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

/// A file of MLIR. One that is not in the generic form is written in it by mlir-opt or xdsl-opt, if there is one, and that is
/// said.
///
/// # Errors
/// It can't be read, the program does not read it, or the first mistake, with its place.
pub fn load_mlir(path: &Path) -> Result<Mlir> {
    let bytes = InputFile::Path(path.to_owned()).read("the MLIR")?;
    let mistake = match Mlir::parse(&text_of(bytes, path)?) {
        Ok(mlir) => return Ok(mlir),
        Err(mistake) => mistake,
    };
    if !Mlir::is_pretty(&mistake) {
        return Err(in_file(path, &mistake));
    }
    let Some(tool) = MlirTool::find(&|name| std::env::var_os(name)) else {
        let none = "neither mlir-opt nor xdsl-opt was found on the PATH, nor named by MLIR_OPT or XDSL_OPT";
        return Err(anyhow!("{}; {none}", in_file(path, &mistake)));
    };
    note(&format!("{} is not in the generic form: {tool} writes it", path.display()));
    let text = tool.generic(path).map_err(|why| anyhow!("{}: {tool}: {why}", path.display()))?;
    let of_tool = |mistake: ParseError| {
        let ParseError { place: Place { line, column }, message } = mistake;
        anyhow!("{}: what {tool} writes, at {line}:{column}: {message}", path.display())
    };
    Mlir::parse(&text).map_err(of_tool)
}

/// A mistake in a file of MLIR.
pub fn in_file(path: &Path, mistake: &ParseError) -> anyhow::Error {
    let ParseError { place: Place { line, column }, message } = mistake;
    anyhow!("{}:{line}:{column}: {message}", path.display())
}
