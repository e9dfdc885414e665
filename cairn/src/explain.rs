//! `cairn explain`: a proof between two terms, from one e-graph.

use crate::args::{
    LimitArgs, NotProved, ProofFormat, RunArgs, load_system, print_proof, proof_output,
    read_question, write_proof,
};
use crate::shipped::SYSTEMS;
use anyhow::Result;
use guided_search::search::prove::checked;
use guided_search::search::reached::explain_equal;
use guided_search::search::stage::Stage;
use std::path::PathBuf;
use support::files::input::InputFile;
use support::show::numbers::counted;

const EXAMPLES: &str = "\
Examples:
  # A proof, one rewrite step a line
  cairn explain --system halide --from '(<= (+ x 1) (+ y 1))' --to '(<= x y)'

  # The proof as a file, and an independent check of it
  cairn explain --system halide --from '(+ (* 2 a) 0)' --to '(* a 2)' \\
      --out proof.json
  cairn check proof.json --system halide

The e-graph grows from both terms until they meet. Exit code 3: they did not meet within the \
limits.";

/// The arguments of `cairn explain`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ExplainArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The term that the proof starts with
    #[arg(long, value_name = "TERM", allow_negative_numbers = true)]
    from: String,
    /// The term that the proof ends with
    #[arg(long, value_name = "TERM", allow_negative_numbers = true)]
    to: String,
    /// How the proof is printed
    #[arg(long, value_enum, default_value_t = ProofFormat::Text)]
    format: ProofFormat,
    /// Write the proof to this file, too; an earlier proof in it is replaced
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// Bad input, [`NotProved`], or an internal fault.
pub fn run(args: &ExplainArgs) -> Result<()> {
    let out = proof_output(args.out.as_deref())?;
    let system = load_system(&args.system)?;
    let (mut bank, from, to) = read_question(&system, &args.from, &args.to)?;
    let config = args.limits.config(args.run.run().build_pool()?);
    let stage = Stage::grow(&system, &bank, &[from], &[to], &config, false);
    if stage.met.is_none() {
        let nodes = counted(stage.egraph.node_count() as u64, "e-node");
        let reason = format!("the terms did not meet ({} at {nodes})", stage.stop);
        return Err(NotProved(reason).into());
    }
    let proof = explain_equal(&stage, &mut bank, from, to)?;
    let proof = checked(&system, &bank, vec![proof], [from, to])?;
    write_proof(&system, &bank, &proof, out.as_ref())?;
    print_proof(&system, &mut bank, &proof, args.format)
}
