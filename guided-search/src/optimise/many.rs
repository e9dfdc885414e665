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
use dataset_gen::{SYSTEM_FILE, system_of};

use egraph::{RuleId, Sketch, System, TermBank, TermId, check, proof_from_json, proof_to_json};
use jobs::{Described, Job, PROOFS, Parts, ROWS, found_row, read_row, row_file, write_row};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use support::hash::sha256;
use support::{OutputDir, named_inside, read_table, read_text, write_atomic, write_table};
use terms::Seed;

/// The file that marks a directory of optimised terms; it holds the [`Optimisation`].
pub const OPTIMISATION_FILE: &str = "optimisation.json";
/// The table in it.
pub const OPTIMISED_FILE: &str = "optimised.parquet";
/// Nodes of a best term that are shown.
const MOST_SHOWN: u64 = 1 << 20;

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

/// A term that was optimised.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoneTerm {
    row: OptimisedRow,
    /// The proof as JSON; of a term that is kept, the hash of its file.
    proof: Option<String>,
}

impl Described for Optimisation {
    const KIND: &'static str = "optimised terms";
    const FILE: &'static str = OPTIMISATION_FILE;
    const WHAT: &'static str = "what was optimised";
    const INPUT: &'static str = "terms";
}

impl Optimisation {
    fn begin_with(&self, system_text: &[u8], out: &Path) -> Result<OutputDir> {
        self.begin(out, &[(SYSTEM_FILE, system_text)], &[ROWS, PROOFS])
    }
}

impl DoneTerm {
    /// Writes the files of the term.
    fn keep(mut self, number: u64, directory: &OutputDir) -> Result<OptimisedRow> {
        if let Some(proof) = &self.proof {
            self.row.proof_file = proof_file(number);
            write_atomic(&directory.file(&self.row.proof_file), proof.as_bytes())?;
        }
        self.proof = self.proof.map(|proof| sha256(proof.as_bytes()));
        write_row(directory, &number.to_string(), &self)?;
        Ok(self.row)
    }

    /// Refuses what is kept of a term if its proof is not as it was written.
    fn expect_proof(&self, directory: &Path) -> Result<()> {
        if let Some(hash) = &self.proof {
            let proof = named_inside(directory, &self.row.proof_file)?;
            let text = read_text(&proof, "the proof")?;
            let unchanged = sha256(text.as_bytes()) == *hash;
            ensure!(unchanged, "{} is not as it was written", proof.display());
        }
        Ok(())
    }
}

fn proof_file(number: impl std::fmt::Display) -> String {
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

    /// Whether a row is of the term of this number.
    fn is_of(&self, number: usize, row: &OptimisedRow) -> bool {
        let term = &self.terms[number];
        row.id == term.id
            && row.start == self.bank.text(term.term)
            && row.goal == self.goal_text(number)
    }
}

/// Optimising as a job: an item is a term.
pub fn optimise_job<'a>(
    optimisation: &'a Optimisation,
    terms: &'a Terms<'_>,
) -> Job<'a, &'a Optimisation, impl Fn(u64) -> Result<DoneTerm> + Sync + 'a> {
    Job {
        kind: Optimisation::KIND,
        items: ("terms", terms.terms.len() as u64),
        settings: optimisation,
        told: None,
        beside: Some((SYSTEM_FILE, terms.system_text.as_bytes())),
        work: |number| one(terms, number as usize),
    }
}

/// Optimises the terms into `out`, or goes on with it, on as many threads as the current rayon pool has; the rows in the
/// order of the terms.
///
/// # Errors
/// A directory that holds something else, what the file system says, or an internal fault.
pub fn optimise_many(
    optimisation: &Optimisation,
    terms: &Terms<'_>,
    out: &Path,
    quiet: bool,
) -> Result<Vec<OptimisedRow>> {
    let directory = optimisation.begin_with(terms.system_text.as_bytes(), out)?;
    let find = |number: u64| {
        let expect = |kept: &DoneTerm| {
            kept.expect_proof(directory.path())?;
            ensure!(terms.is_of(number as usize, &kept.row), "it is of another term");
            Ok(())
        };
        found_row(&directory, &number.to_string(), expect).map(|kept| kept.row)
    };
    let keep = |number, term: DoneTerm| term.keep(number, &directory);
    let rows = optimise_job(optimisation, terms).run(quiet, find, keep)?;
    write_table(&directory.file(OPTIMISED_FILE), &rows)?;
    Ok(rows)
}

/// Makes the directory `out` of all parts of optimised terms; the rows, and the costs as they were asked for.
///
/// # Errors
/// As [`jobs::Parts::each`], a directory that holds something else, or what the file system says.
pub fn merge_optimised(
    parts: &Parts,
    out: &Path,
    quiet: bool,
) -> Result<(Vec<OptimisedRow>, String)> {
    let optimisation: Optimisation = parts.settings()?;
    let (_, rules) = system_of(parts.first(), &optimisation.system_hash)?;
    let directory = optimisation.begin_with(&rules, out)?;
    let rows = parts.each(quiet, |number, term: DoneTerm| term.keep(number, &directory))?;
    write_table(&directory.file(OPTIMISED_FILE), &rows)?;
    Ok((rows, optimisation.aim.cost))
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
        let name = number.to_string();
        let kept: DoneTerm = read_row(directory, &name)?;
        kept.expect_proof(directory)?;
        ensure!(
            kept.row == *row,
            "{} is not as it was written: its row {number} is not that of {}; the same command makes it again",
            table.display(),
            row_file(&name)
        );
    }
    Ok(Some(rows))
}

/// Checks every proof that rows speak of, which lie in a directory of optimised terms, and says which rules they use. Works on the
/// threads of the current rayon pool.
///
/// # Errors
/// The first one that can't be read, is refused by the checker, or is a proof of something else.
pub fn check_proofs_of(
    directory: &Path,
    system: &System,
    rows: &[OptimisedRow],
) -> Result<BTreeSet<RuleId>> {
    let proved: Vec<&OptimisedRow> = rows.iter().filter(|row| !row.proof_file.is_empty()).collect();
    let rules = |row: &&OptimisedRow| {
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
        Ok(proof.rules())
    };
    let proved = proved.par_iter().map(rules);
    proved.try_reduce(BTreeSet::new, |a, b| Ok(a.into_iter().chain(b).collect()))
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
