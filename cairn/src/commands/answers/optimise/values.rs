//! The values that functions of a file need, each computed by the best term that equals it.

use crate::commands::answers::optimise::given::Given;
use crate::commands::answers::optimise::part_of_file::{Optimised, optimised};
use anyhow::Result;
use egraph::{CostFunction, SortId, TermBank, TermId};
use guided_search::Objective;
use interop::{NeededValue, Taken};
use std::collections::HashMap;
use support::{OutputDir, print, write_atomic};

/// A text with values, as a module of MLIR.
pub struct ValuesOf<'f> {
    pub values: &'f [NeededValue],
    /// What is best for a value of a sort.
    pub objective: &'f dyn Fn(SortId) -> Result<Objective>,
    /// What a line begins with that is a comment.
    pub comment: &'f str,
    /// The name of the file that is written into the directory.
    pub name: &'f str,
}

/// Computes values by better terms, given the best ones and their cost; says of each whether that was done.
pub type Rewrite<'f> = dyn FnMut(&mut TermBank, &dyn Fn(TermId) -> TermId, &CostFunction) -> Result<(String, Vec<Taken>)>
    + 'f;

/// Prints the text that `rewrite` gives, with a comment on each value; writes it and the proofs into `out`. Without values,
/// it is `text`.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(
    file: &ValuesOf<'_>,
    text: String,
    bank: &mut TermBank,
    given: &Given,
    out: Option<&OutputDir>,
    rewrite: &mut Rewrite<'_>,
) -> Result<()> {
    let mut found: HashMap<TermId, Optimised> = HashMap::new();
    for NeededValue { term, .. } in file.values {
        if !found.contains_key(term) {
            let objective = (file.objective)(bank.sort(*term))?;
            let better = optimised(&given.system, bank, *term, &objective, &given.settings)?;
            found.insert(*term, better);
        }
    }
    let best = |term| found.get(&term).map_or(term, |found| found.best);
    let (mut all, mut body) = (String::new(), text);
    if let Some(NeededValue { term, .. }) = file.values.first() {
        let cost = (file.objective)(bank.sort(*term))?.cost;
        let (text, taken) = rewrite(bank, &best, &cost)?;
        body = text;
        for (number, (value, taken)) in file.values.iter().zip(taken).enumerate() {
            let Optimised { best, ref told, ref proof } = found[&value.term];
            all += &format!("{} {} {}: {told}", file.comment, value.function, value.name);
            match (taken, proof) {
                (Err(why), _) if best != value.term => all += &format!("; not taken: {why}"),
                (Ok(()), Some(proof)) => {
                    if let Some(out) = out {
                        let name = format!("{number}.json");
                        write_atomic(&out.file(&name), proof.as_bytes())?;
                        all += &format!("; {name}");
                    }
                }
                _ => {}
            }
            all.push('\n');
        }
    }
    all += &body;
    if let Some(out) = out {
        write_atomic(&out.file(file.name), all.as_bytes())?;
    }
    print(&all)
}
