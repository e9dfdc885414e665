//! Finds the smallest term that equals a given one, with a proof.

use egraph::{CostFunction, Sketch, System, TermBank};
use guided_search::{Budget, Cap, Objective, OptimiseSettings, Schedulers, optimise};
use std::sync::Arc;

/// Optimises, and shows the best term.
///
/// # Errors
/// A file that can't be read, or an internal fault.
pub fn main() -> anyhow::Result<()> {
    let rules = include_str!("../../configs/systems/ring.rules");
    let system = Arc::new(System::parse(rules)?);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(+ (* a b) (+ (* a c) 0))", None)?;
    let budget = Budget { cap: Cap::Nodes(4_000), work: 40_000, scheduler: Schedulers::Auto };
    let settings = OptimiseSettings::within(budget, 0);
    let (cost, sketch) = (CostFunction::size(), Sketch::Any);
    let objective = Objective::tree(cost, sketch);
    let outcome = optimise(&system, &mut bank, start, &objective, &settings)?;
    let best = outcome.best().expect("the start itself is a term");
    println!("{} ({}; proved)", bank.display(best.term), outcome.ended);
    Ok(())
}
