//! The stages: terms of one operator first, then of two, of three if these are asked for, then of all, each by size; and rules with
//! conditions at the end.

use crate::language::{Language, OperatorSet};
use crate::options::Sizes;

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

/// All stages for a language, up to these sizes.
pub fn stages(language: &Language, sizes: Sizes) -> Vec<Stage> {
    let most = language.operators.len();
    // Two operators without arguments may be equal.
    let has_constants = language.operators.iter().any(|operator| operator.args.is_empty());
    let least = if has_constants { 1 } else { 2 };
    let mut found = Vec::new();
    for (width, size) in [(1, sizes.one), (2, sizes.two), (3, sizes.three), (most, sizes.all)] {
        // Where there are no more operators than that, these are all.
        let width = width.min(most);
        for size in least..=size {
            let stage = Stage { width, size, conditional: false };
            if !found.contains(&stage) {
                found.push(stage);
            }
        }
    }
    found.extend((2..=sizes.conditional).map(|size| Stage {
        width: most,
        size,
        conditional: true,
    }));
    found
}

impl Stage {
    /// The sets of operators that are gone through.
    pub fn sets(&self, language: &Language) -> Vec<OperatorSet> {
        let most = language.operators.len();
        OperatorSet::choices(most, self.width.min(most))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_of_operators_is_gone_through_once() {
        let text =
            "(sort I) (op + (I I) I) (op - (I I) I) (op * (I I) I) (op / (I I) I) (literal i64 I)";
        let language = Language::read(("my.rules", text), None, 2, None).unwrap();
        let sets = |width| Stage { width, size: 3, conditional: false }.sets(&language).len();
        assert_eq!([1, 2, 3, 4].map(sets), [4, 6, 4, 1]);
        let sizes = Sizes { one: 3, two: 3, three: 3, all: 2, conditional: 2 };
        let widths: Vec<usize> = stages(&language, sizes).iter().map(|stage| stage.width).collect();
        assert_eq!(widths, [1, 1, 2, 2, 3, 3, 4, 4]);
    }
}
