//! `cairn check`: has the checker replay a proof file.

use crate::inputs::args::load_system;
use crate::inputs::shipped::SYSTEMS;
use crate::shown::proof::PRINTED;
use crate::shown::queries::write_queries;
use anyhow::{Context, Result};
use egraph::{TermBank, check, proof_from_json};
use std::path::PathBuf;
use support::{InputFile, counted, print};

const EXAMPLES: &str = "\
Examples:
  # Make a proof, then check it
  cairn explain --system halide --start '(+ (* 2 a) 0)' --target '(* a 2)' \\
      --out proof.json
  cairn check proof.json --system halide

  # What its rules say, for any solver: z3 -t:10000 queries/mul-comm.smt2
  cairn check proof.json --system halide --queries queries

The checker replays every step on the terms alone; it shares no code with the e-graph but \
arithmetic. Exit code 2: the file is not a proof of this system, or the proof was refused. A \
term with more than 10,000 nodes is cut off with `…`.";

/// The arguments of `cairn check`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CheckArgs {
    /// The proof file
    #[arg(value_name = "FILE")]
    proof: PathBuf,
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// Write what the rules that the proof uses say into this directory, as queries of SMT-LIB 2, a file a rule: it is true if
    /// an answer is `unsat`
    #[arg(long, value_name = "DIR")]
    queries: Option<PathBuf>,
}

/// # Errors
/// Bad input, or a proof that is refused.
pub fn run(args: &CheckArgs) -> Result<()> {
    let system = load_system(&args.system)?;
    let name = args.proof.display();
    let text =
        std::fs::read_to_string(&args.proof).with_context(|| format!("cannot read {name}"))?;
    let mut bank = TermBank::new(system.language.clone());
    let proof = proof_from_json(&system, &mut bank, &text).with_context(|| format!("{name}"))?;
    check(&system, &bank, &proof).with_context(|| format!("{name} was refused"))?;
    print(&format!(
        "accepted: {} = {} ({})\n",
        bank.display_part(proof.start(), PRINTED.term_size),
        bank.display_part(proof.end(), PRINTED.term_size),
        counted(proof.len() as u64, "proof node")
    ))?;
    let Some(directory) = &args.queries else { return Ok(()) };
    let rules = proof.rules().into_iter().map(|rule| system.rule(rule));
    print(&write_queries(directory, &system, rules)?)
}
