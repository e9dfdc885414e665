//! Guides that a person wrote: sketches or terms, in the order in which they should be reached.

use crate::search::guide_source::{GuideRequest, GuideSet, GuideSource};
use anyhow::{Result, ensure};
use egraph::{Sketch, SortId, System, TermBank};
use std::path::Path;
use support::read_text;
use terms::{Layout, TermFile, TermLine};

const LAYOUT: Layout<1> = Layout { columns: ["guide"], line: "one sketch or term a line" };

/// A plan: it is followed before anything else is tried, and there are no other guides.
#[derive(Clone, Debug)]
pub struct ExpertGuides {
    plan: Vec<Sketch>,
}

impl ExpertGuides {
    /// Reads a file with a sketch a line, or CSV with a column `guide`.
    ///
    /// # Errors
    /// A file that can't be read, a line that is not a sketch of `sort` (with its place), or no
    /// sketch at all.
    pub fn load(path: &Path, system: &System, sort: SortId) -> Result<ExpertGuides> {
        let name = path.display();
        let file = TermFile::new(name.to_string(), path, read_text(path, "guides")?);
        let read = |line: Result<TermLine<1>>| {
            let line = line?;
            Sketch::read(&system.language, &line.terms[0], Some(sort))
                .map_err(|e| line.term_error(0, &e))
        };
        let plan = file.lines(LAYOUT)?.map(read).collect::<Result<Vec<_>>>()?;
        ensure!(!plan.is_empty(), "{name} holds no guide: expected a sketch or term a line");
        Ok(ExpertGuides { plan })
    }
}

impl GuideSource for ExpertGuides {
    fn guides(&mut self, _: &GuideRequest<'_>, _: &mut TermBank) -> Result<GuideSet> {
        Ok(GuideSet::default())
    }

    fn plan(&self) -> &[Sketch] {
        &self.plan
    }
}
