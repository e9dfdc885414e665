//! A task: a start and a target term that are to be proved equal.

use crate::tasks::family::Family;
use crate::tasks::question::read_texts;
use anyhow::{Context, Result, anyhow};
use arrow_array::ArrayRef;
use arrow_array::types::UInt32Type;
use arrow_schema::{DataType, Field};
use egraph::{TermBank, TermId};
use serde::{Deserialize, Serialize};
use support::columns::{numbers, some_texts, text_lists, texts};
use support::{Columns, Record};

/// Prove that `start` equals `target`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Unique in its file, and fit for a file name.
    pub id: String,
    /// The seed that the chain began with; the id again for tasks from elsewhere.
    pub seed_id: String,
    /// The start, an s-expression.
    pub start: String,
    /// The target, an s-expression.
    pub target: String,
    /// The terms of the chain between start and target; empty for tasks from elsewhere.
    pub waypoints: Vec<String>,
    /// Links of the chain; 0 for tasks from elsewhere.
    pub links: u32,
    /// The family of the seed; not known of tasks from elsewhere and from earlier versions.
    pub family: Option<Family>,
}

impl Task {
    /// The terms [start, waypoints…, target], read into `bank`; all of one sort.
    ///
    /// # Errors
    /// A text that is not a term of the bank's language, or not of the sort of the others.
    pub fn terms(&self, bank: &mut TermBank) -> Result<Vec<TermId>> {
        let mut texts = vec![("start", self.start.as_str())];
        texts.extend(self.waypoints.iter().map(|waypoint| ("waypoint", waypoint.as_str())));
        texts.push(("target", &self.target));
        read_texts(bank, &texts).with_context(|| format!("task {}", self.id))
    }
}

impl Record for Task {
    const NAME: &'static str = "tasks";
    const ROW_GROUP: usize = 16_384;
    const BATCH: usize = 256;
    const LATER: &'static [&'static str] = &["family"];

    fn fields() -> Vec<Field> {
        let columns = [
            ("id", DataType::Utf8),
            ("seed_id", DataType::Utf8),
            ("start", DataType::Utf8),
            ("target", DataType::Utf8),
            ("waypoints", DataType::new_list(DataType::Utf8, true)),
            ("links", DataType::UInt32),
            ("family", DataType::Utf8),
        ];
        columns.map(|(name, kind)| Field::new(name, kind, name == "family")).into()
    }

    fn columns(tasks: &[Task]) -> Vec<ArrayRef> {
        vec![
            texts(tasks, |t| &t.id),
            texts(tasks, |t| &t.seed_id),
            texts(tasks, |t| &t.start),
            texts(tasks, |t| &t.target),
            text_lists(tasks, |t| &t.waypoints),
            numbers::<UInt32Type, _>(tasks, |t| t.links),
            some_texts(tasks, |t| t.family.map(Family::name)),
        ]
    }

    fn read(batch: &Columns<'_>, tasks: &mut Vec<Task>) -> Result<()> {
        let (ids, seeds) = (batch.texts("id")?, batch.texts("seed_id")?);
        let (starts, targets) = (batch.texts("start")?, batch.texts("target")?);
        let waypoints = batch.text_lists("waypoints")?;
        let links = batch.numbers::<UInt32Type>("links")?;
        let families = batch.later_texts("family")?;
        for row in 0..batch.rows() {
            tasks.push(Task {
                id: ids.value(row).to_owned(),
                seed_id: seeds.value(row).to_owned(),
                start: starts.value(row).to_owned(),
                target: targets.value(row).to_owned(),
                waypoints: waypoints.value(row)?,
                links: links.value(row),
                family: read_family(families(row))?,
            });
        }
        Ok(())
    }
}

/// The value of a column `family`.
///
/// # Errors
/// It names no family.
pub fn read_family(text: Option<&str>) -> Result<Option<Family>> {
    let family = text.map(str::parse).transpose();
    family.map_err(|message: String| anyhow!("column 'family': {message}"))
}

/// A file system takes names of 255 bytes, and a proof's has the method, too.
const LONGEST_ID: usize = 200;

/// Ids are parts of the names of files.
pub(super) fn check_id(id: &str) -> Result<(), String> {
    if id.len() > LONGEST_ID {
        let begin: String = id.chars().take(20).collect();
        return Err(format!(
            "the id '{begin}…' has {} characters: expected at most {LONGEST_ID}",
            id.chars().count()
        ));
    }
    if !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) {
        return Ok(());
    }
    Err(format!("the id '{id}' is not made of letters, digits, '-' and '_'"))
}
