//! Flat proofs as rows of a table, so that other triples can be taken from them later.

use crate::seeds::one_sort::sort_of;
use anyhow::{Context, Result, anyhow, ensure};
use arrow_array::builder::{BooleanBuilder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ListArray};
use arrow_schema::{DataType, Field};
use egraph::{
    FlatProof, FlatStep, Justification, SortId, Steps, System, TermBank, TermId, justification_name,
};
use std::sync::Arc;
use support::columns::{numbers, text_lists, texts};
use support::{Columns, Record};

/// A checked proof that two terms are equal, step by step, with the names of the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
        let path =
            |step: &FlatStep| step.path.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
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
        let number = |text: &str| {
            text.parse().with_context(|| format!("'{text}' is not the number of a child"))
        };
        let path = self.paths[i].split('.').filter(|text| !text.is_empty()).map(number);
        Ok(FlatStep {
            rule,
            forward: self.forward[i],
            substitution: terms.collect::<Result<_>>()?,
            path: path.collect::<Result<_>>()?,
            because: Vec::new(),
        })
    }
}

fn read_term(bank: &mut TermBank, text: &str, sort: Option<SortId>) -> Result<TermId> {
    bank.parse(text, sort).map_err(|e| anyhow!("'{text}' is no term here: {e}"))
}

fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

impl Record for ProofRow {
    const NAME: &'static str = "proofs";
    // A proof has kilobytes, or megabytes.
    const ROW_GROUP: usize = 1_024;
    const BATCH: usize = 64;

    fn fields() -> Vec<Field> {
        let strings = || list_of(DataType::Utf8);
        let columns = [
            ("id", DataType::UInt64),
            ("seed", DataType::UInt32),
            ("seed_id", DataType::Utf8),
            ("class", DataType::UInt32),
            ("links", DataType::UInt32),
            ("steps", DataType::UInt32),
            ("unshortened", DataType::UInt32),
            ("terms", strings()),
            ("rules", strings()),
            ("forward", list_of(DataType::Boolean)),
            ("paths", strings()),
            ("substitutions", list_of(strings())),
        ];
        columns.map(|(name, kind)| Field::new(name, kind, false)).into()
    }

    fn columns(rows: &[ProofRow]) -> Vec<ArrayRef> {
        let mut forward = ListBuilder::new(BooleanBuilder::new());
        let mut substitutions = ListBuilder::new(ListBuilder::new(StringBuilder::new()));
        for row in rows {
            row.forward.iter().for_each(|&f| forward.values().append_value(f));
            forward.append(true);
            for substitution in &row.substitutions {
                let terms = substitutions.values();
                substitution.iter().for_each(|text| terms.values().append_value(text));
                terms.append(true);
            }
            substitutions.append(true);
        }
        vec![
            numbers::<UInt64Type, _>(rows, |row| row.id),
            numbers::<UInt32Type, _>(rows, |row| row.seed),
            texts(rows, |row| &row.seed_id),
            numbers::<UInt32Type, _>(rows, |row| row.class),
            numbers::<UInt32Type, _>(rows, |row| row.links),
            numbers::<UInt32Type, _>(rows, |row| row.steps() as u32),
            numbers::<UInt32Type, _>(rows, |row| row.unshortened),
            text_lists(rows, |row| &row.terms),
            text_lists(rows, |row| &row.rules),
            Arc::new(forward.finish()),
            text_lists(rows, |row| &row.paths),
            Arc::new(substitutions.finish()),
        ]
    }

    fn read(batch: &Columns<'_>, rows: &mut Vec<ProofRow>) -> Result<()> {
        let ids = batch.numbers::<UInt64Type>("id")?;
        let number = |name| batch.numbers::<UInt32Type>(name);
        let list = |name| batch.text_lists(name);
        let (seed, class, links) = (number("seed")?, number("class")?, number("links")?);
        let (steps, unshortened) = (number("steps")?, number("unshortened")?);
        let seed_id = batch.texts("seed_id")?;
        let (terms, rules, paths) = (list("terms")?, list("rules")?, list("paths")?);
        // The reader has compared the types of the columns.
        let nested = |name| batch.get(name).map(|c| c.as_list::<i32>());
        let (forward, substitutions) = (nested("forward")?, nested("substitutions")?);
        for i in 0..batch.rows() {
            let flags = forward.value(i);
            let flags = flags.as_boolean();
            let nested = substitutions.value(i);
            let nested = nested.as_list::<i32>();
            let row = ProofRow {
                id: ids.value(i),
                seed: seed.value(i),
                seed_id: seed_id.value(i).to_owned(),
                class: class.value(i),
                links: links.value(i),
                unshortened: unshortened.value(i),
                terms: terms.value(i)?,
                rules: rules.value(i)?,
                forward: (0..flags.len()).map(|k| flags.value(k)).collect(),
                paths: paths.value(i)?,
                substitutions: (0..nested.len()).map(|k| strings(nested, k)).collect(),
            };
            let n = steps.value(i) as usize;
            let lengths =
                [row.rules.len(), row.forward.len(), row.paths.len(), row.substitutions.len()];
            ensure!(
                lengths == [n; 4] && row.terms.len() == n + 1,
                "proof {} has lists that are not of {n} steps",
                row.id
            );
            rows.push(row);
        }
        Ok(())
    }
}

fn strings(lists: &ListArray, i: usize) -> Vec<String> {
    let values = lists.value(i);
    values.as_string::<i32>().iter().map(|text| text.unwrap_or_default().to_owned()).collect()
}
