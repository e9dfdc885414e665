//! The dataset card: README.md in the layout of the Hugging Face Hub.

use crate::config::{Config, Saturation};
use crate::dataset::info::DatasetInfo;
use crate::dataset::stats::Stats;
use crate::proofs::one_seed::SeedReport;
use crate::splits::split::Split;
use crate::triples::segments::Scheme;
use crate::triples::triple_rows::Triple;
use std::fmt::Write;
use std::path::Path;
use support::{InputFile, Record, counted, thousands};

/// What the columns mean, in their order.
const MEANINGS: [&str; 13] = [
    "number of the row",
    "index of the seed in the seed file, from 0",
    "the seed's id in the seed file",
    "number of the proof in the tables under proofs/ that this is a piece of",
    "where the proof starts",
    "a term half-way",
    "where the proof ends",
    "rewrite steps from start to guide",
    "rewrite steps from guide to target",
    "nodes of the start",
    "nodes of the guide",
    "nodes of the target",
    "how often the proof was halved: 0 for a whole proof, and for a window",
];

/// What was written into a dataset, as far as its card shows it.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The triples.
    pub stats: Vec<(Split, Stats)>,
    /// A few triples of the training split, of different proofs.
    pub examples: Vec<Triple>,
}

/// The text of README.md.
pub fn card(info: &DatasetInfo, written: &Written) -> String {
    let mut text = String::new();
    write_card(&mut text, info, written).expect("writing to a string does not fail");
    text
}

fn write_card(out: &mut String, info: &DatasetInfo, written: &Written) -> std::fmt::Result {
    header(out, info)?;
    let cairn = &info.cairn;
    let name = |file: &Option<InputFile>, other: &str| {
        file.as_ref().map_or_else(|| other.to_owned(), InputFile::to_string)
    };
    let system = name(&cairn.config.system, "system.rules");
    let seeds = name(&cairn.config.seeds, "seeds");
    writeln!(
        out,
        "# Waypoints of proofs over {system}\n\n\
         Each row is a piece of a proof that two terms are equal: it starts at `start`, passes \
         through `guide` half-way and ends at `target`. A model that learns to write the guide \
         from start and target can lead equality saturation over distances that one e-graph \
         can't cross (Heinimann, Koehler, Steuwer: *Machine Learning Guided Equality Saturation*, \
         EGRAPHS 2025). Terms are s-expressions; variables are renamed to v0, v1, … over start, \
         target and guide together.\n"
    )?;
    writeln!(out, "## Splits\n\n| split | triples | bytes |\n| --- | ---: | ---: |")?;
    for (split, part) in &info.splits {
        writeln!(out, "| {split} | {} | {} |", part.num_examples, part.num_bytes)?;
    }
    writeln!(
        out,
        "\nThe splits are separated by seed: seeds that differ only in the names of their \
         variables{} are in one split, and no (start, target) pair of triples is in two.\n",
        if cairn.config.splits.literals { " or in literals" } else { "" }
    )?;
    writeln!(out, "## Columns\n\n| column | type | meaning |\n| --- | --- | --- |")?;
    for (field, meaning) in Triple::fields().iter().zip(MEANINGS) {
        let name = field.name();
        let kind = info.features.get(name).map_or("", |feature| &feature.dtype);
        writeln!(out, "| `{name}` | {kind} | {meaning} |")?;
    }
    examples(out, &written.examples)?;
    writeln!(out, "\n## Sizes\n\nOver all splits:\n\n```text")?;
    let all = Stats::of_all(written.stats.iter().map(|(_, stats)| stats));
    for (title, histogram) in all.histograms() {
        out.push_str(&histogram.text(title));
    }
    writeln!(out, "```\n")?;
    how(out, info, &seeds)
}

fn header(out: &mut String, info: &DatasetInfo) -> std::fmt::Result {
    writeln!(out, "---\npretty_name: Waypoints of proofs by equality saturation")?;
    writeln!(out, "tags:\n- equality-saturation\n- e-graphs\n- term-rewriting\n- proofs")?;
    writeln!(out, "configs:\n- config_name: default\n  data_files:")?;
    for split in info.splits.keys() {
        writeln!(out, "  - split: {split}\n    path: data/{split}-*.parquet")?;
    }
    writeln!(out, "- config_name: proofs\n  data_files:")?;
    for split in info.splits.keys() {
        writeln!(out, "  - split: {split}\n    path: proofs/{split}-*.parquet")?;
    }
    writeln!(out, "dataset_info:\n- config_name: default\n  features:")?;
    for field in Triple::fields() {
        let name = field.name();
        let kind = info.features.get(name).map_or("", |feature| &feature.dtype);
        writeln!(out, "  - name: {name}\n    dtype: {kind}")?;
    }
    writeln!(out, "  splits:")?;
    for (split, part) in &info.splits {
        writeln!(out, "  - name: {split}\n    num_bytes: {}", part.num_bytes)?;
        writeln!(out, "    num_examples: {}", part.num_examples)?;
    }
    writeln!(out, "  download_size: {0}\n  dataset_size: {0}\n---\n", info.download_size)
}

fn examples(out: &mut String, examples: &[Triple]) -> std::fmt::Result {
    if examples.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Examples\n\n```text")?;
    for triple in examples {
        writeln!(out, "{}", example(triple))?;
    }
    writeln!(out, "```")
}

/// What was drawn and chained beside.
fn frontier_and_chains(info: &DatasetInfo) -> String {
    let Config { sampling, chains, .. } = &info.cairn.config;
    let totals = &info.cairn.totals;
    let mut text = String::new();
    if sampling.frontier > 0 {
        let _ = write!(
            text,
            " So were {} frontier terms, drawn uniformly among those that the e-graph {} earlier \
             did not represent in the class.",
            thousands(totals.frontier),
            counted(sampling.frontier_iterations, "iteration")
        );
    }
    if chains.count > 0 {
        let _ = write!(
            text,
            " Of {} across {} each, from frontier term to frontier term{}, {} became a proof.",
            counted(totals.chains_begun, "chain"),
            counted(chains.links.into(), "fresh e-graph"),
            if chains.far { ", to one that one e-graph can't prove equal to the seed" } else { "" },
            thousands(totals.chains)
        );
    }
    text
}

/// How many seeds equal a literal, and what came of them.
pub fn constants(info: &DatasetInfo) -> String {
    let totals = &info.cairn.totals;
    let mut text = format!("{} equal a literal", counted(totals.constant_seeds, "seed"));
    if info.cairn.config.sampling.frontier > 0 {
        let _ = write!(
            text,
            ", {} of them without a frontier term in the class of the seed",
            thousands(totals.constant_without_frontier)
        );
    }
    let without = |report: &SeedReport| report.proofs().kept == 0;
    let constant = |report: &&SeedReport| report.is_constant();
    let empty = info.cairn.seeds.iter().filter(constant).filter(|r| without(r)).count();
    let _ = write!(text, "; {} of them gave no proof.", thousands(empty as u64));
    text
}

fn other_limits(saturation: &Saturation) -> String {
    let mut text = String::new();
    if let Some(nodes) = saturation.nodes {
        let _ = write!(text, ", {}", counted(nodes as u64, "e-node"));
    }
    if let Some(iterations) = saturation.iterations {
        let _ = write!(text, ", {}", counted(iterations, "iteration"));
    }
    text
}

/// A triple in four lines.
pub fn example(triple: &Triple) -> String {
    format!(
        "start   {}\nguide   {}\ntarget  {}\n        {} + {} steps, depth {}, seed {}\n",
        triple.start,
        triple.guide,
        triple.target,
        triple.steps_start_guide,
        triple.steps_guide_target,
        triple.depth,
        triple.seed_id
    )
}

fn how(out: &mut String, info: &DatasetInfo, seeds: &str) -> std::fmt::Result {
    let cairn = &info.cairn;
    let (sampling, proofs) = (&cairn.config.sampling, &cairn.config.proofs);
    let totals = &cairn.totals;
    let tally = &totals.proofs;
    writeln!(out, "## How it was made\n")?;
    if cairn.found {
        return writeln!(
            out,
            "Searches found {} proofs with {} steps in all. Each was accepted by the proof checker and \
             {}. {} triples were dropped as duplicates, {} because their (start, target) pair is in another \
             split. The rewrite system is in system.rules (SHA-256 {}).",
            tally.kept,
            tally.steps,
            split_text(info),
            totals.duplicates,
            totals.shared,
            cairn.system_hash
        );
    }
    writeln!(
        out,
        "From each of {} seeds of {seeds} an e-graph was grown to at most {}{} ({} scheduler); {} of \
         them were left out because two distinct literals met. In the class of the seed and \
         in those of its largest subterms, {} classes in all, terms were counted exactly and drawn \
         uniformly among those up to a size limit: {} times the size of the seed or subterm, \
         {} nodes at most, less where nearly all terms are padded or the counts \
         would take more memory than the e-graph may (dataset_info.json has the \
         limit of every class). Of {} draws, {} were padded (a subterm equals one of its own \
         proper subterms){}, {} repeated. The seed or subterm itself was taken in addition.{} {}\n",
        totals.seeds,
        cairn.config.saturation.memory,
        other_limits(&cairn.config.saturation),
        cairn.config.saturation.scheduler,
        totals.conflicts,
        totals.classes,
        sampling.size_factor,
        sampling.max_size,
        totals.drawn,
        totals.padded,
        if sampling.padded { "" } else { " and left out" },
        totals.repeated,
        frontier_and_chains(info),
        constants(info),
    )?;
    let split = split_text(info);
    writeln!(
        out,
        "{} pairs of terms were explained, until a class had {} proofs. {} proofs were dropped \
         for more than {} steps{}, {} for passing through a term of more than {} nodes, {} for too \
         few steps to be split. The other {} have {} steps in all ({} before they were \
         shortened). Each was accepted by the proof checker and {split}. {} triples were dropped \
         as duplicates, {} because their (start, target) pair is in another split (test goes \
         before validation, validation before train).\n",
        tally.proofs,
        proofs.kept,
        tally.too_long,
        proofs.max_steps,
        if proofs.shorten { " (or twice as many before they were shortened)" } else { "" },
        tally.too_large,
        proofs.max_term_size,
        tally.too_short,
        tally.kept,
        tally.steps,
        tally.unshortened,
        totals.duplicates,
        totals.shared,
    )?;
    writeln!(
        out,
        "To make it again, byte by byte: version {} of cairn, the rewrite system in system.rules \
         (SHA-256 {}), the seed file with SHA-256 {}, `--seed {}`, and the configuration in \
         dataset_info.json.",
        cairn.version, cairn.system_hash, cairn.seeds_hash, cairn.seed
    )
}

/// How proofs were split, as the end of a sentence.
fn split_text(info: &DatasetInfo) -> String {
    let splitting = &info.cairn.config.splitting;
    let (length, stride) = (splitting.length, splitting.stride);
    match splitting.scheme {
        Scheme::Recursive => {
            format!("halved until a segment had fewer than {} steps", splitting.cutoff)
        }
        Scheme::Window => format!("cut into segments of {length} steps, one every {stride} steps"),
        Scheme::Ahead => format!(
            "cut into what is left of it from every {stride} steps on, with the term {length} steps ahead as \
             the guide; of a proof that led to a part of its last term, the terms that this part comes from"
        ),
        Scheme::Whole => {
            "used whole: the first term as start and target, the last one as the guide".to_owned()
        }
    }
}

/// The table of splits, for a terminal.
pub fn split_table(info: &DatasetInfo) -> String {
    let row = |split: Split| {
        let part = info.splits.get(&split);
        let (rows, bytes) = part.map_or((0, 0), |p| (p.num_examples, p.num_bytes));
        format!("{:<12}{rows:>10} triples {bytes:>12} bytes\n", split.name())
    };
    Split::ALL.map(row).concat()
}
/// What a dataset came to, for the console.
pub fn summary(info: &DatasetInfo, directory: &Path) -> String {
    let totals = &info.cairn.totals;
    format!(
        "{}from {} seeds: {} conflicts, {} terms, {} pairs explained, {} proofs kept \
         ({} too long, {} too large, {} too short)\n{}\n",
        split_table(info),
        totals.seeds,
        totals.conflicts,
        totals.terms,
        totals.proofs.proofs,
        totals.proofs.kept,
        totals.proofs.too_long,
        totals.proofs.too_large,
        totals.proofs.too_short,
        directory.display()
    )
}
