//! `cairn optimise --mlir`: each value that a function needs, computed by the best term that equals it.

use crate::commands::answers::optimise::given::Given;
use crate::commands::answers::optimise::part_of_file::{Optimised, optimised};
use crate::inputs::mlir_file::{in_file, load_mlir, load_table};
use anyhow::Result;
use egraph::{TermBank, TermId};
use guided_search::Objective;
use interop::MlirValue;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use support::{InputFile, OutputDir, print, write_atomic};

/// A file of MLIR.
#[derive(Clone, Debug, clap::Args)]
#[group(conflicts_with_all = ["goal", "first", "model", "exact_time"])]
pub struct MlirFile {
    /// A file of MLIR in the generic form (mlir-opt --mlir-print-op-generic): each value that its functions need is
    /// computed by the best term, and the result is printed. The rules file says which operations its operators are,
    /// in (mlir …); what it does not name stays as it is, in its order. --out is a directory for the proofs
    #[arg(long, value_name = "FILE")]
    pub mlir: Option<PathBuf>,
}

/// The file that marks a directory of what was optimised.
const OPTIMISED: &str = "optimised.mlir";

/// Prints the module of `file`, with a comment on each value; writes it and the proofs into `out`.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(file: &Path, out: Option<&Path>, rules: &InputFile, given: &Given) -> Result<()> {
    let system = &given.system;
    let table = &load_table(rules, system)?;
    let out = out.map(|out| OutputDir::create(out, OPTIMISED)).transpose()?;
    let mut mlir = load_mlir(file)?;
    let mut bank = TermBank::new(system.language.clone());
    let values = mlir.values(table, &mut bank).map_err(|mistake| in_file(file, &mistake))?;
    let missing = table.missing(&system.language);
    let objective = |sort| {
        let objective = given.objective(sort)?;
        anyhow::Ok(Objective { cost: objective.cost.without(&missing), ..objective })
    };
    let mut found: HashMap<TermId, Optimised> = HashMap::new();
    for MlirValue { term, .. } in &values {
        if !found.contains_key(term) {
            let objective = objective(bank.sort(*term))?;
            let better = optimised(system, &mut bank, *term, &objective, &given.settings)?;
            found.insert(*term, better);
        }
    }
    let best = |term| found.get(&term).map_or(term, |found| found.best);
    let mut text = String::new();
    if let Some(MlirValue { term, .. }) = values.first() {
        let cost = objective(bank.sort(*term))?.cost;
        let taken = mlir.rewrite(table, &mut bank, &best, &cost);
        let taken = taken.map_err(|mistake| in_file(file, &mistake))?;
        for (number, (value, taken)) in values.iter().zip(taken).enumerate() {
            let Optimised { best, ref told, ref proof } = found[&value.term];
            text += &format!("// {} {}: {told}", value.function, value.name);
            match (taken, proof) {
                (true, Some(proof)) => {
                    if let Some(out) = &out {
                        let name = format!("{number}.json");
                        write_atomic(&out.file(&name), proof.as_bytes())?;
                        text += &format!("; {name}");
                    }
                }
                _ if best != value.term => {
                    text += "; not taken: with it the function would cost no less";
                }
                _ => {}
            }
            text.push('\n');
        }
    }
    text += &mlir.to_string();
    if let Some(out) = &out {
        write_atomic(&out.file(OPTIMISED), text.as_bytes())?;
    }
    print(&text)
}
