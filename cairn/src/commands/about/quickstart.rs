//! `cairn quickstart`: all stages, small, on random polynomials. Each is a command of this program.

use crate::inputs::args::RunArgs;
use crate::inputs::shipped::SYSTEMS;
use anyhow::Result;
use guided_search::{RESULTS_FILE, Row, headline, summaries};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;
use support::{OutputDir, note, print, read_table, write_atomic};

const EXAMPLES: &str = "\
Examples:
  # In a clone of the repository: builds, then runs some minutes on two cores
  cargo run --release -- quickstart

  # Elsewhere, with other random choices
  cairn quickstart --out /tmp/quickstart --seed 7

Its stages are these commands, run in the directory of --out:
";

/// What each stage is, what is added to the seed of its random choices, and its command, with an @ before what is in the
/// directory.
const STAGES: [(&str, u64, &str); 9] = [
    (
        "seeds: random polynomials whose e-graphs explode",
        0,
        "seeds --system @ring.rules --sizes 20..50 --variables 5 --least-nodes 2000 --count 200 --out @ring.txt",
    ),
    (
        "dataset: triples from proofs of small e-graphs",
        0,
        "generate --config quickstart --system @ring.rules --seeds @ring.txt --out @dataset",
    ),
    ("model: learns to write guides", 0, "train --data @dataset --out @model"),
    (
        "tasks: far chains from held-out seeds",
        0,
        "tasks --config quickstart --system @ring.rules --seeds @ring.txt --data @dataset --out @tasks.parquet",
    ),
    (
        "tasks to choose a ranker by",
        1,
        "tasks --config quickstart --system @ring.rules --seeds @ring.txt --without @tasks.parquet \
         --out @validation.parquet",
    ),
    (
        "tasks to learn a ranker from",
        2,
        "tasks --config quickstart --system @ring.rules --seeds @ring.txt --without @tasks.parquet \
         --without @validation.parquet --count 150 --out @training.parquet",
    ),
    (
        "ranker: learns which matches lead to proofs",
        0,
        "learn --system @ring.rules --tasks @training.parquet --validation @validation.parquet --rounds 2 \
         --out @ranker",
    ),
    (
        "evaluation: every method under the same limits",
        0,
        "evaluate --config quickstart --system @ring.rules --tasks @tasks.parquet --model @model \
         --ranker @ranker/ranker.json --out @results",
    ),
    ("report", 0, "report @results --out @report.html"),
];

/// The examples, and the commands in lines that are not too long.
fn help() -> String {
    let mut text = EXAMPLES.to_owned();
    for (_, more, command) in STAGES {
        let mut line = "  cairn".to_owned();
        let seed = if more > 0 { format!(" --seed {more}") } else { String::new() };
        for word in format!("{}{seed}", command.replace('@', "")).split(' ') {
            if line.len() + word.len() > 75 {
                text += &(std::mem::replace(&mut line, "     ".to_owned()) + " \\\n");
            }
            line = line + " " + word;
        }
        text += &(line + "\n");
    }
    text + "\nA run that was stopped goes on where it was."
}

/// The file that marks a directory as that of a quickstart.
const MARKER: &str = "quickstart.txt";

/// The arguments of `cairn quickstart`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = help())]
pub struct QuickstartArgs {
    /// The directory for everything that is made
    #[arg(long, value_name = "DIR", default_value = "quickstart")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command; `stage` runs another one.
///
/// # Errors
/// A directory that holds something else, what the file system says, or an internal fault.
pub fn run(args: &QuickstartArgs, stage: &dyn Fn(&[OsString]) -> Result<()>) -> Result<()> {
    let began = Instant::now();
    let run = args.run.run();
    run.build_pool()?;
    let directory = OutputDir::create(&args.out, MARKER)?;
    let marker = format!("cairn quickstart {}, --seed {}\n", env!("CARGO_PKG_VERSION"), run.seed);
    refuse_other_seed(&directory.file(MARKER), &marker)?;
    write_atomic(&directory.file(MARKER), marker.as_bytes())?;
    write_atomic(&directory.file("ring.rules"), SYSTEMS.named("ring")?.text.as_bytes())?;
    for (number, (what, more, command)) in (1..).zip(STAGES) {
        if !run.quiet {
            let (of, seconds) = (STAGES.len(), began.elapsed().as_secs_f64());
            note(&format!("{number}/{of} {what} ({seconds:.0} s so far)"));
        }
        let mut words: Vec<OsString> = vec!["cairn".into()];
        words.extend(command.split(' ').map(|word| match word.strip_prefix('@') {
            Some(name) => directory.file(name).into(),
            None => word.into(),
        }));
        // A report is drawn at once, and nothing in it at random.
        if !command.starts_with("report ") {
            words.extend(["--seed".into(), run.seed.wrapping_add(more).to_string().into()]);
            words.extend(run.quiet.then(|| "--quiet".into()));
            if let Some(threads) = run.threads {
                words.extend(["--threads".into(), threads.to_string().into()]);
            }
        }
        stage(&words)?;
    }
    let rows: Vec<Row> = read_table(&directory.file("results").join(RESULTS_FILE))?;
    let rows: Vec<&Row> = rows.iter().collect();
    print(&format!(
        "\n{}\n\n{:.0} seconds; the report is {}\n",
        headline(&summaries(&rows), &rows, true),
        began.elapsed().as_secs_f64(),
        directory.file("report.html").display()
    ))
}

/// A directory may be gone on with, but not with other random choices.
fn refuse_other_seed(path: &Path, marker: &str) -> Result<()> {
    match std::fs::read_to_string(path) {
        Ok(before) if before != marker => anyhow::bail!(
            "{} is from '{}': choose another directory with --out",
            path.parent().unwrap_or(path).display(),
            before.trim()
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// For each command of a stage the options, of those that it has or lets be given, which make it take no time.
    const SMALL: [(&str, &str); 6] = [
        ("seeds", "--least-nodes 300 --count 30"),
        ("generate", "--nodes 300 --pairs 8"),
        ("train", "--config tiny --steps 5"),
        ("tasks", "--links 2 --link-nodes 100 --count 6"),
        ("learn", "--rounds 1 --epochs 1 --cap 400"),
        ("evaluate", "--work 2000"),
    ];

    fn small(words: &[OsString]) -> Vec<OsString> {
        let mut words = words.to_vec();
        let options = SMALL.iter().find(|(command, _)| words[1] == *command);
        let options: Vec<&str> =
            options.map_or("", |options| options.1).split_whitespace().collect();
        for option in options.chunks(2) {
            match words.iter().position(|word| word == option[0]) {
                Some(at) => words[at + 1] = option[1].into(),
                None => words.extend(option.iter().map(OsString::from)),
            }
        }
        words
    }

    #[test]
    fn each_stage_takes_what_the_ones_before_it_made_and_goes_on_where_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("quickstart");
        let asked = |seed: &str| {
            let mut words = ["cairn", "quickstart", "--quiet", "--threads", "2", "--seed", seed]
                .map(OsString::from)
                .to_vec();
            words.extend(["--out".into(), out.clone().into()]);
            match crate::Cairn::parse_from(words).command {
                crate::Command::Quickstart(args) => args,
                _ => unreachable!("another command"),
            }
        };
        let ran = std::cell::RefCell::new(Vec::new());
        let stage = |words: &[OsString]| {
            ran.borrow_mut().push(words[1].clone());
            crate::stage(&small(words))
        };
        super::run(&asked("3"), &stage).unwrap();
        let report = std::fs::read(out.join("report.html")).unwrap();
        super::run(&asked("3"), &stage).unwrap();
        assert!(std::fs::read(out.join("report.html")).unwrap() == report);
        let refused = super::run(&asked("4"), &stage).unwrap_err().to_string();
        assert!(refused.contains("choose another directory"), "{refused}");
        assert_eq!(ran.borrow().len(), 2 * STAGES.len());
    }
}
