//! `cairn optimise --mlir`: each value that a function needs, computed by the best term that equals it.

use crate::commands::answers::optimise::given::Given;
use crate::commands::answers::optimise::values::{self, ValuesOf};
use crate::inputs::mlir_file::{in_file, load_mlir, load_table};
use anyhow::Result;
use egraph::TermBank;
use guided_search::Objective;
use interop::mlir_lacks;
use std::path::{Path, PathBuf};
use support::{InputFile, OutputDir};

/// A file of MLIR.
#[derive(Clone, Debug, clap::Args)]
#[group(conflicts_with_all = ["goal", "first", "model", "exact_time"])]
pub struct MlirFile {
    /// A file of MLIR in the generic form (mlir-opt --mlir-print-op-generic): each value that its functions need is
    /// computed by the best term, and the result is printed. The rules file says which operations its operators are,
    /// in (mlir …); a system with words of several widths, as words, needs none for arith's integers. What else there
    /// is stays as it is, in its order. --out is a directory for the proofs
    #[arg(long, value_name = "FILE")]
    pub mlir: Option<PathBuf>,
}

/// The file that marks a directory of what was optimised.
const OPTIMISED: &str = "optimised.mlir";

/// Prints the module of `file`, with a comment on each value; writes it and the proofs into `out`. A system that says of no
/// operator which operation it is, and has words of several widths, computes the integers of MLIR.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(file: &Path, out: Option<&Path>, rules: &InputFile, given: &Given) -> Result<()> {
    let system = &given.system;
    let lacks = mlir_lacks(&system.language).filter(|_| system.mlir.is_empty());
    let table = match lacks {
        Some(_) => None,
        None => Some(load_table(rules, system)?),
    };
    let out = out.map(|out| OutputDir::create(out, OPTIMISED)).transpose()?;
    let mut mlir = load_mlir(file)?;
    let mut bank = TermBank::new(system.language.clone());
    let values = match &table {
        Some(table) => mlir.values(table, &mut bank),
        None => mlir.word_values(&mut bank),
    };
    let values = values.map_err(|mistake| in_file(file, &mistake))?;
    let missing = table.as_ref().map(|table| table.missing(&system.language));
    let missing = missing.or(lacks).unwrap_or_default();
    let objective = |sort| {
        let objective = given.objective(sort)?;
        Ok(Objective { cost: objective.cost.without(&missing), ..objective })
    };
    let text = mlir.to_string();
    let of = ValuesOf { values: &values, objective: &objective, comment: "//", name: OPTIMISED };
    values::run(&of, text, &mut bank, given, out.as_ref(), &mut |bank, best, cost| {
        let told = match &table {
            Some(table) => mlir.rewrite(table, bank, best, cost).map(|taken| {
                let why = "with it the function would cost no less";
                taken.into_iter().map(|taken| if taken { Ok(()) } else { Err(why) }).collect()
            }),
            None => mlir.rewrite_words(bank, best, cost),
        };
        Ok((mlir.to_string(), told.map_err(|mistake| in_file(file, &mistake))?))
    })
}
