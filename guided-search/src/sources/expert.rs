//! Guides that a person wrote: sketches or terms, in the order in which they should be reached.

use crate::sources::guide_source::{GuideRequest, GuideSet, GuideSource};
use anyhow::{Result, anyhow, ensure};
use egraph::{Place, Sketch, SortId, System, TermBank};
use std::path::Path;
use support::files::text::read_text;

/// A plan: it is followed before anything else is tried, and there are no other guides.
#[derive(Clone, Debug)]
pub struct ExpertGuides {
    plan: Vec<Sketch>,
}

impl ExpertGuides {
    /// Reads a sketch a line; blank lines, lines that start with `#`, and everything after a `;`
    /// are comments.
    ///
    /// # Errors
    /// A file that can't be read, a line that is not a sketch of `sort` (with its place), or no
    /// sketch at all.
    pub fn load(path: &Path, system: &System, sort: SortId) -> Result<ExpertGuides> {
        let name = path.display();
        let text = read_text(path, "guides")?;
        let mut plan = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let content = line.split(';').next().unwrap_or("");
            if content.trim().is_empty() || content.trim_start().starts_with('#') {
                continue;
            }
            let sketch = Sketch::parse(&system.language, content, Some(sort)).map_err(|e| {
                let place = Place { line: number, ..e.place };
                anyhow!("{name}:{place}: {}", e.message)
            })?;
            plan.push(sketch);
        }
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
