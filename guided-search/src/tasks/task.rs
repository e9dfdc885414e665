//! A task: a start and a target term that are to be proved equal.

use crate::options::tasks::Family;
use crate::tasks::question::read_texts;
use anyhow::{Context, Result};
use egraph::{TermBank, TermId};
use serde::{Deserialize, Serialize};
use support::{Record, columns_of};

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

    /// The start and the target of these.
    ///
    /// # Errors
    /// As [`Task::terms`].
    pub fn ends(&self, bank: &mut TermBank) -> Result<[TermId; 2]> {
        let terms = self.terms(bank)?;
        Ok([terms[0], terms[terms.len() - 1]])
    }
}

impl Record for Task {
    const NAME: &'static str = "tasks";
    const ROW_GROUP: usize = 16_384;
    const BATCH: usize = 256;
    const LATER: &'static [&'static str] = &["family"];

    columns_of!(Task: id, seed_id, start, target, waypoints, links, family);
}

/// A file system takes names of 255 bytes, and a proof's has the method, too.
const LONGEST_ID: usize = 200;

/// Ids are parts of the names of files.
pub(crate) fn check_id(id: &str) -> Result<(), String> {
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
