//! Guides that a person wrote: sketches or terms, in the order in which they should be reached.

use crate::sources::guide_source::{Guide, GuideRequest, GuideSet, GuideSource, Waypoint};
use anyhow::{Result, anyhow, ensure};
use egraph::{Place, Sketch, SortId, System, TermBank};
use std::path::Path;
use support::files::text::read_text;

/// Answers the whole question with the whole list, and no other.
#[derive(Clone, Debug)]
pub struct ExpertGuides {
    waypoints: Vec<Waypoint>,
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
        let mut waypoints = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let content = line.split(';').next().unwrap_or("");
            if content.trim().is_empty() || content.trim_start().starts_with('#') {
                continue;
            }
            let sketch = Sketch::parse(&system.language, content, Some(sort)).map_err(|e| {
                let place = Place { line: number, ..e.place };
                anyhow!("{name}:{place}: {}", e.message)
            })?;
            waypoints.push(Waypoint::Sketch(sketch));
        }
        ensure!(!waypoints.is_empty(), "{name} holds no guide: expected a sketch or term a line");
        Ok(ExpertGuides { waypoints })
    }
}

impl GuideSource for ExpertGuides {
    fn guides(&mut self, request: &GuideRequest<'_>, _: &mut TermBank) -> Result<GuideSet> {
        let whole = request.level == 0;
        let guide = Guide { waypoints: self.waypoints.clone(), reached: None };
        Ok(GuideSet { guides: whole.then_some(guide).into_iter().collect(), ..GuideSet::default() })
    }
}
