//! Flat proofs as rows of a table, so that other triples can be taken from them later.

use anyhow::{Context, Result, anyhow, ensure};
use egraph::{
    FlatProof, FlatStep, Justification, SortId, Steps, System, TermBank, TermId, justification_name,
};
use serde::{Deserialize, Serialize};
use support::columns::{ArrayRef, DataType, Field, column};
use support::{Columns, Record, columns_of};
use terms::sort_of;

/// A checked proof that two terms are equal, step by step, with the names of the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofRow {
    /// Number of the row, unique in its dataset.
    pub id: u64,
    /// Index of the seed, from 0, in the order of the seed file.
    pub seed: u32,
    /// The seed's id in the seed file.
    pub seed_id: String,
    /// Which of the seed's sampled classes the terms are from; 0 is that of the seed itself.
    pub class: u32,
    /// Number of e-graphs that the proof is from: 1, or the links of a chain.
    pub links: u32,
    /// Number of steps before the proof was shortened.
    pub unshortened: u32,
    /// Child numbers from the root of the last term to the part of it that was wanted, with dots between them;
    /// empty where the whole term was.
    pub place: String,
    /// The terms, one more than steps, as s-expressions.
    pub terms: Vec<String>,
    /// By step: the name of the rule, or "constant folding".
    pub rules: Vec<String>,
    /// By step: whether the rule is used from left to right.
    pub forward: Vec<bool>,
    /// By step: child numbers from the root to the rewritten subterm, with dots between them.
    pub paths: Vec<String>,
    /// By step: what the rule's variables stand for, in the order of their first occurrence in it.
    pub substitutions: Vec<Vec<String>>,
}

impl ProofRow {
    /// The row of a proof.
    pub fn of(system: &System, bank: &TermBank, proof: &FlatProof) -> ProofRow {
        let path = |step: &FlatStep| place_text(&step.path);
        let texts = |terms: &[TermId]| terms.iter().map(|&t| bank.text(t)).collect::<Vec<_>>();
        let name = |step: &FlatStep| justification_name(system, step.rule).to_owned();
        ProofRow {
            terms: texts(&proof.terms),
            rules: proof.steps.iter().map(name).collect(),
            forward: proof.steps.iter().map(|step| step.forward).collect(),
            paths: proof.steps.iter().map(path).collect(),
            substitutions: proof.steps.iter().map(|step| texts(&step.substitution)).collect(),
            ..ProofRow::default()
        }
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.rules.len()
    }

    /// The terms that the wanted part of the last one comes from, see [`FlatProof::lineage`]; read into `bank`.
    ///
    /// # Errors
    /// As [`ProofRow::proof`], or the last term has no part at [`ProofRow::place`].
    pub fn lineage(&self, system: &System, bank: &mut TermBank) -> Result<Vec<TermId>> {
        let proof = self.proof(system, bank)?;
        let lineage = proof.lineage(system, bank, &read_place(&self.place)?);
        let (line, _) =
            lineage.with_context(|| format!("the last term has no part at {}", self.place))?;
        Ok(line)
    }

    /// Some of the terms, by place, read into `bank`.
    ///
    /// All terms of a proof have one sort, also where one is a lone literal.
    ///
    /// # Errors
    /// A text that is not a term of the bank's language, or not of the sort of the others.
    pub fn read_terms(
        &self,
        bank: &mut TermBank,
        places: impl Iterator<Item = usize>,
    ) -> Result<Vec<TermId>> {
        let sort = sort_of(bank, &self.terms)?;
        places.map(|place| read_term(bank, &self.terms[place], sort)).collect()
    }

    /// The proof, its terms read into `bank`. Whether it proves anything is for the checker to
    /// say.
    ///
    /// # Errors
    /// A text that is not a term, or a rule that the system does not have; the step is named.
    pub fn proof(&self, system: &System, bank: &mut TermBank) -> Result<FlatProof> {
        let terms = self.read_terms(bank, 0..self.terms.len())?;
        ensure!(
            terms.len() == self.steps() + 1,
            "{} terms for {} steps",
            terms.len(),
            self.steps()
        );
        let step = |i| self.step(system, bank, i).with_context(|| format!("step {i}"));
        let steps = (0..self.steps()).map(step).collect::<Result<_>>()?;
        Ok(FlatProof { terms, steps, facts: Steps::default() })
    }

    fn step(&self, system: &System, bank: &mut TermBank, i: usize) -> Result<FlatStep> {
        let name = &self.rules[i];
        let fold = justification_name(system, Justification::Fold);
        let (rule, sorts): (_, &[SortId]) = match system.rule_named(name) {
            Some(rule) => (Justification::Rule(rule), &system.rule(rule).variables.sorts),
            None if name == fold => (Justification::Fold, &[]),
            None => return Err(anyhow!("there is no rule '{name}'")),
        };
        let texts = &self.substitutions[i];
        ensure!(texts.len() == sorts.len(), "{} terms for {} variables", texts.len(), sorts.len());
        let terms = texts.iter().zip(sorts).map(|(text, &sort)| read_term(bank, text, Some(sort)));
        Ok(FlatStep {
            rule,
            forward: self.forward[i],
            substitution: terms.collect::<Result<_>>()?,
            path: read_place(&self.paths[i])?,
            because: Vec::new(),
        })
    }
}

fn read_term(bank: &mut TermBank, text: &str, sort: Option<SortId>) -> Result<TermId> {
    bank.parse(text, sort).map_err(|e| anyhow!("'{text}' is no term here: {e}"))
}

/// The place of the column `steps`, which is no field: the lists have that many.
const STEPS: usize = 5;

/// Child numbers as they stand in a row.
pub fn place_text(path: &[u32]) -> String {
    path.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

fn read_place(text: &str) -> Result<Vec<u32>> {
    let number =
        |text: &str| text.parse().with_context(|| format!("'{text}' is not the number of a child"));
    text.split('.').filter(|text| !text.is_empty()).map(number).collect()
}

impl ProofRow {
    columns_of!(ProofRow: id, seed, seed_id, class, links, unshortened, place, terms, rules, forward, paths, substitutions);
}

impl Record for ProofRow {
    const NAME: &'static str = "proofs";
    // A proof has kilobytes, or megabytes.
    const ROW_GROUP: usize = 1_024;
    const BATCH: usize = 64;

    fn fields() -> Vec<Field> {
        let mut fields = ProofRow::fields();
        fields.insert(STEPS, Field::new("steps", DataType::UInt32, false));
        fields
    }

    fn columns(rows: &[ProofRow]) -> Vec<ArrayRef> {
        let mut columns = ProofRow::columns(rows);
        let steps: Vec<u32> = rows.iter().map(|row| row.steps() as u32).collect();
        columns.insert(STEPS, column(&steps, |steps| steps));
        columns
    }

    fn read(batch: &Columns<'_>, rows: &mut Vec<ProofRow>) -> Result<()> {
        let before = rows.len();
        ProofRow::read(batch, rows)?;
        for (row, steps) in rows[before..].iter().zip(batch.cells::<u32>("steps")?) {
            let n = steps as usize;
            let lengths =
                [row.rules.len(), row.forward.len(), row.paths.len(), row.substitutions.len()];
            ensure!(
                lengths == [n; 4] && row.terms.len() == n + 1,
                "proof {} has lists that are not of {n} steps",
                row.id
            );
        }
        Ok(())
    }
}
