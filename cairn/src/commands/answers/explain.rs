//! `cairn explain`: a proof between two terms, from one e-graph.

use crate::inputs::args::{
    LimitArgs, NotProved, RunArgs, load_system, read_question, read_strategy,
};
use crate::inputs::shipped::SYSTEMS;
use crate::shown::one_way::one_way;
use crate::shown::proof::{ProofArgs, show_opposed};
use anyhow::Result;
use egraph::{SaturationConfig, Scheduler, StopReason};
use guided_search::{Schedulers, prove_in_turn};
use support::{InputFile, counted, give_back_large_blocks};

const EXAMPLES: &str = "\
Examples:
  # A proof, one rewrite step a line
  cairn explain --system halide --start '(<= (+ x 1) (+ y 1))' \\
      --target '(<= x y)'

  # The proof as a file, and an independent check of it
  cairn explain --system halide --start '(+ (* 2 a) 0)' --target '(* a 2)' \\
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
    #[arg(long, value_name = "TERM", allow_negative_numbers = true, alias = "from")]
    start: String,
    /// The term that the proof ends with
    #[arg(long, value_name = "TERM", allow_negative_numbers = true, alias = "to")]
    target: String,
    #[command(flatten)]
    proof: ProofArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// How matches are chosen: simple (all), backoff (not of rules that match too often), best-first (a
    /// few promising ones an iteration), auto for the first two in turn, or mixed for best-first and simple
    #[arg(long, value_name = "NAME", default_value_t = Schedulers::Auto)]
    scheduler: Schedulers,
    /// Follow a strategy instead of the system's schedule: one of the rules file, or as it would stand there, such as
    /// '(until-stable (phase (limit :nodes 4000 (until-stable (run)))))'
    #[arg(long, value_name = "NAME|TEXT")]
    strategy: Option<String>,
    #[command(flatten)]
    run: RunArgs,
}

/// # Errors
/// Bad input, [`NotProved`], or an internal fault.
pub fn run(args: &ExplainArgs) -> Result<()> {
    give_back_large_blocks();
    let out = args.proof.output()?;
    let system = load_system(&args.system)?;
    let schedule = read_strategy(&system, args.strategy.as_deref())?;
    let (mut bank, from, to) = read_question(&system, &args.start, &args.target)?;
    let config = args.limits.config(args.run.run().build_pool()?, Scheduler::Simple);
    let config = SaturationConfig { schedule, ..config };
    // A strategy is followed once.
    let schedulers = match args.strategy {
        Some(_) => args.scheduler.in_turn().0.into(),
        None => args.scheduler,
    };
    let found = prove_in_turn(&system, &mut bank, [from, to], &config, schedulers)?;
    if let Some(sides) = found.opposed {
        return show_opposed(&out, &system, &mut bank, &sides);
    }
    match found.proof {
        Some(proof) => out.show(&system, &mut bank, &proof),
        None => {
            let advice = match found.stop {
                StopReason::Saturated => {
                    let one_way = one_way(&system, "it may be a way back");
                    format!(
                        "the rules derive nothing else: if they are equal, a rule is missing{one_way}"
                    )
                }
                _ => "a guide may connect them, see `cairn prove`".to_owned(),
            };
            let e_nodes = counted(found.e_nodes as u64, "e-node");
            let stop = found.stop;
            Err(NotProved(format!("the terms did not meet ({stop} at {e_nodes}); {advice}")).into())
        }
    }
}
