//! From proofs to triples: three terms of a proof each, with variables in normal form.

use crate::config::Config;
use crate::proofs::row::ProofRow;
use crate::seeds::normal_form::Renamer;
use crate::triples::row::Triple;
use crate::triples::sketch::most_abstract;
use crate::triples::splitting::Segment;
use anyhow::{Context, Result};
use egraph::{Sketch, System, TermBank, TermId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The triples of each proof, in the order of its segments; not numbered yet. The proofs of one
/// class of a seed stand together: their ends are what sketches of guides are told from.
///
/// # Errors
/// A text that is not a term of the system.
pub fn triples_of(system: &System, rows: &[ProofRow], config: &Config) -> Result<Vec<Vec<Triple>>> {
    let classes: Vec<&[ProofRow]> =
        rows.chunk_by(|a, b| (a.seed, a.class) == (b.seed, b.class)).collect();
    let triples: Vec<Vec<Vec<Triple>>> = classes
        .into_par_iter()
        .map(|rows| Class::read(system, rows)?.triples(rows, config))
        .collect::<Result<_>>()?;
    Ok(triples.into_iter().flatten().collect())
}

/// The proofs of a class in one bank.
struct Class {
    bank: TermBank,
    /// The distinct ends of proofs.
    ends: Vec<TermId>,
    renamer: Renamer,
}

impl Class {
    fn read(system: &System, rows: &[ProofRow]) -> Result<Class> {
        let mut bank = TermBank::new(system.language.clone());
        let mut ends = Vec::new();
        for row in rows {
            let places = [0, row.steps()];
            ends.extend(row.read_terms(&mut bank, places.into_iter()).with_context(|| name(row))?);
        }
        ends.sort_unstable();
        ends.dedup();
        Ok(Class { bank, ends, renamer: Renamer::default() })
    }

    fn triples(mut self, rows: &[ProofRow], config: &Config) -> Result<Vec<Vec<Triple>>> {
        rows.iter().map(|row| self.of_proof(row, config).with_context(|| name(row))).collect()
    }

    fn of_proof(&mut self, row: &ProofRow, config: &Config) -> Result<Vec<Triple>> {
        let segments = config.splitting.segments(row.steps());
        // A term is in several segments, and to read it takes longer than all that is done then.
        let places = |s: &Segment| [s.start, s.target, s.guide];
        let mut all: Vec<usize> = segments.iter().flat_map(places).collect();
        all.sort_unstable();
        all.dedup();
        let terms = row.read_terms(&mut self.bank, all.iter().copied())?;
        let terms: FxHashMap<usize, TermId> = all.into_iter().zip(terms).collect();
        let triple = |segment: Segment| {
            let terms = places(&segment).map(|place| terms[&place]);
            self.triple(row, segment, terms, config.sketches.share)
        };
        Ok(segments.into_iter().map(triple).collect())
    }

    /// The triple of a segment with this start, target and guide.
    fn triple(
        &mut self,
        row: &ProofRow,
        segment: Segment,
        terms: [TermId; 3],
        share: f64,
    ) -> Triple {
        let bank = &mut self.bank;
        let [start, _, guide] = terms;
        let others: Vec<TermId> = self.ends.iter().copied().filter(|&t| t != guide).collect();
        let sketch = most_abstract(bank, guide, start, &others, share);
        // The guide last: what (start, target) looks like must not depend on it.
        let renamed = self.renamer.rename(bank, &terms);
        let [start, target, guide] = [renamed[0], renamed[1], renamed[2]];
        // No sketch tells the guide from the others: then the guide itself must do.
        let sketch = sketch.map_or_else(
            || bank.text(guide),
            |sketch| prefix(bank, &sketch, guide).display(bank.language()).to_string(),
        );
        Triple {
            id: 0,
            seed: row.seed,
            seed_id: row.seed_id.clone(),
            proof: row.id,
            start: bank.text(start),
            guide: bank.text(guide),
            target: bank.text(target),
            sketch,
            steps_start_guide: (segment.guide - segment.start) as u32,
            steps_guide_target: (segment.target - segment.guide) as u32,
            start_size: bank.size(start) as u32,
            guide_size: bank.size(guide) as u32,
            target_size: bank.size(target) as u32,
            depth: segment.depth,
        }
    }
}

fn name(row: &ProofRow) -> String {
    format!("proof {} of seed {}", row.id, row.seed_id)
}

/// What a sketch that is a prefix of a term leaves of the same term with other variables.
fn prefix(bank: &TermBank, sketch: &Sketch, term: TermId) -> Sketch {
    match sketch {
        Sketch::Op(op, args) => {
            let children = bank.children(term).iter();
            let args = args.iter().zip(children).map(|(arg, &child)| prefix(bank, arg, child));
            Sketch::Op(*op, args.collect())
        }
        Sketch::Leaf(_) => Sketch::from_term(bank, term),
        other => other.clone(),
    }
}
