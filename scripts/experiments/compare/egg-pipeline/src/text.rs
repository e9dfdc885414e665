//! Terms of egg as text.

use crate::egg_language::{ENode, Symbols};
use egg::{FlatTerm, Language};
use egraph::{Leaf, System};
use std::collections::HashMap;
use std::fmt::Write;

/// What to write for a node; literals that saturation made are in the e-graph's [`Symbols`].
pub struct Names {
    operators: Vec<String>,
    leaves: HashMap<u32, String>,
}

impl Names {
    pub fn new(system: &System) -> Names {
        let operators = system.language.operators.iter().map(|op| op.name.clone()).collect();
        Names { operators, leaves: HashMap::new() }
    }

    /// Notes a leaf's number, and returns it.
    pub fn enter(&mut self, number: u32, leaf: &Leaf) -> u32 {
        self.leaves.insert(number, leaf.to_string());
        number
    }

    /// A term without the marks of rewriting.
    pub fn write(&self, symbols: &Symbols, term: &FlatTerm<ENode>, to: &mut String) {
        let number = term.node.discriminant();
        if !term.children.is_empty() {
            write!(to, "({}", self.operators[number as usize >> 2]).expect("a string");
            for child in &term.children {
                to.push(' ');
                self.write(symbols, child, to);
            }
            to.push(')');
        } else if let Some(value) = symbols.literal(number) {
            write!(to, "{value}").expect("a string");
        } else {
            let operator = self.operators.get(number as usize >> 2);
            to.push_str(operator.unwrap_or_else(|| &self.leaves[&number]));
        }
    }
}

/// Number of nodes of a term.
pub fn size(term: &FlatTerm<ENode>) -> usize {
    1 + term.children.iter().map(size).sum::<usize>()
}
