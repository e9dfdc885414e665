//! `cairn prove`: guided search for one question.

use crate::args::{
    DeviceChoice, NotProved, RunArgs, load_model, load_ranker, load_system, read_question, seconds,
};
use crate::search_args::{self, SearchArgs};
use crate::shipped::{RANKERS, SYSTEMS};
use crate::shown_guides::show_guides;
use crate::shown_proof::{PRINTED, ProofArgs, ProofOutput, show_opposed};
use anyhow::{Result, anyhow, ensure};
use egraph::{CostFunction, Sketch, System, TermBank, TermId};
use guided_search::by_method::{self, Aids};
use guided_search::config::CompareConfig;
use guided_search::optimise::answer::{Objective, OptimiseSettings};
use guided_search::optimise::run::optimise;
use guided_search::search::answer::{Answer, Failure, Question, SearchSettings};
use guided_search::search::budget::{Budget, Cap, Ledger};
use guided_search::search::prove::prove;
use guided_search::search::schedulers::Schedulers;
use guided_search::sources::expert::ExpertGuides;
use guided_search::sources::method::Method;
use guided_search::sources::watched::Watcher;
use guided_search::tasks::question::quoted;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::allocator::give_back_large_blocks;
use support::files::input::InputFile;
use support::show::console::note;
use support::show::numbers::{counted, thousands};

const EXAMPLES: &str = "\
Examples:
  # Small random waypoints from both sides, e-graphs of at most 200 e-nodes
  cairn prove --system halide --method descend --cap 200 --work 40000 \\
      --from '(<= (+ (* 2 x) (* 2 y)) (* 2 z))' --to '(<= (+ y x) z)'

  # A trained model's guides
  cairn prove --system halide --model quickstart/model --cap 2000 \\
      --from '(<= (+ (* 2 x) (* 2 y)) (* 2 z))' --to '(<= (+ y x) z)'

  # An expert's sketches, one a line in the order in which they are reached
  echo '(<= (* 2 ?) (* 2 ?))' > guides.txt
  cairn prove --system halide --expert guides.txt --cap 200 --out proof.json \\
      --from '(<= (+ (* 2 x) (* 2 y)) (* 2 z))' --to '(<= (+ y x) z)'

  # A proof to any term of a shape
  cairn prove --system tiling --from '(m (* n1 32) f)' \\
      --to '(contains (m n1 (m 32 ?)))'

Exit code 3: no proof was found within the budget.";

/// E-nodes of the first e-graph, where a ranker is shipped.
const QUICK: u64 = 4_000;

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
    /// The target: a term, or a sketch, which stands for any term that satisfies it
    #[arg(long, value_name = "TERM", allow_negative_numbers = true)]
    to: String,
    /// Where guides come from: cap (none), all-work (none, one large e-graph), random, descend (random,
    /// and small), smallest, nearest, shared, deep, ranked (by a ranker), model, select (of the frontier, by
    /// the model) [default: model with --model, ranked with --ranker, otherwise descend, after one small
    /// e-graph by a shipped ranker if there is one for the system]
    #[arg(long, value_name = "NAME", conflicts_with = "expert")]
    method: Option<Method>,
    /// The directory of a trained model
    #[arg(long, value_name = "DIR", conflicts_with = "expert")]
    model: Option<PathBuf>,
    /// Where the model computes
    #[arg(long, value_enum, default_value_t, requires = "model")]
    device: DeviceChoice,
    /// A ranker of `cairn learn`, or a shipped one by its name, as halide; for the method `ranked`
    #[arg(long, value_name = "FILE", value_parser = RANKERS.parser(), conflicts_with = "expert")]
    ranker: Option<InputFile>,
    /// A file of guides: a sketch or term a line
    #[arg(long, value_name = "FILE")]
    expert: Option<PathBuf>,
    /// Print the guides of every request: terms reached on either side, and what is proposed
    #[arg(long, conflicts_with = "expert")]
    show_guides: bool,
    #[command(flatten)]
    search: SearchArgs,
    /// Seconds at most (not reproducible)
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
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
    let run = args.run.run();
    let mut preset = CompareConfig::default();
    args.search.overrule(&mut preset);
    let cap = preset.cap.unwrap_or(Cap::Nodes(4_000));
    let work = 80_000.max(cap.expected_nodes().saturating_mul(2));
    let scheduler = Schedulers::Auto;
    let settings = search_args::settings(&preset, Budget { cap, work, scheduler }, run.seed);
    settings.check()?;
    let out = args.proof.output()?;
    let system = load_system(&args.system)?;
    if let Some((mut bank, from, shape)) = read_shape(&system, &args.from, &args.to)? {
        return prove_shape(args, &system, &mut bank, (from, shape), &settings, &out);
    }
    let (mut bank, from, to) = read_question(&system, &args.from, &args.to)?;
    let pool = run.build_pool()?;
    let answer = pool.install(|| search(args, &system, &mut bank, [from, to], &settings))?;
    let work = settings.budget.work;
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
        Err(failure) => {
            if !run.quiet && answer.smallest != [from, to] {
                for (side, term) in ["start", "target"].into_iter().zip(answer.smallest) {
                    let term = bank.display_part(term, PRINTED.term_size);
                    note(&format!("the smallest term reached from the {side}: {term}"));
                }
            }
            Err(NotProved(format!("{} ({spent})", explained(failure))).into())
        }
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

/// The start and the target, if that is a sketch and no term.
fn read_shape(system: &System, from: &str, to: &str) -> Result<Option<(TermBank, TermId, Sketch)>> {
    let mut bank = TermBank::new(system.language.clone());
    let term = read_question(system, from, to);
    let Ok(from) = bank.parse(from, None) else { return Ok(None) };
    match Sketch::parse(&system.language, to, Some(bank.sort(from))) {
        Ok(sketch) if term.is_err() => Ok(Some((bank, from, sketch))),
        // What is wrong with it as a term says nothing then.
        Err(mistake) if term.is_err() && (to.contains('?') || to.contains("contains")) => {
            Err(anyhow!("--to {}: {mistake}", quoted(to)))
        }
        _ => Ok(None),
    }
}

/// Proves that the start equals some term of a shape: the smallest that the e-graph has in which there is
/// one for the first time.
fn prove_shape(
    args: &ProveArgs,
    system: &Arc<System>,
    bank: &mut TermBank,
    (from, sketch): (TermId, Sketch),
    settings: &SearchSettings,
    out: &ProofOutput<'_>,
) -> Result<()> {
    ensure!(
        args.method.is_none() && args.model.is_none() && args.expert.is_none() && !args.show_guides,
        "--to is a sketch: no guides can be used (see the stages of `cairn optimise`)"
    );
    let run = args.run.run();
    let pool = Arc::new(run.build_pool()?);
    let objective = Objective { cost: CostFunction::size(), shared: false, exact: None, sketch };
    let settings = OptimiseSettings {
        budget: settings.budget,
        first: true,
        deadline: args.time.and_then(|time| Instant::now().checked_add(time)),
        seed: run.seed,
        pool: Some(pool.clone()),
    };
    let found = pool.install(|| optimise(system, bank, from, &objective, &settings))?;
    let work = (thousands(found.ledger.work), thousands(settings.budget.work));
    let e_graphs = counted(found.ledger.e_graphs, "e-graph");
    let spent = format!("{} of {} work, {e_graphs}", work.0, work.1);
    match found.proof {
        Some(proof) => {
            if !run.quiet {
                note(&format!("proved with {spent}"));
            }
            out.show(system, bank, &proof)
        }
        None => Err(NotProved(format!("no term of this shape was found ({spent})")).into()),
    }
}

fn search(
    args: &ProveArgs,
    system: &Arc<System>,
    bank: &mut TermBank,
    [from, to]: [TermId; 2],
    settings: &SearchSettings,
) -> Result<Answer> {
    let default = match (&args.model, &args.ranker) {
        (Some(_), _) => Method::Model,
        (None, Some(_)) => Method::Ranked,
        (None, None) => Method::Descend,
    };
    let method = args.method.unwrap_or(default);
    method.expect(args.model.is_some(), args.ranker.is_some())?;
    ensure!(
        method != Method::Oracle,
        "method 'oracle' needs a known chain: it is for `cairn evaluate`"
    );
    let unused = args.model.is_some() && !method.needs_model();
    if unused && !args.run.run().quiet {
        note(&format!("method '{method}' does not use the model"));
    }
    let model =
        args.model.as_ref().filter(|_| !unused).map(|path| load_model(path, system, args.device));
    let model = model.transpose()?;
    let deadline = args.time.and_then(|time| Instant::now().checked_add(time));
    let question = Question { ends: [from, to], number: 0, deadline };
    if let Some(path) = &args.expert {
        let mut expert = ExpertGuides::load(path, system, bank.sort(from))?;
        return prove(system, bank, question, &mut expert, settings);
    }
    let quick = match args.method.is_none() && args.model.is_none() && args.ranker.is_none() {
        true => quick_look(system, bank, question, settings)?,
        false => None,
    };
    let mut settings = *settings;
    let mut spent = Ledger::default();
    if let Some(answer) = quick {
        if answer.result.is_ok() || answer.opposed.is_some() {
            return Ok(answer);
        }
        spent = answer.ledger;
        settings.budget.work = settings.budget.work.saturating_sub(spent.work);
    }
    let ranker = args.ranker.as_ref().map(|file| load_ranker(file, system)).transpose()?;
    let watcher: Option<&Watcher<'_>> = if args.show_guides { Some(&show_guides) } else { None };
    let aids = Aids { model: model.as_ref(), ranker: ranker.as_ref(), chain: &[], watcher };
    let answer = by_method::answer(method, system, bank, question, &settings, aids)?;
    Ok(Answer { ledger: spent.and(answer.ledger), ..answer })
}

/// One small e-graph in the order of the ranker that is shipped for the system, if there is one: most of
/// what can be proved is proved so, at a small part of the work.
fn quick_look(
    system: &Arc<System>,
    bank: &mut TermBank,
    question: Question,
    settings: &SearchSettings,
) -> Result<Option<Answer>> {
    let Some(file) = RANKERS.saying(&system.hash) else { return Ok(None) };
    let ranker = load_ranker(&InputFile::Carried(file), system)?;
    let mut settings = *settings;
    let Budget { cap, work, .. } = &mut settings.budget;
    *work = QUICK.min(cap.expected_nodes()).min(*work);
    *cap = Cap::Nodes(usize::try_from(*work).unwrap_or(usize::MAX));
    let aids = Aids { ranker: Some(&ranker), ..Aids::default() };
    by_method::answer(Method::Ranked, system, bank, question, &settings, aids).map(Some)
}
