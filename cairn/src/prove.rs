//! `cairn prove`: guided search for one question.

use crate::args::DeviceChoice;
use crate::args::{
    NotProved, PRINTED, ProofFormat, RunArgs, load_model, load_system, print_proof, proof_output,
    read_question, write_proof,
};
use crate::shipped::SYSTEMS;
use anyhow::{Result, bail, ensure};
use egraph::{Scheduler, System, TermBank, TermId};
use guided_search::evaluation::evaluate::guide_size;
use guided_search::search::baselines::all_work;
use guided_search::search::budget::{Budget, Cap, check_numbers};
use guided_search::search::prove::{Answer, Failure, SearchSettings, Tactic, prove};
use guided_search::sources::expert::ExpertGuides;
use guided_search::sources::guide_source::GuideSource;
use guided_search::sources::method::Method;
use guided_search::sources::{SourceContext, for_method};
use std::path::PathBuf;
use std::sync::Arc;
use support::files::input::InputFile;
use support::show::numbers::{counted, thousands};

const EXAMPLES: &str = "\
Examples:
  # Random waypoints from both sides, e-graphs of at most 200 e-nodes
  cairn prove --system halide --method both-sides --cap 200 --work 40000 \\
      --from '(<= (+ (* 2 x) (* 2 y)) (* 2 z))' --to '(<= (+ y x) z)'

  # A trained model's guides
  cairn prove --system halide --model quickstart/model --cap 2000 \\
      --from '(<= (+ (* 2 x) (* 2 y)) (* 2 z))' --to '(<= (+ y x) z)'

  # An expert's sketches, one a line in the order in which they are reached
  echo '(<= (* 2 ?) (* 2 ?))' > guides.txt
  cairn prove --system halide --expert guides.txt --cap 200 --out proof.json \\
      --from '(<= (+ (* 2 x) (* 2 y)) (* 2 z))' --to '(<= (+ y x) z)'

Exit code 3: no proof was found within the budget.";

/// The arguments of `cairn prove`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ProveArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The start
    #[arg(long, value_name = "TERM", allow_negative_numbers = true)]
    from: String,
    /// The target
    #[arg(long, value_name = "TERM", allow_negative_numbers = true)]
    to: String,
    /// Where guides come from: cap (none), all-work (none, one large e-graph), random, both-sides,
    /// nearest, model, select (of the frontier, by the model), each but the first two also with
    /// `-united` [default: model with --model, otherwise cap]
    #[arg(long, value_name = "NAME", conflicts_with = "expert")]
    method: Option<Method>,
    /// The directory of a trained model
    #[arg(long, value_name = "DIR", conflicts_with = "expert")]
    model: Option<PathBuf>,
    /// Where the model computes
    #[arg(long, value_enum, default_value_t, requires = "model")]
    device: DeviceChoice,
    /// A file of guides: a sketch or term a line
    #[arg(long, value_name = "FILE")]
    expert: Option<PathBuf>,
    /// Cap on each e-graph, in e-nodes (4000) or memory (64MiB)
    #[arg(long, value_name = "CAP", default_value = "4000")]
    cap: Cap,
    /// Work in all: e-nodes ever built, over all e-graphs
    #[arg(long, value_name = "N", default_value_t = 80_000)]
    work: u64,
    /// Guides per request, 1 to 1000
    #[arg(long, value_name = "K", default_value_t = 10)]
    guides: usize,
    /// Guides tried per question, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 4)]
    attempts: usize,
    /// How often a question may be halved at an unproved guide
    #[arg(long, value_name = "N", default_value_t = 4)]
    depth: u32,
    /// How rules that match too often are treated: simple or backoff
    #[arg(long, value_name = "NAME", default_value_t = Scheduler::Simple)]
    scheduler: Scheduler,
    /// How the proof is printed
    #[arg(long, value_enum, default_value_t = ProofFormat::Text)]
    format: ProofFormat,
    /// Write the proof to this file, too; an earlier proof in it is replaced
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// Bad input, [`NotProved`], or an internal fault.
pub fn run(args: &ProveArgs) -> Result<()> {
    check_numbers(args.work, args.guides, args.attempts)?;
    let out = proof_output(args.out.as_deref())?;
    let system = load_system(&args.system)?;
    let (mut bank, from, to) = read_question(&system, &args.from, &args.to)?;
    let pool = args.run.run().build_pool()?;
    let answer = pool.install(|| search(args, &system, &mut bank, from, to))?;
    let ledger = answer.ledger;
    let spent = format!(
        "{} of {} work, {}, {} for guides, {:.1} s in the model",
        thousands(ledger.work),
        thousands(args.work),
        counted(ledger.e_graphs, "e-graph"),
        counted(ledger.requests, "request"),
        ledger.model_seconds
    );
    match answer.result {
        Ok(proof) => {
            write_proof(&system, &bank, &proof, out.as_ref())?;
            if !args.run.run().quiet {
                support::show::console::note(&format!("proved with {spent}"));
                for &waypoint in &answer.waypoints {
                    support::show::console::note(&format!(
                        "waypoint {}",
                        bank.display_part(waypoint, PRINTED.term_size)
                    ));
                }
            }
            print_proof(&system, &mut bank, &proof, args.format)
        }
        Err(failure) => {
            let why = match failure {
                Failure::Work => "the work is spent",
                Failure::Guides => "the cap binds and no guide is left to try",
                Failure::Saturated => "the e-graph saturated: the rules do not connect the terms",
                Failure::Schedule => "the system's schedule came to its end",
                Failure::Conflict => "two different literals became equal: a rule is not sound",
            };
            Err(NotProved(format!("{why} ({spent})")).into())
        }
    }
}

fn search(
    args: &ProveArgs,
    system: &Arc<System>,
    bank: &mut TermBank,
    from: TermId,
    to: TermId,
) -> Result<Answer> {
    let default = if args.model.is_some() { Method::Model(Tactic::Each) } else { Method::Cap };
    let method = args.method.unwrap_or(default);
    ensure!(
        args.model.is_some() || !method.needs_model(),
        "method '{method}' needs a model: give its directory with --model"
    );
    let unused = args.model.is_some() && !method.needs_model();
    if unused && !args.run.run().quiet {
        support::show::console::note(&format!("method '{method}' does not use the model"));
    }
    let budget = Budget { cap: args.cap, work: args.work, scheduler: args.scheduler };
    let model =
        args.model.as_ref().filter(|_| !unused).map(|path| load_model(path, system, args.device));
    let model = model.transpose()?;
    let context =
        SourceContext { model: model.as_ref(), chain: &[], seed: args.run.run().seed, task: 0 };
    let mut source: Box<dyn GuideSource + '_> = match (&args.expert, method) {
        (Some(path), _) => Box::new(ExpertGuides::load(path, system, bank.sort(from))?),
        (None, Method::AllWork) => return all_work(system, bank, from, to, &budget),
        (None, Method::Oracle) => {
            bail!("method 'oracle' needs a known chain: it is for `cairn evaluate`")
        }
        (None, method) => for_method(method, &context)?,
    };
    let settings = SearchSettings {
        budget,
        guides: args.guides,
        attempts: args.attempts,
        depth: args.depth,
        tactic: method.tactic(),
        max_size: guide_size(bank.size(from), bank.size(to)),
    };
    prove(system, bank, from, to, source.as_mut(), &settings)
}
