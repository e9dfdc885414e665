//! `cairn explain`: a proof between two terms, from one e-graph.

use crate::args::{LimitArgs, NotProved, RunArgs, load_system, read_question};
use crate::shipped::SYSTEMS;
use crate::shown_proof::{ProofArgs, show_opposed};
use anyhow::Result;
use egraph::Scheduler;
use guided_search::search::answer::{checked, opposed_proofs};
use guided_search::search::reached::explain_equal;
use guided_search::search::schedulers::Schedulers;
use guided_search::search::stage::Stage;
use support::{InputFile, counted, give_back_large_blocks};

const EXAMPLES: &str = "\
Examples:
  # A proof, one rewrite step a line
  cairn explain --system halide --from '(<= (+ x 1) (+ y 1))' --to '(<= x y)'

  # The proof as a file, and an independent check of it
  cairn explain --system halide --from '(+ (* 2 a) 0)' --to '(* a 2)' \\
      --out proof.json
  cairn check proof.json --system halide

The e-graph grows from both terms until they meet. The proof is shortened. Exit code 3: the terms
did not meet within the limits, or equal different literals, which is then proved.";

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
    #[command(flatten)]
    proof: ProofArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// How matches are chosen: simple (all), backoff (not of rules that match too often), best-first (a
    /// few promising ones an iteration), auto for the first two in turn, or mixed for best-first and simple
    #[arg(long, value_name = "NAME", default_value_t = Schedulers::Auto)]
    scheduler: Schedulers,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// Bad input, [`NotProved`], or an internal fault.
pub fn run(args: &ExplainArgs) -> Result<()> {
    give_back_large_blocks();
    let out = args.proof.output()?;
    let system = load_system(&args.system)?;
    let (mut bank, from, to) = read_question(&system, &args.from, &args.to)?;
    let config = args.limits.config(args.run.run().build_pool()?, Scheduler::Simple);
    let stage = Stage::grow_in_turn(&system, &bank, [from, to], &config, args.scheduler);
    if let Some(sides) = opposed_proofs(&system, &mut bank, &stage)? {
        return show_opposed(&out, &system, &mut bank, &sides);
    }
    if stage.met.is_none() {
        let nodes = counted(stage.egraph.node_count() as u64, "e-node");
        let reason = format!(
            "the terms did not meet ({} at {nodes}); a guide may connect them, see `cairn prove`",
            stage.stop
        );
        return Err(NotProved(reason).into());
    }
    let proof = explain_equal(&stage, &mut bank, from, to)?;
    let proof = checked(&system, &bank, vec![proof], [from, to])?;
    out.show(&system, &mut bank, &proof)
}
