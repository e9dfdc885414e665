//! A look at a task file: how many tasks, how far apart their terms are, how they were made.

use crate::options::tasks::Family;
use crate::tasks::origin::{HeldOutFrom, TaskOrigin};
use crate::tasks::task::Task;
use crate::tasks::task_set::{TaskSet, short};
use anyhow::Result;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use support::{counted, thousands};

/// What a task file holds.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// How the tasks were made.
    pub origin: TaskOrigin,
    /// Tasks.
    pub tasks: usize,
    /// Seeds that they were made from.
    pub seeds: usize,
    /// Tasks by the links of their chains; 0 for tasks from elsewhere.
    pub links: BTreeMap<u32, usize>,
    /// Tasks by the families of their seeds, where these are known.
    pub families: BTreeMap<Family, usize>,
    /// Nodes of the starts.
    pub start_nodes: Spread,
    /// Nodes of the targets.
    pub target_nodes: Spread,
    /// Some of the tasks.
    pub examples: Vec<Task>,
}

/// Where numbers lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// The least.
    pub least: usize,
    /// The middle one, of an even number the larger of the two.
    pub median: usize,
    /// The largest.
    pub most: usize,
}

impl Spread {
    fn of(mut numbers: Vec<usize>) -> Spread {
        numbers.sort_unstable();
        let at = |place: usize| numbers.get(place).copied().unwrap_or_default();
        Spread {
            least: at(0),
            median: at(numbers.len() / 2),
            most: at(numbers.len().saturating_sub(1)),
        }
    }
}

/// Looks at a task file and shows up to `examples` tasks, evenly spaced.
///
/// # Errors
/// The file can't be read or is not one of tasks; it is named.
pub fn inspect(path: &Path, examples: usize) -> Result<Inspection> {
    let TaskSet { origin, tasks } = TaskSet::load_unchecked(path)?;
    let mut links = BTreeMap::new();
    let mut families = BTreeMap::new();
    for task in &tasks {
        *links.entry(task.links).or_default() += 1;
        if let Some(family) = task.family {
            *families.entry(family).or_default() += 1;
        }
    }
    let spread =
        |text: fn(&Task) -> &str| Spread::of(tasks.iter().map(|t| nodes(text(t))).collect());
    let every = tasks.len().checked_div(examples).unwrap_or(0).max(1);
    Ok(Inspection {
        tasks: tasks.len(),
        seeds: tasks.iter().map(|task| &task.seed_id).collect::<BTreeSet<_>>().len(),
        links,
        families,
        start_nodes: spread(|task| &task.start),
        target_nodes: spread(|task| &task.target),
        examples: tasks.iter().step_by(every).take(examples).cloned().collect(),
        origin,
    })
}

/// Nodes of a term, which are the words of its text.
fn nodes(text: &str) -> usize {
    let words = text.split(|c: char| c.is_whitespace() || "()".contains(c));
    words.filter(|word| !word.is_empty()).count()
}

impl Inspection {
    /// For a terminal.
    pub fn text(&self) -> String {
        let TaskOrigin { system_hash, link_nodes, cap, seed, begun, failures, .. } = &self.origin;
        let TaskOrigin { family, other_family, held_out_from, .. } = &self.origin;
        let mut text = format!(
            "{} from {}, rewrite system {}\n",
            counted(self.tasks as u64, "task"),
            counted(self.seeds as u64, "seed"),
            short(system_hash)
        );
        if self.origin.links > 0 {
            text += &format!(
                "made with seed {seed}: {} begun, links of {} e-nodes; no start reaches its target within \
                 {} e-nodes\n",
                counted(*begun, "chain"),
                thousands(*link_nodes as u64),
                thousands(*cap as u64)
            );
        }
        for (reason, count) in failures {
            text += &format!("chains that came to nothing, {reason}: {}\n", thousands(*count));
        }
        for HeldOutFrom { kind, path, sha256 } in held_out_from {
            text += &format!("held out from {} {path}, SHA-256 {}\n", kind.name(), short(sha256));
        }
        if let Some(family) = family {
            text += &format!(
                "asked for: {family}; seeds left out as they are of the other family: {}\n",
                thousands(*other_family)
            );
        }
        for (family, count) in &self.families {
            let count = thousands(*count as u64);
            text += &format!("{count}: of family {family} ({})\n", family.description());
        }
        for (links, count) in &self.links {
            let chains = match links {
                0 => "without a known chain".to_owned(),
                links => format!("with a chain of {}", counted(u64::from(*links), "link")),
            };
            text += &format!("{}: {chains}\n", thousands(*count as u64));
        }
        for (side, Spread { least, median, most }) in
            [("starts", self.start_nodes), ("targets", self.target_nodes)]
        {
            text += &format!("nodes of {side}: {least} to {most}, median {median}\n");
        }
        for task in &self.examples {
            text += &format!("\ntask {}\n  start   {}\n", task.id, task.start);
            for waypoint in &task.waypoints {
                text += &format!("          {waypoint}\n");
            }
            text += &format!("  target  {}\n", task.target);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_nodes_and_the_middle_is_found() {
        assert_eq!(nodes("(+ (* a 2) 0)"), 5);
        assert_eq!(nodes("x"), 1);
        assert_eq!(Spread::of(vec![5, 1, 9, 3]), Spread { least: 1, median: 5, most: 9 });
        assert_eq!(Spread::of(Vec::new()), Spread::default());
    }
}
