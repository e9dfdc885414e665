//! Tasks from elsewhere: text and CSV.

use crate::tasks::question::read_question;
use crate::tasks::task::{Task, check_id};
use anyhow::Result;
use egraph::TermBank;
use terms::{Layout, TermFile, TermLine};

/// A task from elsewhere: without a chain.
pub(crate) fn outside(id: String, start: String, target: String) -> Task {
    Task { seed_id: id.clone(), id, start, target, waypoints: Vec::new(), links: 0, family: None }
}

const LAYOUT: Layout<2> = Layout { columns: ["start", "target"], line: "a start and a target" };

/// The tasks of a file, a start and a target each.
///
/// # Errors
/// The first that is wrong, with its place.
pub(super) fn read_outside(file: &TermFile, bank: &mut TermBank) -> Result<Vec<Task>> {
    let read = |line: Result<TermLine<2>>| {
        let line = line?;
        let id = line.id.clone().unwrap_or_else(|| format!("line-{}", line.number));
        check_id(&id).map_err(|message| line.error(&message))?;
        read_question(bank, &line.terms).map_err(|(i, e)| line.term_error(i, &e))?;
        Ok(outside(id, line.text(0).to_owned(), line.text(1).to_owned()))
    };
    file.lines(LAYOUT)?.map(read).collect()
}
