//! What several commands have in common: options and inputs.

use crate::inputs::old_names::was_renamed;
use anyhow::{Context, Error, Result, anyhow};
use clap::ValueEnum;
use egraph::{
    ByteSize, CostFunction, Limits, SaturationConfig, Schedule, Scheduler, System, TermBank, TermId,
};
use guided_search::{Cap, GuideWriter, Preset, Seconds, quoted, read_texts};
use model::{Device, GuideModel, first_gpu};
use ranking::Ranker;
use rayon::ThreadPool;
use std::path::Path;
use std::sync::Arc;
use support::{InputFile, Run, give_back_large_blocks, note, read_toml};

/// Options that mean the same in every command.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RunArgs {
    /// Number of threads; the result does not depend on it [default: all processors]
    #[arg(long, value_name = "N", global = true)]
    threads: Option<usize>,
    /// Seed of all random choices
    #[arg(long, value_name = "NUMBER", default_value_t = 0, global = true)]
    seed: u64,
    /// Show no progress
    #[arg(long, global = true)]
    quiet: bool,
}

impl RunArgs {
    /// What the libraries take.
    pub fn run(&self) -> Run {
        Run { threads: self.threads, seed: self.seed, quiet: self.quiet }
    }
}

/// Where to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DeviceChoice {
    /// The processor.
    #[default]
    Cpu,
    /// The first NVIDIA GPU.
    Cuda,
}

impl DeviceChoice {
    /// Opens the device.
    ///
    /// # Errors
    /// A GPU was asked for and can't be used.
    pub fn open(self) -> Result<Device> {
        match self {
            DeviceChoice::Cpu => Ok(Device::Cpu),
            DeviceChoice::Cuda => first_gpu()
                .map_err(|reason| anyhow!("--device cuda: no GPU can be used here ({reason})")),
        }
    }
}

/// No proof was found, or a goal was not reached: exit code 3. Neither bad input nor a fault.
#[derive(Debug, thiserror::Error)]
#[error("not proved: {0}")]
pub struct NotProved(pub String);

/// When to stop growing an e-graph.
#[derive(Clone, Debug, clap::Args)]
pub struct LimitArgs {
    /// At most so much memory for the e-graph, as 64MiB or 1GiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    pub memory: ByteSize,
    /// At most so many e-nodes
    #[arg(long, value_name = "N")]
    pub nodes: Option<usize>,
    /// At most so many iterations
    #[arg(long, value_name = "N")]
    pub iterations: Option<u64>,
    /// At most so many seconds (not reproducible)
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<Seconds>,
}

impl LimitArgs {
    /// The same, with threads to search with.
    pub fn config(&self, pool: ThreadPool, scheduler: Scheduler) -> SaturationConfig {
        let limits = Limits {
            memory: Some(self.memory.0),
            nodes: self.nodes,
            iterations: self.iterations,
            time: self.time.map(|seconds| seconds.0),
            ..Limits::default()
        };
        let pool = Some(Arc::new(pool));
        SaturationConfig { limits, scheduler, pool, ..SaturationConfig::default() }
    }
}

/// Says so if a model does not read a term of a question, and writes only from others that the search finds.
///
/// # Errors
/// The terms are of different sorts.
pub fn note_unread(model: &dyn GuideWriter, bank: &TermBank, ends: [TermId; 2]) -> Result<()> {
    if !model.can_read(bank, ends)? {
        note(
            "a term is longer than the model reads, or has operators unknown to it: it writes only from others that are found",
        );
    }
    Ok(())
}

/// Has the process keep to what its e-graphs may take, where that was said in bytes. Many small e-graphs on several threads, and a
/// model, allocate and free blocks all the time: with one heap for all threads they would wait for each other.
pub fn keep_to_cap(cap: Cap, with_model: bool) {
    if !with_model && matches!(cap, Cap::Memory(_)) {
        give_back_large_blocks();
    }
}

/// What is said of an option by the name that it has everywhere, with that of its flag.
pub fn of_flag(why: Error) -> Error {
    let said = why.to_string();
    let end = said.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(said.len());
    anyhow!("--{}{}", said[..end].replace('_', "-"), &said[end..])
}

/// Reads a rewrite system.
///
/// # Errors
/// The first mistake, with its place.
pub fn load_system(file: &InputFile) -> Result<Arc<System>> {
    Ok(load_system_with_text(file)?.0)
}

/// As [`load_system`]; also gives the text, which is read once.
///
/// # Errors
/// As [`load_system`].
pub fn load_system_with_text(file: &InputFile) -> Result<(Arc<System>, String)> {
    let bytes = file.read("the rewrite system")?;
    // The message alone: it has the place and all that its source says.
    let system = System::from_bytes(&file.to_string(), bytes.clone())
        .map_err(|mistake| anyhow!("{mistake}"))?;
    Ok((Arc::new(system), String::from_utf8(bytes)?))
}

/// The strategy of a system, if one is asked for.
///
/// # Errors
/// There is no strategy of that name, or its text is wrong.
pub fn read_strategy(system: &System, strategy: Option<&str>) -> Result<Option<Arc<Schedule>>> {
    let Some(text) = strategy else { return Ok(None) };
    match system.read_strategy(text) {
        Ok(schedule) => Ok(Some(Arc::new(schedule))),
        Err(mistake) => Err(anyhow!("--strategy {}: {mistake}", quoted(text))),
    }
}

/// The preset in a file, or one that leaves everything open.
///
/// # Errors
/// As [`read_toml`].
pub fn read_preset(file: Option<&InputFile>) -> Result<Preset> {
    let Some(file) = file else { return Ok(Preset::default()) };
    let preset = read_toml(file)?;
    let table: toml::Table = read_toml(file)?;
    let tasks = table.get("tasks").and_then(toml::Value::as_table);
    if tasks.is_some_and(|tasks| tasks.contains_key("cap")) {
        note(&format!("{file}: {}", was_renamed("cap", "beyond")));
    }
    Ok(preset)
}

/// A bank and the two terms of a question, which have one sort.
pub fn read_question(
    system: &System,
    start: &str,
    target: &str,
) -> Result<(TermBank, TermId, TermId)> {
    let mut bank = TermBank::new(system.language.clone());
    let terms = read_texts(&mut bank, &[("--start", start), ("--target", target)])?;
    Ok((bank, terms[0], terms[1]))
}

/// Reads a ranker for a system.
///
/// # Errors
/// As [`Ranker::read`], or the file can't be read.
pub fn load_ranker(file: &InputFile, system: &System) -> Result<Arc<Ranker>> {
    let text = String::from_utf8(file.read("the ranker")?)
        .map_err(|_| anyhow!("{file} holds no ranker: it is not text"))?;
    Ok(Arc::new(Ranker::read(&file.to_string(), &text, system)?))
}

/// The same for a command, which says what the ranker does not know.
///
/// # Errors
/// As [`load_ranker`].
pub fn read_ranker(file: &InputFile, system: &System) -> Result<Arc<Ranker>> {
    let ranker = load_ranker(file, system)?;
    if let Some(unknown) = ranker.unknown.text() {
        note(&format!("the ranker {file} was learned before the rules were changed: {unknown}"));
    }
    Ok(ranker)
}

/// The costs that `--cost` names.
///
/// # Errors
/// The system has no such cost.
pub fn named_cost(system: &System, names: &str) -> Result<CostFunction> {
    CostFunction::named(system, names)
        .map_err(|mistake| anyhow!("--cost {}: {mistake}", quoted(names)))
}

/// Loads a model and refuses one that can't read the system; what was trained for another language, or with other rules, is said.
pub fn load_model(directory: &Path, system: &System, device: DeviceChoice) -> Result<GuideModel> {
    let name = directory.display();
    let model = GuideModel::load(directory, &device.open()?)
        .with_context(|| format!("cannot load the model in {name}"))?;
    model.expect_language(system).with_context(|| format!("{name}"))?;
    if model.reads_by_name(system) {
        note(&format!(
            "the model {name} was trained for another language: it reads terms by the names of their \
             operators"
        ));
    } else if model.system().hash != system.hash {
        note(&format!("the model {name} was trained with other rules"));
    }
    Ok(model)
}
