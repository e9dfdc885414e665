//! `cairn prove`: guided search for one question.

use crate::commands::answers::prove_shape::{Shape, prove_shape, read_shape};
use crate::inputs::aids::AidArgs;
use crate::inputs::args::{
    NotProved, RunArgs, keep_to_cap, load_system, note_unread, of_flag, read_question, read_ranker,
};
use crate::inputs::shipped::{SYSTEMS, ranker_of};
use crate::shown::guides::show_guides;
use crate::shown::proof::{PRINTED, ProofArgs, show_opposed};
use anyhow::{Result, anyhow, bail};
use egraph::{System, TermBank, TermId};
use guided_search::{
    Aids, Answer, Asked, ExpertGuides, Failure, Method, Need, Question, SearchOptions,
    SearchSettings, Seconds, Watcher,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use support::{InputFile, counted, note, thousands};

const EXAMPLES: &str = "\
Examples:
  # Small random waypoints from both sides, e-graphs of at most 200 e-nodes
  cairn prove --system halide --method descend --cap 200 --work 40000 \\
      --start '(<= (+ (* 2 x) (* 2 y)) (* 2 z))' --target '(<= (+ y x) z)'

  # A trained model's guides
  cairn prove --system ring --model quickstart/model --cap 2000 \\
      --start '(* (+ a b) (- a b))' --target '(- (* a a) (* b b))'

  # An expert's sketches, one a line in the order in which they are reached
  echo '(<= (* 2 ?) (* 2 ?))' > guides.txt
  cairn prove --system halide --expert guides.txt --cap 200 --out proof.json \\
      --start '(<= (+ (* 2 x) (* 2 y)) (* 2 z))' --target '(<= (+ y x) z)'

  # A proof to any term of a shape
  cairn prove --system tiling --start '(m (* n1 32) f)' \\
      --target '(contains (m n1 (m 32 ?)))'

Exit code 3: no proof was found within the budget.";

fn help() -> String {
    format!("Methods:\n{}\n{EXAMPLES}", Method::list())
}

/// The arguments of `cairn prove`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = help())]
pub struct ProveArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The start
    #[arg(long, value_name = "TERM", allow_negative_numbers = true, alias = "from")]
    start: String,
    /// The target: a term, or a sketch, which stands for any term that satisfies it
    #[arg(long, value_name = "TERM", allow_negative_numbers = true, alias = "to")]
    target: String,
    /// How to search, see below [default: model with --model, expert with --expert, otherwise portfolio]
    #[arg(long, value_name = "NAME")]
    method: Option<Method>,
    #[command(flatten)]
    aids: AidArgs,
    /// A file of guides: a sketch or term a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "model", "ranker", "show_guides"])]
    expert: Option<PathBuf>,
    /// Print the guides of every request: terms reached on either side, and what is proposed
    #[arg(long)]
    show_guides: bool,
    #[command(flatten)]
    search: SearchOptions,
    /// Seconds at most (not reproducible)
    #[arg(long, value_name = "SECONDS")]
    time: Option<Seconds>,
    #[command(flatten)]
    proof: ProofArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// # Errors
/// Bad input, [`NotProved`], or an internal fault.
pub fn run(args: &ProveArgs) -> Result<()> {
    let run = args.run.run();
    let settings = args.search.settle(run.seed).map_err(of_flag)?;
    keep_to_cap(settings.budget.cap, args.aids.model.is_some());
    let mut out = args.proof.output()?;
    let system = load_system(&args.system)?;
    if !run.quiet {
        out.with_verdicts(&args.system);
    }
    if let Some((mut bank, from, shape)) = read_shape(&system, &args.start, &args.target)? {
        args.refuse_guides()?;
        let shape = Shape { from, sketch: shape, deadline: args.deadline() };
        return prove_shape(&system, &mut bank, shape, &settings, &run, &out);
    }
    let (mut bank, from, to) = read_question(&system, &args.start, &args.target)?;
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
        Failure::Cancelled => "somebody asked to stop",
    }
}

fn search(
    args: &ProveArgs,
    system: &Arc<System>,
    bank: &mut TermBank,
    ends: [TermId; 2],
    settings: &SearchSettings,
) -> Result<Answer> {
    let method = args.method()?;
    let file =
        method.uses_ranker().then(|| args.aids.ranker.or(|| Some(ranker_of(system)))).flatten();
    let mut there = args.aids.there(file.as_ref());
    there.extend(args.expert.as_ref().map(|_| Need::Guides));
    method.expect(&there)?;
    let uses_model = method.needs() == Need::Model;
    let aids = [
        ("model", args.aids.model.is_some() && !uses_model),
        ("ranker", args.aids.ranker.given.is_some() && !method.uses_ranker()),
    ];
    for (aid, _) in aids.into_iter().filter(|(_, unused)| *unused && !args.run.run().quiet) {
        note(&format!("method '{method}' does not use the {aid}"));
    }
    let mut given = args.aids.read(system, uses_model)?;
    given.ranker = match file {
        Some(file) => Some((file.clone(), read_ranker(&file, system)?)),
        None => None,
    };
    if let Some(model) = given.aids().model.filter(|_| !args.run.run().quiet) {
        note_unread(model, bank, ends)?;
    }
    let sort = bank.sort(ends[0]);
    let expert = args.expert.as_ref().map(|path| ExpertGuides::load(path, system, sort));
    let expert = expert.transpose()?;
    let watcher: Option<&Watcher<'_>> = if args.show_guides { Some(&show_guides) } else { None };
    let aids = Aids { expert: expert.as_ref(), watcher, ..given.aids() };
    let question = Question {
        ends,
        number: 0,
        deadline: args.deadline(),
        cancel: None,
        threads: rayon::current_num_threads(),
    };
    method.answer(&mut Asked { system, bank, question, settings: *settings, aids })
}

impl ProveArgs {
    /// The method that is asked for, or that goes with what is given.
    fn method(&self) -> Result<Method> {
        let name = match (&self.aids.model, &self.expert) {
            (Some(_), _) => "model",
            (None, Some(_)) => "expert",
            (None, None) => "portfolio",
        };
        self.method.map_or_else(|| name.parse().map_err(|e: String| anyhow!(e)), Ok)
    }

    /// Refuses what has no meaning where the target is a sketch.
    fn refuse_guides(&self) -> Result<()> {
        let own = [
            ("--method", self.method.is_some()),
            ("--expert", self.expert.is_some()),
            ("--show-guides", self.show_guides),
        ];
        let own = own.into_iter().filter(|(_, given)| *given).map(|(option, _)| option);
        if let Some(option) = own.chain(self.aids.given()).next() {
            bail!(
                "{option}: guides lie between two terms, and --target is a sketch, which names no second one: \
                 leave {option} out, or give a term with --target, or write the sketches on the way as phases for \
                 `cairn optimise --strategy`"
            );
        }
        Ok(())
    }

    fn deadline(&self) -> Option<Instant> {
        self.time.and_then(Seconds::from_now)
    }
}
