//! `cairn prove` to any term of a shape.

use crate::inputs::args::{NotProved, read_question};
use crate::shown::proof::ProofOutput;
use anyhow::{Result, anyhow};
use egraph::{CostFunction, Sketch, System, TermBank, TermId};
use guided_search::{
    Objective, OptimiseLimits, OptimiseSettings, SearchSettings, optimise, quoted,
};
use std::sync::Arc;
use std::time::Instant;
use support::{Run, counted, note, thousands};

/// What is to be proved: that a term equals one of a shape.
pub struct Shape {
    /// The term.
    pub from: TermId,
    /// The shape.
    pub sketch: Sketch,
    /// When to give up.
    pub deadline: Option<Instant>,
}

/// The start and the target, if that is a sketch and no term.
///
/// # Errors
/// The target looks like a sketch and is none.
pub fn read_shape(
    system: &System,
    from: &str,
    to: &str,
) -> Result<Option<(TermBank, TermId, Sketch)>> {
    let mut bank = TermBank::new(system.language.clone());
    let term = read_question(system, from, to);
    let Ok(from) = bank.parse(from, None) else { return Ok(None) };
    match Sketch::parse(&system.language, to, Some(bank.sort(from))) {
        Ok(sketch) if term.is_err() => Ok(Some((bank, from, sketch))),
        // What is wrong with it as a term says nothing then.
        Err(mistake) if term.is_err() && (to.contains('?') || to.contains("contains")) => {
            Err(anyhow!("--target {}: {mistake}", quoted(to)))
        }
        _ => Ok(None),
    }
}

/// Proves that the start equals some term of a shape: the smallest that the e-graph has in which there is
/// one for the first time.
///
/// # Errors
/// [`NotProved`], or an internal fault.
pub fn prove_shape(
    system: &Arc<System>,
    bank: &mut TermBank,
    Shape { from, sketch, deadline }: Shape,
    settings: &SearchSettings,
    run: &Run,
    out: &ProofOutput<'_>,
) -> Result<()> {
    let pool = Arc::new(run.build_pool()?);
    let objective = Objective::tree(CostFunction::size(), sketch);
    let limits = OptimiseLimits { first: true, ..settings.budget.into() };
    let settings = OptimiseSettings {
        deadline,
        pool: Some(pool.clone()),
        ..OptimiseSettings::within(limits, run.seed)
    };
    let found = pool.install(|| optimise(system, bank, from, &objective, &settings))?;
    let work = (thousands(found.ledger.work), thousands(limits.budget.work));
    let e_graphs = counted(found.ledger.e_graphs, "e-graph");
    let spent = format!("{} of {} work, {e_graphs}", work.0, work.1);
    match found.proof {
        Some(proof) => {
            if !run.quiet {
                note(&format!("proved with {spent}"));
            }
            out.show(system, bank, &proof)
        }
        None => Err(NotProved(format!("no term of this shape was found ({spent})")).into()),
    }
}
