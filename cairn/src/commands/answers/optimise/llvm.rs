//! `cairn optimise --llvm`: each value that a function of LLVM IR needs, computed by the best term that equals it.

use crate::commands::answers::optimise::given::Given;
use crate::commands::answers::optimise::values::{self, ValuesOf};
use crate::inputs::mlir_file::in_file;
use anyhow::Result;
use egraph::TermBank;
use interop::Llvm;
use std::path::{Path, PathBuf};
use support::{OutputDir, read_text};

/// A file of LLVM IR.
#[derive(Clone, Debug, clap::Args)]
#[group(conflicts_with_all = ["MlirFile", "CSource", "goal", "first", "model", "exact_time"])]
pub struct LlvmFile {
    /// A file of LLVM IR as text, for a system with words of several widths, as words: each value of integers that its functions
    /// need is computed by the best term, and the result is printed. All other text stays as it is. --out is a directory for
    /// the file and the proofs
    #[arg(long, value_name = "FILE")]
    pub llvm: Option<PathBuf>,
}

/// The file that marks a directory of what was optimised.
const OPTIMISED: &str = "optimised.ll";

/// Prints the module of `file`, with a comment on each value; writes it and the proofs into `out`.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(file: &Path, out: Option<&Path>, given: &Given) -> Result<()> {
    let out = out.map(|out| OutputDir::create(out, OPTIMISED)).transpose()?;
    let text = read_text(file, "LLVM IR")?;
    let module = Llvm::parse(&text).map_err(|mistake| in_file(file, &mistake))?;
    let mut bank = TermBank::new(given.system.language.clone());
    let values = module.values(&mut bank).map_err(|mistake| in_file(file, &mistake))?;
    let objective = |sort| given.objective(sort);
    let of = ValuesOf { values: &values, objective: &objective, comment: ";", name: OPTIMISED };
    values::run(&of, text, &mut bank, given, out.as_ref(), &mut |bank, best, cost| {
        module.rewrite(bank, best, cost).map_err(|mistake| in_file(file, &mistake))
    })
}
