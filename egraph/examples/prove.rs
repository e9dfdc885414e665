//! Proves that two terms are equal, has the proof checked, and prints it.

use egraph::{
    Caps, EGraph, SaturationConfig, System, TermBank, check, explain, proof_text, saturate_until,
};
use std::error::Error;
use std::sync::Arc;

const RULES: &str = "
(sort Int) (op + (Int Int) Int) (op * (Int Int) Int) (literal i64 Int) (variable Int)
(analysis constant)
(rewrite (* ?a ?b) (* ?b ?a)                    :name commute)
(rewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name distribute)";

/// Prints each step from `(* (+ x (+ 1 1)) 3)` to its expanded form.
pub fn main() -> Result<(), Box<dyn Error>> {
    let system = Arc::new(System::parse(RULES)?);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(* (+ x (+ 1 1)) 3)", None)?;
    let goal = bank.parse("(+ (* 3 x) 6)", None)?;
    let mut egraph = EGraph::new(system.clone());
    let (from, to) = (egraph.add_term(&bank, start), egraph.add_term(&bank, goal));
    let met = |egraph: &EGraph| egraph.find(from) == egraph.find(to);
    saturate_until(&mut egraph, &SaturationConfig::default(), met);
    let proof = explain(&egraph, &mut bank, start, goal).ok_or("not proved")?;
    check(&system, &bank, &proof)?;
    let flat = proof.flatten(&mut bank, Caps { steps: 100, term_size: 100 })?;
    println!("{}", proof_text(&system, &bank, &flat));
    Ok(())
}
