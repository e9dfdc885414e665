//! `cairn prove`: guided search for one question.

use crate::args::{
    DeviceChoice, NotProved, RunArgs, load_model, load_system, read_question, seconds,
};
use crate::shipped::SYSTEMS;
use crate::shown_proof::{PRINTED, ProofArgs, show_opposed};
use anyhow::{Result, bail, ensure};
use egraph::{System, TermBank, TermId};
use guided_search::evaluation::evaluate::guide_size;
use guided_search::search::answer::{Answer, Failure, SearchSettings, Tactic};
use guided_search::search::baselines::all_work;
use guided_search::search::budget::{Budget, Cap, Schedulers, check_numbers};
use guided_search::search::prove::prove;
use guided_search::sources::expert::ExpertGuides;
use guided_search::sources::guide_source::GuideSource;
use guided_search::sources::method::Method;
use guided_search::sources::{SourceContext, for_method};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::allocator::give_back_large_blocks;
use support::files::input::InputFile;
use support::show::console::note;
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
    /// Work in all: e-nodes ever built, over all e-graphs [default: 80,000, or that of 4 e-graphs at
    /// the cap if that is more]
    #[arg(long, value_name = "N")]
    work: Option<u64>,
    /// Seconds at most (not reproducible)
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Guides per request, 1 to 1000
    #[arg(long, value_name = "K", default_value_t = 10)]
    guides: usize,
    /// Guides tried per question, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 4)]
    attempts: usize,
    /// How often a question may be halved at an unproved guide
    #[arg(long, value_name = "N", default_value_t = 4)]
    depth: u32,
    /// How rules that match too often are treated: simple, backoff, or auto for both in turn
    #[arg(long, value_name = "NAME", default_value_t = Schedulers::Auto)]
    scheduler: Schedulers,
    #[command(flatten)]
    proof: ProofArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// Bad input, [`NotProved`], or an internal fault.
pub fn run(args: &ProveArgs) -> Result<()> {
    // A model allocates and frees large blocks all the time; its e-graphs are small.
    if args.model.is_none() {
        give_back_large_blocks();
    }
    let work = args.work.unwrap_or_else(|| 80_000.max(4 * args.cap.expected_nodes()));
    check_numbers(work, args.guides, args.attempts)?;
    let out = args.proof.output()?;
    let system = load_system(&args.system)?;
    let (mut bank, from, to) = read_question(&system, &args.from, &args.to)?;
    let budget = Budget { cap: args.cap, work, scheduler: args.scheduler };
    let pool = args.run.run().build_pool()?;
    let answer = pool.install(|| search(args, &system, &mut bank, [from, to], budget))?;
    let ledger = answer.ledger;
    let spent = format!(
        "{} of {} work, {}, {} for guides, {:.1} s in the model",
        thousands(ledger.work),
        thousands(work),
        counted(ledger.e_graphs, "e-graph"),
        counted(ledger.requests, "request"),
        ledger.model_seconds
    );
    if let Some(sides) = &answer.opposed {
        return show_opposed(&out, &system, &mut bank, sides);
    }
    match answer.result {
        Ok(proof) => {
            if !args.run.run().quiet {
                note(&format!("proved with {spent}"));
                for &waypoint in &answer.waypoints {
                    let waypoint = bank.display_part(waypoint, PRINTED.term_size);
                    note(&format!("waypoint {waypoint}"));
                }
            }
            out.show(&system, &mut bank, &proof)
        }
        Err(failure) => Err(NotProved(format!("{} ({spent})", explained(failure))).into()),
    }
}

/// A failure in words. None of them says that the terms are not equal, which a search can't know.
fn explained(failure: Failure) -> &'static str {
    match failure {
        Failure::Work => "the work is spent",
        Failure::Guides => "the cap binds and no guide is left to try",
        Failure::Saturated => {
            "this search did not connect the terms: their e-graph saturated without, and no guide \
             helped"
        }
        Failure::Schedule => "the system's schedule came to its end",
        Failure::Conflict => "two different literals became equal: a rule is not sound",
        Failure::Opposed => "the terms equal different literals",
        Failure::Time => "the time is over",
    }
}

fn search(
    args: &ProveArgs,
    system: &Arc<System>,
    bank: &mut TermBank,
    [from, to]: [TermId; 2],
    budget: Budget,
) -> Result<Answer> {
    let default = if args.model.is_some() { Method::Model(Tactic::Each) } else { Method::Cap };
    let method = args.method.unwrap_or(default);
    ensure!(
        args.model.is_some() || !method.needs_model(),
        "method '{method}' needs a model: give its directory with --model"
    );
    let unused = args.model.is_some() && !method.needs_model();
    if unused && !args.run.run().quiet {
        note(&format!("method '{method}' does not use the model"));
    }
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
        deadline: args.time.and_then(|time| Instant::now().checked_add(time)),
    };
    prove(system, bank, from, to, source.as_mut(), &settings)
}
