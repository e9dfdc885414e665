//! Proves that two terms are equal, through e-graphs of at most 100 e-nodes.

use egraph::{System, TermBank};
use guided_search::{Aids, Asked, Budget, Cap, Method, Question, Schedulers, SearchSettings};
use std::sync::Arc;

/// Proves, and says with how many e-graphs.
///
/// # Errors
/// An internal fault, or no answer within the budget.
pub fn main() -> anyhow::Result<()> {
    let rules = include_str!("../../configs/systems/halide.rules");
    let system = Arc::new(System::parse(rules)?);
    let mut bank = TermBank::new(system.language.clone());
    let ends = ["(<= (+ (* 2 x) (* 2 y)) (* 2 z))", "(<= (+ y x) z)"];
    let ends = [bank.parse(ends[0], None)?, bank.parse(ends[1], None)?];
    let budget = Budget { cap: Cap::Nodes(100), work: 40_000, scheduler: Schedulers::Simple };
    let method: Method = "portfolio".parse().map_err(anyhow::Error::msg)?;
    let answer = method.answer(&mut Asked {
        system: &system,
        bank: &mut bank,
        question: Question { ends, number: 0, deadline: None, cancel: None, threads: 1 },
        settings: SearchSettings::within(budget, 0),
        aids: Aids::default(),
    })?;
    let proof = answer.result.map_err(|why| anyhow::anyhow!("not proved: {why}"))?;
    println!("proved in {} e-graphs, {} nodes", answer.ledger.e_graphs, proof.len());
    Ok(())
}
