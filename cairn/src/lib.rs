//! `cairn`: one subcommand per stage, from a rewrite system to guided proofs and a report.
//!
//! [`program`] is the whole program, so that a package for another language can contain it. The other items are shared
//! by such a package and the commands: shipped files, presets, pages.
//!
//! ```
//! let arguments = ["cairn", "system", "check", "prop"];
//! assert_eq!(cairn::program(arguments.map(Into::into)), 0);
//! assert!(cairn::SYSTEMS.names().any(|name| name == "halide"));
//! ```

mod commands;
mod inputs;
mod shown;

pub use commands::answers::saturate::STORED_EGRAPH;
pub use commands::export::egraph_page;
pub use inputs::args::load_ranker;
pub use inputs::listed::Argument;
pub use inputs::ranker_file::named_ranker;
pub use inputs::shipped::{SYSTEMS, Shipped, any_ranker, own_ranker_of};
pub use inputs::shipped_models::{keep_models_in, model_directory};
pub use shown::proof::PRINTED;

use clap::{CommandFactory, Parser, Subcommand};
use commands::{about, answers, data, learning, measured, rules, system};
use inputs::args::NotProved;
use inputs::old_names;
use inputs::signals::Interrupted;
use std::error::Error;
use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use support::{exit_code, note};

/// Equality saturation guided by machine learning
///
/// Rewrite systems, seeds and presets that are shipped with cairn can be named without a file, as
/// in `--system halide`; a file of that name is taken first.
///
/// Exit codes: 0 done, 1 a fault of cairn itself, 2 bad input or a refused proof, 3 no proof was
/// found (explain, prove) or the goal was not reached (saturate, optimise), 130 and 143 ended by SIGINT
/// (Ctrl-C) and SIGTERM.
#[derive(Parser)]
#[command(name = "cairn", version, max_term_width = 100)]
struct Cairn {
    /// Log the steps of a search to the standard error; also with CAIRN_LOG=debug
    #[arg(short, long, global = true)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Grow one e-graph and print a table per iteration
    Saturate(answers::saturate::SaturateArgs),
    /// Prove two terms equal in one e-graph
    Explain(answers::explain::ExplainArgs),
    /// Check a proof file
    Check(answers::check::CheckArgs),
    /// Check a rules file, or make one from an egglog program
    System(system::SystemArgs),
    /// Find rules from operators alone, or leave out those that follow from others
    Rules(rules::RulesArgs),
    /// Draw random terms as seeds
    Seeds(data::seeds::SeedsArgs),
    /// Generate a dataset of (start, guide, target) triples from seed terms
    Generate(data::generate::GenerateArgs),
    /// Make a dataset from the parts that `generate --shard` made
    Merge(data::merge::MergeArgs),
    /// Take other triples from the proofs of a dataset
    Split(data::split::SplitArgs),
    /// Check a dataset: its files, proofs, triples and counts
    Verify(data::verify::VerifyArgs),
    /// Show what a dataset, model, ranker, task file or evaluation holds
    Inspect(data::inspect::InspectArgs),
    /// Train a model that writes guides
    Train(learning::train::TrainArgs),
    /// Learn which matches lead to proofs: a ranker for best-first saturation
    Learn(learning::learn::LearnArgs),
    /// Make a ranker for every system of what was learned on some
    Any(learning::any::AnyArgs),
    /// Make a dataset of ways to goals, for a model that plans
    Plans(learning::plans::PlansArgs),
    /// Make a dataset of normal forms, for a model that guesses smaller terms
    Guesses(learning::guesses::GuessesArgs),
    /// Prove two terms equal by guided search
    Prove(answers::prove::ProveArgs),
    /// Find the best term that equals a given one
    Optimise(answers::optimise::OptimiseArgs),
    /// Make tasks: far chains from held-out seeds
    Tasks(data::tasks::TasksArgs),
    /// Compare methods on tasks
    Evaluate(measured::evaluate::EvaluateArgs),
    /// Write a page about an evaluation
    Report(measured::report::ReportArgs),
    /// Run all stages, small, on random polynomials
    Quickstart(about::quickstart::QuickstartArgs),
    /// Print what a shell needs to complete commands and options
    Completions(about::completions::CompletionsArgs),
    /// Print the manual page, or write the pages of all commands
    Man(about::man::ManArgs),
}

/// The program, with its arguments, of which the first is its name. It owns the process: it may end it, and
/// its messages go to the standard error.
/// It gives the exit code.
pub fn program(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    quiet_about_closed_pipes();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cairn = Cairn::try_parse_from(&arguments).unwrap_or_else(|error| refuse_arguments(&error));
    for warning in old_names::warnings(&Cairn::command(), &arguments) {
        note(&warning);
    }
    start_log(cairn.verbose);
    match catch_unwind(AssertUnwindSafe(|| run(cairn.command))) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) if is_closed_pipe(&error) => 0,
        Ok(Err(error)) => {
            if let Some(NotProved(reason)) = error.downcast_ref() {
                note(&format!("not proved: {reason}"));
                return 3;
            }
            if let Some(Interrupted { signal, message }) = error.downcast_ref() {
                note(message);
                return 128 + signal;
            }
            note(&format!("error: {}", one_line(&error)));
            exit_code(&error)
        }
        // The panic's own message is on the standard error already.
        Err(_) => {
            note("error: internal error (this is a bug in cairn, not in your input)");
            1
        }
    }
}

/// The arguments of a command of the program.
pub fn arguments(command: &str) -> Vec<Argument> {
    inputs::listed::arguments(&mut Cairn::command(), command)
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Saturate(args) => answers::saturate::run(&args),
        Command::Explain(args) => answers::explain::run(&args),
        Command::Check(args) => answers::check::run(&args),
        Command::System(args) => system::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Seeds(args) => data::seeds::run(&args),
        Command::Generate(args) => data::generate::run(&args),
        Command::Merge(args) => data::merge::run(&args),
        Command::Split(args) => data::split::run(&args),
        Command::Verify(args) => data::verify::run(&args),
        Command::Inspect(args) => data::inspect::run(&args),
        Command::Train(args) => learning::train::run(&args),
        Command::Learn(args) => learning::learn::run(&args),
        Command::Any(args) => learning::any::run(&args),
        Command::Plans(args) => learning::plans::run(&args),
        Command::Guesses(args) => learning::guesses::run(&args),
        Command::Prove(args) => answers::prove::run(&args),
        Command::Optimise(args) => answers::optimise::run(&args),
        Command::Tasks(args) => data::tasks::run(&args),
        Command::Evaluate(args) => match &args.terms {
            Some(terms) => measured::evaluate_terms::run(&args, terms),
            None => measured::evaluate::run(&args),
        },
        Command::Report(args) => measured::report::run(&args),
        Command::Quickstart(args) => about::quickstart::run(&args, &stage),
        Command::Completions(args) => about::completions::run(&args, Cairn::command()),
        Command::Man(args) => about::man::run(&args, Cairn::command()),
    }
}

/// Runs a command as a stage of another one, which goes on where it was.
fn stage(words: &[OsString]) -> anyhow::Result<()> {
    match Cairn::try_parse_from(words)?.command {
        // It does not say what a signal means.
        Command::Generate(args) => data::generate::make(&args),
        Command::Tasks(args) if args.out.exists() => Ok(()),
        Command::Train(args) => learning::train::go_on(args),
        command => run(command),
    }
}

/// Says what is wrong with the arguments (or shows the help, if that was asked for) and ends.
fn refuse_arguments(error: &clap::Error) -> ! {
    let reason = error.source().map(ToString::to_string);
    // What the standard library says of a text that is no number names no expectation.
    let expected = match reason.as_deref() {
        Some("invalid digit found in string" | "cannot parse integer from empty string") => {
            "expected a whole number"
        }
        Some(text) if text.starts_with("number too large") => "the number is too large",
        Some(text) if text.starts_with("number too small") => "the number is too small",
        _ => error.exit(),
    };
    let text = error.render().to_string();
    // As in all other errors of this program: no text that can't be written makes it panic.
    let _ = write!(std::io::stderr(), "{}", text.replace(&reason.unwrap_or_default(), expected));
    std::process::exit(2)
}

/// The error and its causes on one line. Errors of some libraries say what their cause says, which
/// is not said again.
fn one_line(error: &anyhow::Error) -> String {
    let mut messages: Vec<String> = Vec::new();
    for cause in error.chain() {
        let message = cause.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        if messages.last().is_none_or(|last| !last.ends_with(&message)) {
            messages.push(message);
        }
    }
    messages.join(": ")
}

/// Whether the reader of the standard output went away, as `head` does: no error of ours.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

/// `println!` panics when the reader of the standard output goes away; that ends the program
/// quietly, as it ends others.
fn quiet_about_closed_pipes() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        if message.starts_with("failed printing to stdout") && message.contains("Broken pipe") {
            std::process::exit(0);
        }
        usual(panic);
    }));
}

fn start_log(verbose: bool) {
    let by_flag = if verbose { tracing::Level::DEBUG } else { tracing::Level::WARN };
    let level = std::env::var("CAIRN_LOG").ok().and_then(|text| text.parse().ok());
    tracing_subscriber::fmt()
        .with_max_level(level.unwrap_or(by_flag))
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .init();
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;
    use guided_search::{
        AnyOptions, Beside, LearnOptions, OptimiseOptions, SearchOptions, TaskOptions,
    };

    /// The width at which help is shown where there is no terminal, and that of narrow terminals.
    const WIDTHS: [usize; 2] = [100, 80];

    #[test]
    fn no_line_of_any_help_is_too_long_or_broken_within_an_example() {
        let mut program = Cairn::command();
        program.build();
        for command in about::man::commands(&program).into_iter().skip(1) {
            let name = command.get_name().to_owned();
            let notes = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            // An indented line is an example, which can't be wrapped; any other is a paragraph.
            let longest = |line: &&str| line.starts_with(' ') && line.chars().count() > WIDTHS[1];
            assert_eq!(notes.lines().find(longest), None, "cairn {name}");
            for width in WIDTHS {
                let help = command.clone().term_width(width).render_long_help().to_string();
                // The line of usage is never wrapped.
                let most = |line: &str| if line.starts_with("Usage: ") { WIDTHS[0] } else { width };
                let long = help.lines().find(|line| line.chars().count() > most(line));
                assert_eq!(long, None, "cairn {name} --help");
            }
        }
    }

    /// What help says is the value of an option that is not given.
    fn said_default(command: &str, option: &str) -> String {
        let all = arguments(command);
        let argument = all.iter().find(|argument| argument.name == option).unwrap();
        let said = argument.sentence.split_once("[default: ").unwrap().1;
        said.trim_end_matches(']').replace(',', "")
    }

    #[test]
    fn help_says_what_options_are_that_are_not_given() {
        let search = SearchOptions::default().settle(0).unwrap().listed();
        let search = search.map(|(option, _, value)| ("prove", option, value)).to_vec();
        let learn = LearnOptions::default().settle(true).unwrap();
        let any = AnyOptions::default().settle().unwrap();
        let tasks = TaskOptions::default().settle(1_000, 0);
        let optimise = OptimiseOptions::default().settle(Beside::default()).unwrap();
        let guides = OptimiseOptions::default().guides();
        let others = [
            ("learn", "cost", learn.cost),
            ("learn", "cap", learn.budget.cap.to_string()),
            ("learn", "batch", learn.batch.to_string()),
            ("learn", "rounds", learn.rounds.to_string()),
            ("learn", "epochs", learn.epochs.to_string()),
            ("any", "examples", any.examples.to_string()),
            ("any", "epochs", any.epochs.to_string()),
            ("tasks", "links", tasks.links.to_string()),
            ("tasks", "memory", egraph::ByteSize(tasks.memory).to_string()),
            ("tasks", "count", tasks.count.to_string()),
            ("tasks", "rounds", tasks.rounds.to_string()),
            ("optimise", "cost", optimise.cost),
            ("optimise", "cap", optimise.limits.budget.cap.to_string()),
            ("optimise", "patience", optimise.limits.patience.to_string()),
            ("optimise", "scheduler", optimise.limits.budget.scheduler.to_string()),
            ("optimise", "guides", guides.to_string()),
        ];
        for (command, option, value) in search.into_iter().chain(others) {
            // Those that follow from others are told in words.
            if !["expansion", "seed"].contains(&option) {
                let said = said_default(command, option);
                let said = said.split([' ', ';']).next().unwrap();
                assert_eq!(said, value, "{command} --{option}");
            }
        }
    }

    #[test]
    fn what_a_cause_says_is_not_said_again() {
        let parquet = || parquet::errors::ParquetError::from(std::io::Error::other("disk full"));
        let error = Err::<(), _>(parquet()).context("cannot write\n  t.parquet").unwrap_err();
        assert_eq!(one_line(&error), "cannot write t.parquet: External: disk full");
    }
}
