//! `cairn rules extend`: tasks are tried, rules that those lack that failed are added, and the tasks are tried again.

use crate::commands::rules::worth::compared;
use crate::inputs::args::{RunArgs, load_system_with_text, of_flag};
use crate::inputs::shipped::SYSTEMS;
use crate::inputs::solvers::solvers;
use anyhow::{Result, anyhow, ensure};
use guided_search::{
    Bed, FarChains, Method, Need, SearchOptions, Task, TaskOrigin, TaskSet, Trial,
};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use support::{FileKind, InputFile, OutputFile, counted, first_bytes, note, print};
use synthesis::{Found, MissingOptions, missing};

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
    let (method, needs) = (args.method, args.method.needs());
    ensure!(
        matches!(needs, Need::Nothing | Need::RankerIfAny),
        "--method {method}: expected a method that needs nothing but the question"
    );
    let aim = args.missing.settle().map_err(of_flag)?;
    let out = OutputFile::new(&args.out, RULES)?;
    let (system, text) = load_system_with_text(&args.system)?;
    let set = TaskSet::load(&args.tasks, &system)?;
    let check = args.check.as_deref().map(|path| TaskSet::load(path, &system)).transpose()?;
    let TaskOrigin { links, link_nodes, cap, .. } = set.origin;
    let chains = FarChains { links, link_nodes, cap };
    let settings = args.search.settle_on_tasks(chains, run.seed).map_err(of_flag)?;
    let solvers = if args.no_solver { Vec::new() } else { solvers(&args.solver)? };
    let name = args.system.to_string();
    let bed = Bed { name: &name, text: &text, tasks: &set.tasks, method, settings };
    let tried = |bed: &Bed<'_>, text: &str| -> Result<Trial> {
        bed.trial(text)?.map_err(|error| anyhow!("{name}: {error}"))
    };
    let write = |text: &str| {
        let whole = format!("{HEAD}{}.\n{text}", name.escape_debug());
        out.write(|file| Ok(file.write_all(whole.as_bytes())?))
    };
    run.build_pool()?.install(|| {
        let before = tried(&bed, &text)?;
        let all = counted(set.tasks.len() as u64, "task");
        note(&format!("{} of {all} solved", before.count()));
        let (mut last, mut longer) = (before.clone(), text.clone());
        let mut rules: Vec<(String, Found)> = Vec::new();
        let mut differ: Vec<&str> = Vec::new();
        for round in 1..=args.rounds {
            let failed: Vec<&Task> = (set.tasks.iter().zip(&last.solved))
                .filter_map(|(task, solved)| (!solved).then_some(task))
                .collect();
            if failed.is_empty() {
                break;
            }
            let with = (run.seed, run.quiet);
            let never = AtomicBool::new(false);
            let questions: Vec<[String; 2]> =
                failed.iter().map(|task| [task.start.clone(), task.target.clone()]).collect();
            let found = missing((&name, &longer), &questions, &aim, &solvers, with, &never)?;
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
            last = tried(&bed, &longer)?;
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
            let shorter = with_rules(&text, &kept);
            let trial = tried(&bed, &shorter)?;
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
        if let Some(other) = &check {
            let bed = Bed { tasks: &other.tasks, ..bed };
            let (before, after) = (tried(&bed, &text)?, tried(&bed, &longer)?);
            said += &format!("other tasks: {}\n", compared(&before, &after));
        }
        print(&said)
    })
}

/// A rules file with some rules behind it.
fn with_rules(text: &str, rules: &[(String, Found)]) -> String {
    let mut text = text.to_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    for (name, found) in rules {
        text += &found.with_origin(name);
    }
    text
}
