//! Optimising many terms, each within a budget of its own. A finished term is a file of its own, so that a run
//! that was stopped goes on where it was.
//!
//! ```text
//! optimisation.json      what is optimised, and how; sealed
//! optimised.parquet      a row for each term, when all are finished
//! proofs/0.json          the proof of the first term
//! rows/0.json            its row; sealed
//! ```

use crate::optimise::answer::{Objective, OptimiseSettings};
use crate::optimise::run::optimise;
use crate::optimise::table::OptimisedRow;
use crate::options::optimise::OptimiseAim;
use anyhow::{Context, Result, ensure};
use dataset_gen::{SYSTEM_FILE, Seed, system_of};
use egraph::{Sketch, System, TermBank, TermId, check, proof_from_json, proof_to_json};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use support::hash::sha256;
use support::{
    Outcome, OutputDir, Part, Parts, Progress, Shard, in_order, make_items, named_inside, note,
    own_directory, read_sealed, read_table, read_text, seal_json, unseal_json, write_atomic,
    write_sealed, write_table,
};

/// The file that marks a directory of optimised terms; it holds the [`Optimisation`].
pub const OPTIMISATION_FILE: &str = "optimisation.json";
/// The table in it.
pub const OPTIMISED_FILE: &str = "optimised.parquet";
/// Nodes of a best term that are shown.
const MOST_SHOWN: u64 = 1 << 20;
const ROWS: &str = "rows";
const PROOFS: &str = "proofs";

/// What the parts become.
pub const OPTIMISATION_PART: &str = "optimised terms";

/// What is optimised, and how; two runs with equal values give equal files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Optimisation {
    /// Version of the program.
    pub version: String,
    /// Hash of the rewrite system.
    pub system_hash: String,
    /// SHA-256 of the file of terms.
    pub terms_hash: String,
    /// What is looked for in each, and within which limits.
    #[serde(flatten)]
    pub aim: OptimiseAim,
    /// SHA-256 of the ranker, if there is one.
    pub ranker: Option<String>,
    /// SHA-256 of the model that plans, if there is one, and how many terms it writes at a time.
    pub model: Option<(String, usize)>,
    /// Seed of the random choices.
    pub seed: u64,
}

impl Optimisation {
    /// That of a directory.
    ///
    /// # Errors
    /// There is none, or it is not as it was written.
    pub fn load(directory: &Path) -> Result<Optimisation> {
        let path = directory.join(OPTIMISATION_FILE);
        let name = path.display().to_string();
        let text = unseal_json(&name, &read_text(&path, "what was optimised")?)?;
        serde_json::from_str(&text)
            .with_context(|| format!("{name} does not describe an optimisation"))
    }
}

/// A row, and the hash of the proof that it speaks of.
#[derive(Serialize, Deserialize)]
struct Finished {
    row: OptimisedRow,
    proof: Option<String>,
}

/// A term that was optimised: its row, and the proof as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DoneTerm {
    row: OptimisedRow,
    proof: Option<String>,
}

impl DoneTerm {
    /// Writes the files of the term.
    fn keep(self, number: usize, directory: &OutputDir) -> Result<OptimisedRow> {
        let mut row = self.row;
        row.proof_file = self.proof.as_ref().map_or_else(String::new, |_| proof_file(number));
        if let Some(proof) = &self.proof {
            write_atomic(&directory.file(&row.proof_file), proof.as_bytes())?;
        }
        let hash = self.proof.map(|proof| sha256(proof.as_bytes()));
        let finished = Finished { row, proof: hash };
        write_sealed(&directory.file(&row_file(number)), &serde_json::to_string(&finished)?)?;
        Ok(finished.row)
    }
}

fn row_file(number: usize) -> String {
    format!("{ROWS}/{number}.json")
}

fn proof_file(number: usize) -> String {
    format!("{PROOFS}/{number}.json")
}

/// What all terms share.
pub struct Terms<'a> {
    /// The rewrite system.
    pub system: &'a Arc<System>,
    /// The text that it was read from, copied beside the results.
    pub system_text: &'a str,
    /// The bank of the terms.
    pub bank: &'a TermBank,
    /// The terms.
    pub terms: &'a [Seed],
    /// What the best term is.
    pub objective: &'a Objective,
    /// By term, where each has its own: the sketch in place of that of the objective.
    pub goals: Option<&'a [Sketch]>,
    /// How each is optimised.
    pub settings: &'a OptimiseSettings,
}

impl Terms<'_> {
    fn sketch_of(&self, number: usize) -> &Sketch {
        self.goals.map_or(&self.objective.sketch, |goals| &goals[number])
    }

    fn goal_text(&self, number: usize) -> String {
        match self.sketch_of(number) {
            Sketch::Any => String::new(),
            sketch => sketch.display(&self.system.language).to_string(),
        }
    }
}

/// Optimises the terms into `out`, so many at a time, or goes on with it, and returns the rows in their order.
///
/// # Errors
/// A directory that holds something else, what the file system says, or an internal fault.
pub fn optimise_many(
    optimisation: &Optimisation,
    terms: &Terms<'_>,
    out: &Path,
    threads: usize,
    quiet: bool,
) -> Result<Vec<OptimisedRow>> {
    let directory = begin(optimisation, terms.system_text, out)?;
    let progress = Progress::new("terms", terms.terms.len() as u64, quiet);
    let rows = in_order(terms.terms.len(), threads, |number| {
        if let Some(row) = finished(terms, number, &directory) {
            progress.found(1);
            return Ok(row);
        }
        let row = one(terms, number)?.keep(number, &directory)?;
        progress.advance(1);
        Ok(row)
    })?;
    progress.finish();
    write_table(&directory.file(OPTIMISED_FILE), &rows)?;
    Ok(rows)
}

/// Begins a directory of optimised terms, or goes on with it.
fn begin(optimisation: &Optimisation, system_text: &str, out: &Path) -> Result<OutputDir> {
    let directory = OutputDir::create(out, OPTIMISATION_FILE)?;
    refuse_other(optimisation, &directory)?;
    let text = seal_json(&serde_json::to_string_pretty(optimisation)?);
    write_atomic(&directory.file(OPTIMISATION_FILE), text.as_bytes())?;
    write_atomic(&directory.file(SYSTEM_FILE), system_text.as_bytes())?;
    for name in [ROWS, PROOFS] {
        own_directory(&directory.file(name))?;
    }
    Ok(directory)
}

fn refuse_other(optimisation: &Optimisation, directory: &OutputDir) -> Result<()> {
    if directory.file(OPTIMISATION_FILE).exists() {
        ensure!(
            Optimisation::load(directory.path())? == *optimisation,
            "{} already holds what was optimised otherwise, or other terms: choose another directory",
            directory.path().display()
        );
    }
    Ok(())
}

/// The row of a finished term, if it and its proof are as they were written.
fn kept_row(directory: &Path, number: usize) -> Result<OptimisedRow> {
    let text = read_sealed(&named_inside(directory, &row_file(number))?, "the row")?;
    let Finished { row, proof } = serde_json::from_str(&text)?;
    if let Some(hash) = proof {
        let proof = named_inside(directory, &row.proof_file)?;
        let text = read_text(&proof, "the proof")?;
        ensure!(sha256(text.as_bytes()) == hash, "{} is not as it was written", proof.display());
    }
    Ok(row)
}

/// The rows of a directory of optimised terms; none if it is not finished.
///
/// # Errors
/// The table, a row or a proof that is not as it was written.
pub fn optimised_rows(directory: &Path) -> Result<Option<Vec<OptimisedRow>>> {
    let table = directory.join(OPTIMISED_FILE);
    if !table.is_file() {
        return Ok(None);
    }
    let rows: Vec<OptimisedRow> = read_table(&table)?;
    for (number, row) in rows.iter().enumerate() {
        ensure!(
            kept_row(directory, number)? == *row,
            "{} is not as it was written: its row {number} is not that of {}; the same command makes it again",
            table.display(),
            row_file(number)
        );
    }
    Ok(Some(rows))
}

/// The row of a term that an earlier run finished, unless something is wrong with it or with its proof: then
/// it is made again.
fn finished(terms: &Terms<'_>, number: usize, directory: &OutputDir) -> Option<OptimisedRow> {
    let path = directory.file(&row_file(number));
    std::fs::symlink_metadata(&path).ok()?;
    let read = || -> Result<OptimisedRow> {
        let row = kept_row(directory.path(), number)?;
        let term = &terms.terms[number];
        ensure!(
            row.id == term.id
                && row.start == terms.bank.text(term.term)
                && row.goal == terms.goal_text(number),
            "it is of another term"
        );
        Ok(row)
    };
    read()
        .inspect_err(|error| {
            note(&format!(
                "{} is not used, the term is optimised again: {error:#}",
                path.display()
            ));
        })
        .ok()
}

/// Checks every proof that rows speak of, which lie in a directory of optimised terms, on the threads of the
/// current rayon pool.
///
/// # Errors
/// The first one that can't be read, is refused by the checker, or is a proof of something else.
pub fn check_proofs_of(directory: &Path, system: &System, rows: &[OptimisedRow]) -> Result<()> {
    let proved: Vec<&OptimisedRow> = rows.iter().filter(|row| !row.proof_file.is_empty()).collect();
    proved.par_iter().try_for_each(|row| {
        let path = named_inside(directory, &row.proof_file)?;
        let name = path.display();
        let text = read_text(&path, "the proof")?;
        let mut bank = TermBank::new(system.language.clone());
        let proof = proof_from_json(system, &mut bank, &text).with_context(|| name.to_string())?;
        check(system, &bank, &proof).with_context(|| format!("{name} was refused"))?;
        ensure!(
            bank.text(proof.start()) == row.start && shown(&bank, proof.end()) == row.best,
            "{name} is not a proof of term {}",
            row.id
        );
        Ok(())
    })
}

/// The term as text, the end of a huge one left out: parts that stand in many places can be shared.
fn shown(bank: &TermBank, term: TermId) -> String {
    bank.display_part(term, MOST_SHOWN).to_string()
}

fn one(terms: &Terms<'_>, number: usize) -> Result<DoneTerm> {
    let Terms { system, settings, .. } = *terms;
    let sketch = terms.sketch_of(number).clone();
    let objective = &Objective { sketch, ..terms.objective.clone() };
    let seed = &terms.terms[number];
    // A bank of its own: ids, and with them every choice, depend on this term only.
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.import(terms.bank, seed.term);
    let before = objective.of_term(&bank, start).map(|cost| cost.values()[0]);
    let outcome = optimise(system, &mut bank, start, objective, settings)
        .with_context(|| format!("term {}", seed.id))?;
    let proof = outcome.proof.as_ref().map(|proof| proof_to_json(system, &bank, proof));
    let best = outcome.best();
    let row = OptimisedRow {
        id: seed.id.clone(),
        start: bank.text(start),
        goal: terms.goal_text(number),
        best: best.map_or_else(String::new, |best| shown(&bank, best.term)),
        cost_before: before,
        cost_after: best.map(|best| best.cost.values()[0]),
        size_before: bank.size(start),
        size_after: best.map_or(0, |best| bank.size(best.term)),
        ended: outcome.ended.to_string(),
        work: outcome.ledger.work,
        e_graphs: outcome.ledger.e_graphs,
        peak_bytes: outcome.ledger.peak_bytes,
        proof_steps: outcome.proof.as_ref().map_or(0, |proof| proof.len() as u64),
        proof_file: proof.as_ref().map_or_else(String::new, |_| proof_file(number)),
        curve_work: outcome.curve.iter().map(|best| best.work).collect(),
        curve_cost: outcome.curve.iter().map(|best| best.cost.values()[0]).collect(),
    };
    Ok(DoneTerm { row, proof })
}

/// Optimises the terms of one part, so many at a time.
///
/// # Errors
/// As [`optimise_many`], or as [`make_items`].
pub fn optimise_part(
    optimisation: &Optimisation,
    terms: &Terms<'_>,
    (shard, out): (Shard, &Path),
    threads: usize,
    quiet: bool,
) -> Result<Outcome> {
    let items = terms.terms.len() as u64;
    let part = Part::new(OPTIMISATION_PART, shard, items, optimisation)?;
    let rules = Some((SYSTEM_FILE, terms.system_text));
    make_items(&part, rules, out, ("terms", threads, quiet), |item| one(terms, item as usize))
}

/// Makes the directory `out` of all parts of optimised terms; the rows, and the costs as they were asked for.
///
/// # Errors
/// As [`Parts::item`], a directory that holds something else, or what the file system says.
pub fn merge_optimised(parts: &Parts, out: &Path) -> Result<(Vec<OptimisedRow>, String)> {
    let optimisation: Optimisation = parts.settings()?;
    let (_, rules) = system_of(parts.first(), &optimisation.system_hash)?;
    let directory = begin(&optimisation, &String::from_utf8(rules)?, out)?;
    let keep = |item| parts.item::<DoneTerm>(item)?.keep(item as usize, &directory);
    let rows = (0..parts.items()).map(keep).collect::<Result<Vec<_>>>()?;
    write_table(&directory.file(OPTIMISED_FILE), &rows)?;
    Ok((rows, optimisation.aim.cost))
}
