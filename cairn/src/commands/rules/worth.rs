//! `cairn rules worth`: what each rule of a file is worth on tasks, and a file without those that cost more than they bring.

use crate::commands::rules::tasks::{RulesOnTasks, compared, needs_nothing};
use crate::inputs::args::RunArgs;
use crate::inputs::shipped::SYSTEMS;
use anyhow::Result;
use guided_search::{Chosen, Method, SearchOptions, Trial, WithoutForm, Worth};
use std::io::Write;
use std::path::PathBuf;
use support::{FileKind, InputFile, OutputFile, counted, first_bytes, print, thousands};

const EXAMPLES: &str = "\
Examples:
  cairn tasks --system ring --seeds ring --count 40 --out tasks.parquet
  cairn tasks --system ring --seeds ring --count 40 --seed 1 --out other.parquet
  cairn rules worth ring --tasks tasks.parquet --out worth.csv
  cairn rules worth ring --tasks tasks.parquet --out worth.csv \\
      --choose fewer.rules --check other.parquet

The tasks are tried with the whole file, and once without each rule (of a birewrite both directions). A rule without \
which tasks are lost is needed here. One without which as many are proved with less work costs more than it brings: \
with --choose such rules are left out, the costliest first, as long as that still holds without those before it. A rule that is \
not needed on some tasks may be on others: --check tries other tasks with both files.

What is finished is kept beside the table until it is written: the same command goes on after it was stopped. Results are the \
same for any number of threads.";

/// The arguments of `cairn rules worth`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct WorthArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// The tasks: Parquet from `cairn tasks`, CSV with the columns `start` and `target`, or text
    /// with a start and a target a line
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// Write a table of all rules: CSV with the columns rules, line, solved, lost, gained, work, refused
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The method that proves tasks, one of those of `cairn evaluate` that need nothing
    #[arg(long, value_name = "NAME", default_value = "deep")]
    method: Method,
    /// Write the rules file without rules that cost more than they bring
    #[arg(long, value_name = "FILE")]
    choose: Option<PathBuf>,
    /// Other tasks, on which the file and the one without those rules are compared
    #[arg(long, value_name = "FILE", requires = "choose")]
    check: Option<PathBuf>,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    run: RunArgs,
}

/// The first line of a table, by which it is recognised.
const HEADER: &str = "rules,line,solved,lost,gained,work,refused\n";
/// How a rules file begins that is written, by which it is recognised.
const HEAD: &str = "; Rules that cost more than they bring were left out by cairn from ";

const TABLE: FileKind = FileKind {
    name: "a table of what rules are worth",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with(HEADER)),
};
const RULES: FileKind = FileKind {
    name: "a rules file with less cost",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with(HEAD)),
};

/// Runs the command.
///
/// # Errors
/// Bad input, what the file system says, or an internal fault.
pub fn run(args: &WorthArgs) -> Result<()> {
    let run = args.run.run();
    needs_nothing(args.method)?;
    let out = OutputFile::new(&args.out, TABLE)?;
    let choose = args.choose.as_deref().map(|path| OutputFile::new(path, RULES)).transpose()?;
    let files = (args.tasks.as_path(), args.check.as_deref());
    let on = RulesOnTasks::load(&args.system, files, args.method, (&args.search, run.seed))?;
    let bed = on.bed();
    let write = |worth: &Worth| out.write(|file| Ok(file.write_all(table(worth).as_bytes())?));
    run.build_pool()?.install(|| {
        let worth = bed.worth(&args.out, run.quiet, write)?;
        let mut said = shown(&worth);
        if let Some(choose) = choose {
            let chosen = bed.chosen(&worth, run.quiet)?;
            let fewer = on.made(HEAD, &chosen.text);
            choose.write(|file| Ok(file.write_all(fewer.as_bytes())?))?;
            said += &left_out(&worth, &chosen);
            said += &on.checked(&chosen.text)?;
        }
        print(&said)
    })
}

/// What a rule's absence comes to: tasks that are lost and that are gained.
fn change(worth: &Worth, trial: &Trial) -> [usize; 2] {
    [worth.whole.more_than(trial), trial.more_than(&worth.whole)]
}

/// A row for each rule, or each that stand in one form, in the order of the file; the first one is the whole file.
fn table(worth: &Worth) -> String {
    let mut text = HEADER.to_owned();
    let Worth { whole, without } = worth;
    text += &format!(",,{},0,0,{},\n", whole.count(), whole.work);
    for WithoutForm { rules, line, trial, .. } in without {
        let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let rules = quote(&rules.join(" "));
        text += &match trial {
            Ok(trial) => {
                let [lost, gained] = change(worth, trial);
                format!("{rules},{line},{},{lost},{gained},{},\n", trial.count(), trial.work)
            }
            Err(why) => format!("{rules},{line},,,,,{}\n", quote(why)),
        };
    }
    text
}

/// The same to look at, the most needed rules first.
fn shown(worth: &Worth) -> String {
    let Worth { whole, without } = worth;
    let work = |work: u64| thousands(work);
    let mut rows: Vec<(&WithoutForm, &Trial)> =
        without.iter().filter_map(|known| Some((known, known.trial.as_ref().ok()?))).collect();
    rows.sort_by_key(|(known, trial)| (trial.count(), std::cmp::Reverse(trial.work), known.line));
    let name = |known: &WithoutForm| known.rules.join(" ");
    let width = rows.iter().map(|(known, _)| name(known).chars().count()).max().unwrap_or(0);
    let width = width.max("without".len());
    let mut text = format!("{:width$}  solved  lost  gained  work\n", "without");
    text += &format!(
        "{:width$}  {:6}  {:4}  {:6}  {}\n",
        "none",
        whole.count(),
        0,
        0,
        work(whole.work)
    );
    for (known, trial) in rows {
        let [lost, gained] = change(worth, trial);
        let (name, count) = (name(known), trial.count());
        text += &format!("{name:width$}  {count:6}  {lost:4}  {gained:6}  {}\n", work(trial.work));
    }
    for known in without {
        if let Err(why) = &known.trial {
            text += &format!("{:width$}  without it the file is refused: {why}\n", name(known));
        }
    }
    text
}

fn left_out(worth: &Worth, chosen: &Chosen) -> String {
    let Chosen { left_out, trial, .. } = chosen;
    if left_out.is_empty() {
        return "no rule costs more than it brings\n".to_owned();
    }
    let count = counted(left_out.len() as u64, "rule");
    format!("{count} left out ({}): {}\n", left_out.join(", "), compared(&worth.whole, trial))
}
