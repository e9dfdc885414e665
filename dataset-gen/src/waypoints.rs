//! From a proof to its triples: three of its terms each, with variables in normal form.

use crate::normal_form::rename_variables;
use crate::proof_table::ProofRow;
use crate::splitting::Splitting;
use crate::triples::Triple;
use anyhow::{Context, Result};
use egraph::{System, TermBank};

/// The triples of a proof, in the order of its segments; not numbered yet.
///
/// # Errors
/// A text that is not a term of the system.
pub fn triples_of(system: &System, row: &ProofRow, splitting: &Splitting) -> Result<Vec<Triple>> {
    let segments = splitting.segments(row.steps());
    let mut bank = TermBank::new(system.language.clone());
    let mut triples = Vec::with_capacity(segments.len());
    for segment in segments {
        let places = [segment.start, segment.target, segment.guide];
        // The guide last: what (start, target) looks like must not depend on it.
        let terms = row
            .read_terms(&mut bank, places.into_iter())
            .with_context(|| format!("proof {} of seed {}", row.id, row.seed_id))?;
        let terms = rename_variables(&mut bank, &terms);
        let [start, target, guide] = [terms[0], terms[1], terms[2]];
        triples.push(Triple {
            id: 0,
            seed: row.seed,
            seed_id: row.seed_id.clone(),
            proof: row.id,
            start: bank.text(start),
            guide: bank.text(guide),
            target: bank.text(target),
            steps_start_guide: (segment.guide - segment.start) as u32,
            steps_guide_target: (segment.target - segment.guide) as u32,
            start_size: bank.size(start) as u32,
            guide_size: bank.size(guide) as u32,
            target_size: bank.size(target) as u32,
            depth: segment.depth,
        });
    }
    Ok(triples)
}
