//! Climbing a ladder: what is asked for, the plan that is kept, and its runs one after the other.
//!
//! ```text
//! scaling.json         what was asked for and the plan; written first, and never changed
//! SIZE-FRACTION/       a run: a model's directory, as `cairn train` makes it
//! scaling.csv          a line for each run that has ended, the same bytes for the same plan
//! scaling_times.csv    what they took
//! scaling.html         curves, laws and both tables as a page; the curves also as scaling_*.svg
//! ```

use crate::config::Config;
use crate::network::threads::one_thread_per_operation;
use crate::scaling::baselines::Baselines;
use crate::scaling::measure::measure;
use crate::scaling::page;
use crate::scaling::plan::{Budget, Fraction, Part, Run, Seconds, parts, runs, table};
use crate::scaling::results::{Outcome, finished};
use crate::scaling::sizes::{Size, SizeAsked};
use crate::training::checkpoint::{CONFIG_FILE, DatasetIdentity};
use crate::training::examples::data::{Dataset, Example};
use crate::training::examples::part::SeedOrder;
use crate::training::examples::token_file::Examples;
use crate::training::forecast::{Shape, refuse_what_does_not_fit};
use crate::training::runs::{End, TrainOptions, train};
use anyhow::{Context, Result, bail, ensure};
use candle_core::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::files::output_dir::OutputDir;
use support::files::whole_file::write_atomic;
use support::show::console::note;

/// What was asked for and the plan; marks a directory as a ladder's.
pub const LADDER_FILE: &str = "scaling.json";
const FORMAT: &str = "cairn-ladder-1";

/// What to train and how.
#[derive(Clone, Debug)]
pub struct LadderOptions {
    /// The configuration that sizes are made of.
    pub base: Config,
    /// The sizes.
    pub sizes: Vec<SizeAsked>,
    /// The fractions of the training split.
    pub fractions: Vec<Fraction>,
    /// How long it may take.
    pub budget: Budget,
    /// Seed of all random choices.
    pub seed: u64,
    /// Where to compute.
    pub device: Device,
    /// Show no progress.
    pub quiet: bool,
    /// Set by somebody else to end after the current step, with a checkpoint.
    pub stop: Arc<AtomicBool>,
}

/// All that the results follow from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    sizes: Vec<Size>,
    parts: Vec<Part>,
    budget: Budget,
    seed: u64,
    dataset: DatasetIdentity,
    /// SHA-256 of the rewrite system and the triples.
    dataset_hash: String,
}

/// The content of `scaling.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ladder {
    format: String,
    asked: Asked,
    seconds: Vec<Seconds>,
    runs: Vec<Run>,
}

/// How a ladder ended.
#[derive(Clone, Debug)]
pub struct LadderReport {
    /// Its runs that have ended, in the order of `scaling.csv`.
    pub outcomes: Vec<Outcome>,
    /// How many runs there are in all.
    pub runs: usize,
    /// Whether it was asked to stop before the last of them ended.
    pub stopped: bool,
}

/// Trains a ladder on the dataset in `data` and writes it to `out`, or goes on with the one there.
///
/// Computes in the current rayon pool; what is learned does not depend on its size.
///
/// # Errors
/// What is asked for can't be, the dataset or the directory is not what it should be, or a loss is no
/// number any more.
pub fn climb(data: &Path, out: &Path, options: &LadderOptions) -> Result<LadderReport> {
    one_thread_per_operation();
    check(options)?;
    let dataset = Dataset::load(data)?;
    // Before anything is read or made: another ladder may be at work here.
    let directory = OutputDir::create(out, LADDER_FILE)?;
    let examples = open(&dataset, options, directory.path())?;
    let asked = ask(&dataset, &examples, options)?;
    let path = directory.file(LADDER_FILE);
    let ladder = match path.exists() {
        true => same(&path, &asked, examples.counts()[1])?,
        false => {
            let ladder = plan(asked, &examples, options)?;
            let text = serde_json::to_string_pretty(&ladder)? + "\n";
            write_atomic(&path, text.as_bytes())?;
            ladder
        }
    };
    let Asked { sizes, parts, .. } = &ladder.asked;
    if let Some(line) = examples.left_out_line() {
        note(&line);
    }
    if !options.quiet {
        note(table(&ladder.runs, sizes, parts).trim_end());
    }
    let order = SeedOrder::new(examples.train_seeds(), options.seed);
    let validation = examples.validation(examples.counts()[1])?;
    let mut climber =
        Climber { data, out, options, ladder: &ladder, validation, examples: Vec::new() };
    for part in parts {
        let (first, whole) = (order.first(part.seeds), open(&dataset, options, out)?);
        let examples = whole.of_seeds(|seed| first.contains(&seed))?;
        let baselines = Baselines::new(&examples, &climber.validation)?;
        climber.examples.push((examples, baselines));
    }
    climber.run()
}

fn open(dataset: &Dataset, options: &LadderOptions, out: &Path) -> Result<Examples> {
    Examples::open(dataset, options.base.model.max_tokens, None, out, &options.stop)
}

/// Refuses what needs no dataset to be refused.
fn check(options: &LadderOptions) -> Result<()> {
    match options.budget {
        Budget::Hours(hours) => {
            ensure!(hours > 0.0 && hours.is_finite(), "--hours {hours}: expected a number above 0")
        }
        Budget::Steps(steps) => ensure!(steps > 0, "--steps 0: expected at least 1"),
    }
    ensure!(!options.sizes.is_empty(), "--sizes: expected at least one");
    ensure!(!options.fractions.is_empty(), "--fractions: expected at least one");
    let mut names = BTreeSet::new();
    for SizeAsked { name, .. } in &options.sizes {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let fits = name.chars().all(plain) && !name.starts_with(['.', '-']) && !name.is_empty();
        ensure!(
            fits,
            "--sizes: '{name}' can't name a directory: expected letters, digits, '.', '_', '-'"
        );
        ensure!(names.insert(name), "--sizes: {name} is there twice");
    }
    for Fraction { name, share } in &options.fractions {
        ensure!(*share > 0.0 && *share <= 1.0, "--fractions {name}: expected above 0, at most 1");
    }
    let rising = options.fractions.windows(2).all(|two| two[0].share < two[1].share);
    ensure!(rising, "--fractions: expected rising numbers");
    Ok(())
}

/// What is asked for, as the dataset has it.
fn ask(dataset: &Dataset, examples: &Examples, options: &LadderOptions) -> Result<Asked> {
    let order = SeedOrder::new(examples.train_seeds(), options.seed);
    let tokens = |seeds: usize| {
        let first = order.first(seeds);
        let of = examples.train_seeds().iter().zip(examples.train_lengths());
        let kept = of.filter(|(seed, _)| first.contains(seed));
        kept.flat_map(|(_, lengths)| lengths).map(|n| u64::from(*n)).sum()
    };
    let parts = parts(&options.fractions, &order, tokens)?;
    let size = |asked: &SizeAsked| {
        let size = Size::new(asked, &options.base, &examples.vocabulary);
        size.with_context(|| format!("size {}", asked.name))
    };
    let sizes: Vec<Size> = options.sizes.iter().map(size).collect::<Result<_>>()?;
    for (i, size) in sizes.iter().enumerate() {
        let same = sizes[..i].iter().find(|other| other.config == size.config);
        if let Some(Size { name, .. }) = same {
            bail!(
                "--sizes: {name} and {} are the same network: choose numbers farther apart",
                size.name
            );
        }
    }
    Ok(Asked {
        sizes,
        parts,
        budget: options.budget,
        seed: options.seed,
        dataset: DatasetIdentity::new(&dataset.info),
        dataset_hash: dataset.content_hash()?,
    })
}

/// The ladder that is kept, if it is the one that is asked for.
fn same(path: &Path, asked: &Asked, validation: usize) -> Result<Ladder> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let ladder: Ladder = serde_json::from_str(&text)
        .with_context(|| format!("{name} is not the description of a ladder"))?;
    ensure!(ladder.format == FORMAT, "{name}: format '{}', expected '{FORMAT}'", ladder.format);
    let (is, was) = (asked, &ladder.asked);
    let differences = [
        ("dataset", is.dataset != was.dataset || is.dataset_hash != was.dataset_hash),
        ("sizes or configuration", is.sizes != was.sizes),
        ("fractions or seed", is.parts != was.parts || is.seed != was.seed),
        ("budget", is.budget != was.budget),
    ];
    if let Some((what, _)) = differences.iter().find(|(_, differ)| *differ) {
        let directory = path.parent().unwrap_or(path).display();
        bail!("{directory} holds a ladder of another {what}: choose another directory");
    }
    let whole = ladder.seconds.len() == was.sizes.len()
        && ladder.runs.iter().all(|r| r.size < was.sizes.len() && r.part < was.parts.len());
    ensure!(whole, "{name} is not the description of a ladder");
    // Names are those of directories in this one.
    let expected = runs(was.budget, &was.sizes, &was.parts, &ladder.seconds, validation)?;
    ensure!(expected == ladder.runs, "{name} is not the description of a ladder");
    Ok(ladder)
}

/// Measures every size, and shares out the budget.
fn plan(asked: Asked, examples: &Examples, options: &LadderOptions) -> Result<Ladder> {
    let vocabulary = &examples.vocabulary;
    for size in &asked.sizes {
        let (config, parameters) = (&size.config, size.parameters);
        let lengths = examples.train_lengths();
        let shape = Shape { config, parameters, tokens: vocabulary.len(), lengths };
        refuse_what_does_not_fit(&shape, &options.device)
            .with_context(|| format!("size {}", size.name))?;
    }
    let seconds = asked.sizes.iter().map(|s| measure(&s.config, examples, &options.device));
    let seconds: Vec<Seconds> = seconds.collect::<Result<_>>()?;
    let validation = examples.counts()[1];
    let runs = runs(options.budget, &asked.sizes, &asked.parts, &seconds, validation)?;
    Ok(Ladder { format: FORMAT.to_owned(), asked, seconds, runs })
}

/// A ladder whose runs are being trained.
struct Climber<'a> {
    data: &'a Path,
    out: &'a Path,
    options: &'a LadderOptions,
    ladder: &'a Ladder,
    validation: Vec<Example>,
    /// Of every part.
    examples: Vec<(Examples, Baselines)>,
}

impl Climber<'_> {
    fn run(&self) -> Result<LadderReport> {
        let runs = &self.ladder.runs;
        for (i, run) in runs.iter().enumerate() {
            if self.outcome(run)?.is_some() {
                continue;
            }
            if self.options.stop.load(Ordering::Relaxed) {
                return self.report(true);
            }
            if !self.options.quiet {
                note(&format!("run {} of {}: {}", i + 1, runs.len(), run.name));
            }
            let out = self.out.join(&run.name);
            let options = TrainOptions {
                config: Some(run.config.clone()),
                steps: None,
                seed: self.options.seed,
                training_seeds: Some(self.ladder.asked.parts[run.part].seeds),
                resume: out.join(CONFIG_FILE).exists(),
                device: self.options.device.clone(),
                quiet: self.options.quiet,
                stop: self.options.stop.clone(),
            };
            let report = train(self.data, &out, &options, &mut |_| ControlFlow::Continue(()))
                .with_context(|| format!("run {}", run.name))?;
            if report.end == End::Stopped {
                return self.report(true);
            }
            self.report(false)?;
        }
        self.report(false)
    }

    /// What a run came to, if it has ended.
    fn outcome(&self, run: &Run) -> Result<Option<Outcome>> {
        let Asked { sizes, parts, seed, dataset, .. } = &self.ladder.asked;
        let (size, part) = (&sizes[run.size], &parts[run.part]);
        let (examples, baselines) = &self.examples[run.part];
        let out = self.out.join(&run.name);
        let Some(end) = finished(&out, run, part, dataset, *seed)? else { return Ok(None) };
        let lengths = examples.train_lengths();
        Outcome::new(end, run, (size, part), *seed, lengths, *baselines).map(Some)
    }

    /// Writes what there is so far.
    fn report(&self, stopped: bool) -> Result<LadderReport> {
        let mut outcomes = Vec::new();
        for run in &self.ladder.runs {
            outcomes.extend(self.outcome(run)?);
        }
        outcomes.sort_by_key(|outcome| (outcome.size_number, outcome.part_number));
        page::write(self.out, &outcomes, self.ladder.runs.len(), self.ladder.asked.seed)?;
        Ok(LadderReport { outcomes, runs: self.ladder.runs.len(), stopped })
    }
}
