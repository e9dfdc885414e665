//! `cairn rules extend`: tasks are tried, rules that those lack that failed are added, and the tasks are tried again.

use crate::commands::rules::tasks::{RulesOnTasks, compared, needs_nothing};
use crate::inputs::args::{RunArgs, of_flag};
use crate::inputs::shipped::SYSTEMS;
use crate::inputs::solvers::solvers;
use anyhow::Result;
use guided_search::{Method, SearchOptions, Task, Trial};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use support::{FileKind, InputFile, OutputFile, counted, first_bytes, note, print};
use synthesis::{Found, MissingOptions, missing, with_rules};

const EXAMPLES: &str = "\
Examples:
  cairn rules extend my.rules --tasks tasks.csv --out more.rules
  cairn rules extend my.rules --tasks tasks.csv --out more.rules \\
      --check other.csv --rounds 5

The tasks are tried. An e-graph of both terms of a task that is not solved holds apart what the rules don't know to be equal: \
classes with equal values at all points. The smallest of these pairs are made as general as their values allow, and what \
does not follow from the rules so far is proved, by all assignments, or by z3, cvc5 and bitwuzla, whichever are on the PATH. \
What is proved becomes a rule, at other widths of words, too, where it is proved there; the tasks are tried again, and so on, \
until nothing new is found. In the end rules that no proof uses are left out.

Operators must be built in, or nothing is known of their values. The file is written after each round: to go on with a \
command that was stopped, extend the file that it wrote. Results are the same for any number of threads, as long as no solver \
comes to the end of its --query-time.";

/// The arguments of `cairn rules extend`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ExtendArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as words
    #[arg(value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The tasks: Parquet from `cairn tasks`, CSV with the columns `start` and `target`, or text
    /// with a start and a target a line
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// Write the rules file with the rules that the tasks lacked
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Other tasks, on which the two files are compared
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// How often rules are looked for
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// The method that proves tasks, one of those of `cairn evaluate` that need nothing
    #[arg(long, value_name = "NAME", default_value = "deep")]
    method: Method,
    /// A solver to ask, by its path; several are asked one after the other [default: z3, cvc5 and bitwuzla where the
    /// PATH has them]
    #[arg(long, value_name = "PROGRAM", conflicts_with = "no_solver")]
    solver: Vec<PathBuf>,
    /// Ask no solver: what has too many assignments is not proved
    #[arg(long)]
    no_solver: bool,
    #[command(flatten)]
    missing: MissingOptions,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    run: RunArgs,
}

/// How what is written begins, by which it is recognised.
const HEAD: &str = "; Rules that tasks lacked were added by cairn to ";

const RULES: FileKind = FileKind {
    name: "an extended rules file",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with(HEAD)),
};

/// Runs the command.
///
/// # Errors
/// Bad input, what the file system says, or an internal fault.
pub fn run(args: &ExtendArgs) -> Result<()> {
    let run = args.run.run();
    needs_nothing(args.method)?;
    let aim = args.missing.settle().map_err(of_flag)?;
    let out = OutputFile::new(&args.out, RULES)?;
    let files = (args.tasks.as_path(), args.check.as_deref());
    let on = RulesOnTasks::load(&args.system, files, args.method, (&args.search, run.seed))?;
    let solvers = if args.no_solver { Vec::new() } else { solvers(&args.solver)? };
    let (bed, tasks) = (on.bed(), &on.tasks.tasks);
    let write = |text: &str| out.write(|file| Ok(file.write_all(on.made(HEAD, text).as_bytes())?));
    run.build_pool()?.install(|| {
        let before = bed.trial_of(&on.text)?;
        let all = counted(tasks.len() as u64, "task");
        note(&format!("{} of {all} solved", before.count()));
        let (mut last, mut longer) = (before.clone(), on.text.clone());
        let mut rules: Vec<(String, Found)> = Vec::new();
        let mut differ: Vec<&str> = Vec::new();
        for round in 1..=args.rounds {
            let failed: Vec<&Task> = (tasks.iter().zip(&last.solved))
                .filter_map(|(task, solved)| (!solved).then_some(task))
                .collect();
            if failed.is_empty() {
                break;
            }
            let with = (run.seed, run.quiet);
            let never = AtomicBool::new(false);
            let questions: Vec<[String; 2]> =
                failed.iter().map(|task| [task.start.clone(), task.target.clone()]).collect();
            let found = missing((&on.name, &longer), &questions, &aim, &solvers, with, &never)?;
            note(&format!(
                "round {round}: {}; {} refuted, {} neither proved nor refuted",
                counted(found.rules.len() as u64, "rule"),
                counted(found.refuted as u64, "candidate"),
                found.unknown,
            ));
            differ = found.differ.iter().map(|&place| failed[place].id.as_str()).collect();
            if found.rules.is_empty() {
                break;
            }
            longer = found.text;
            rules.extend(found.rules);
            write(&longer)?;
            last = bed.trial_of(&longer)?;
            note(&format!("{} of {all} solved", last.count()));
        }
        let uses = |trial: &Trial, rule: &str| {
            let of = |name: &str| trial.used.get(name).copied().unwrap_or(0);
            of(rule) + of(&format!("{rule}-rev"))
        };
        // Rules that no proof uses only cost; unless their absence loses tasks all the same.
        let kept: Vec<(String, Found)> =
            rules.iter().filter(|(rule, _)| uses(&last, rule) > 0).cloned().collect();
        if kept.len() < rules.len() {
            let shorter = with_rules(&on.text, &kept);
            let trial = bed.trial_of(&shorter)?;
            if trial.count() >= last.count() {
                (longer, last, rules) = (shorter, trial, kept);
            }
        }
        write(&longer)?;
        rules.sort_by_key(|(rule, _)| std::cmp::Reverse(uses(&last, rule)));
        let mut said = String::from("tasks  rule\n");
        for (rule, found) in &rules {
            said += &format!("{:5}  {}", uses(&last, rule), found.line(rule));
        }
        said += &format!("{}: {}\n", counted(rules.len() as u64, "rule"), compared(&before, &last));
        if !differ.is_empty() {
            let tasks = counted(differ.len() as u64, "task");
            said += &format!("{tasks} whose terms have different values: {}\n", differ.join(" "));
        }
        said += &on.checked(&longer)?;
        print(&said)
    })
}
