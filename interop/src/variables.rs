//! Variables for the values of a function, `%x` and `%0`, of MLIR or LLVM.

use egraph::{Language, TermId, looks_numeric};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value that is used by what is no term, and so has to be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeededValue {
    /// The function, as `@f`.
    pub function: String,
    /// The value, as `%0`.
    pub name: String,
    /// What computes it.
    pub term: TermId,
}

/// Names of variables for values of one function.
#[derive(Default)]
pub(crate) struct Names<'o> {
    of_value: FxHashMap<&'o str, String>,
    taken: FxHashSet<String>,
}

impl<'o> Names<'o> {
    /// The name as an atom that reads as a variable.
    pub fn variable(&mut self, language: &Language, value: &'o str) -> String {
        if let Some(known) = self.of_value.get(value) {
            return known.clone();
        }
        let plain = |c: char| match c {
            '#' => '.',
            '"' | '(' | ')' | ';' | '|' | '?' => '_',
            c if c.is_whitespace() || c.is_control() => '_',
            c => c,
        };
        let mut name: String =
            value.trim_start_matches('%').trim_matches('"').chars().map(plain).collect();
        if looks_numeric(&name) {
            name.insert(0, 'v');
        }
        let is_known =
            |name: &str| language.operator(name).is_some() || matches!(name, "true" | "false");
        while is_known(&name) || !self.taken.insert(name.clone()) {
            name.push('_');
        }
        self.of_value.insert(value, name.clone());
        name
    }
}
