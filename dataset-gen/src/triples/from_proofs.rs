//! From proofs to triples: three terms of a proof each, with variables in normal form.

use crate::proofs::proof_rows::ProofRow;
use crate::triples::segments::{Scheme, Segment, Splitting};
use crate::triples::triple_rows::Triple;
use anyhow::{Context, Result};
use egraph::{System, TermBank, TermId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use terms::rename_variables;

/// The triples of each proof, in the order of its segments; not numbered yet.
///
/// # Errors
/// A text that is not a term of the system.
pub fn triples_of(
    system: &System,
    rows: &[ProofRow],
    splitting: &Splitting,
) -> Result<Vec<Vec<Triple>>> {
    rows.par_iter()
        .map(|row| {
            of_proof(system, row, splitting)
                .with_context(|| format!("proof {} of seed {}", row.id, row.seed_id))
        })
        .collect()
}

fn of_proof(system: &System, row: &ProofRow, splitting: &Splitting) -> Result<Vec<Triple>> {
    let mut bank = TermBank::new(system.language.clone());
    let places = |s: &Segment| [s.start, s.target, s.guide];
    let (segments, terms): (_, FxHashMap<usize, TermId>) = match splitting.scheme {
        Scheme::Ahead => {
            let line = row.lineage(system, &mut bank)?;
            (splitting.segments(line.len() - 1), line.into_iter().enumerate().collect())
        }
        Scheme::Recursive | Scheme::Window | Scheme::Whole => {
            let segments = splitting.segments(row.steps());
            // A term is in several segments, and to read it takes longer than all that is done then.
            let mut all: Vec<usize> = segments.iter().flat_map(places).collect();
            all.sort_unstable();
            all.dedup();
            let terms = row.read_terms(&mut bank, all.iter().copied())?;
            (segments, all.into_iter().zip(terms).collect())
        }
    };
    let triple = |segment: Segment| {
        let terms = places(&segment).map(|place| terms[&place]);
        triple(&mut bank, row, segment, terms)
    };
    Ok(segments.into_iter().map(triple).collect())
}

/// The triple of a segment with this start, target and guide.
fn triple(bank: &mut TermBank, row: &ProofRow, segment: Segment, terms: [TermId; 3]) -> Triple {
    // The guide last: what (start, target) looks like must not depend on it.
    let renamed = rename_variables(bank, &terms);
    let [start, target, guide] = [renamed[0], renamed[1], renamed[2]];
    Triple {
        id: 0,
        seed: row.seed,
        seed_id: row.seed_id.clone(),
        proof: row.id,
        start: bank.text(start),
        guide: bank.text(guide),
        target: bank.text(target),
        steps_start_guide: (segment.guide - segment.start) as u32,
        steps_guide_target: segment.target.abs_diff(segment.guide) as u32,
        start_size: bank.size(start) as u32,
        guide_size: bank.size(guide) as u32,
        target_size: bank.size(target) as u32,
        depth: segment.depth,
    }
}
