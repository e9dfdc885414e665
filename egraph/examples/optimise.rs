//! Finds the cheapest term that equals a given one, by costs that the rules declare.

use egraph::{
    CostFunction, EGraph, Limits, SaturationConfig, Sketch, System, TermBank, extract_best,
    saturate_until,
};
use std::error::Error;
use std::sync::Arc;

const RULES: &str = "
(sort Int) (op * (Int Int) Int :cost 4) (op / (Int Int) Int :cost 20) (op << (Int Int) Int)
(literal i64 Int) (variable Int)
(rewrite (* ?a 2) (<< ?a 1)                   :name shift)
(rewrite (/ (* ?a ?b) ?c) (* ?a (/ ?b ?c))    :name associate)
(rewrite (/ ?a ?a) 1 :when ((!= ?a 0))        :name cancel)
(rewrite (* ?a 1) ?a                          :name one)";

/// Prints the best form of `(/ (* (* x 2) 3) 3)` and what it costs.
pub fn main() -> Result<(), Box<dyn Error>> {
    let system = Arc::new(System::parse(RULES)?);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(/ (* (* x 2) 3) 3)", None)?;
    let mut egraph = EGraph::new(system.clone());
    let class = egraph.add_term(&bank, start);
    let limits = Limits { nodes: Some(10_000), ..Limits::default() };
    saturate_until(&mut egraph, &SaturationConfig { limits, ..Default::default() }, |_| false);
    let cost = CostFunction::named(&system, "cost")?;
    let best = extract_best(&egraph, &mut bank, class, &Sketch::Any, &cost);
    let (best, least) = best.ok_or("no term has a cost")?;
    println!("{} costs {}", bank.text(best), cost.text(&least));
    Ok(())
}
