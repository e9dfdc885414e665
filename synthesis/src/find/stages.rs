//! The stages: terms of one operator first, then of two, then of all, each by size; and rules with conditions at the end.

use crate::language::Language;

/// A stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Operators at a time.
    pub width: usize,
    /// Nodes of the larger side.
    pub size: u16,
    /// Whether the rules have a condition.
    pub conditional: bool,
}

/// All stages for a language, up to these sizes: with one operator, with two, with all, with a condition.
pub fn stages(language: &Language, [one, two, all, conditional]: [u16; 4]) -> Vec<Stage> {
    let most = language.operators.len();
    let mut found = Vec::new();
    for (width, size) in [(1, one), (2, two), (most, all)] {
        // Where there are no more operators than that, these are all.
        let width = width.min(most);
        for size in 2..=size {
            let stage = Stage { width, size, conditional: false };
            if !found.contains(&stage) {
                found.push(stage);
            }
        }
    }
    found.extend((2..=conditional).map(|size| Stage { width: most, size, conditional: true }));
    found
}

impl Stage {
    /// The sets of operators that are gone through, a bit each.
    pub fn sets(&self, language: &Language) -> Vec<u64> {
        let most = language.operators.len();
        let all = (0..most).fold(0u64, |all, op| all | 1 << op);
        match self.width {
            width if width >= most => vec![all],
            1 => (0..most).map(|op| 1 << op).collect(),
            _ => (0..most)
                .flat_map(|first| (first + 1..most).map(move |second| 1 << first | 1 << second))
                .collect(),
        }
    }

    /// What it goes through, in words.
    pub fn told(&self, language: &Language) -> String {
        let condition = if self.conditional { ", with a condition" } else { "" };
        let operators = match self.width {
            width if width >= language.operators.len() => "all operators".to_owned(),
            1 => "one operator".to_owned(),
            width => format!("{width} operators"),
        };
        format!("{operators}, size {}{condition}", self.size)
    }
}
