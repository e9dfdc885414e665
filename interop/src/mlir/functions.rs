//! The functions of a module, and whether the values of each have one definition.

use crate::mlir::ops::{Block, Item, Module, Op};
use crate::mlir::values::uses;
use egraph::ParseError;
use rustc_hash::FxHashSet;

impl Module {
    /// The functions that have a body, in the order of the text.
    pub fn functions(&self) -> Vec<&Op> {
        let ops = self.items.iter().filter_map(|item| match item {
            Item::Op(op) => Some(&**op),
            Item::Text(_) => None,
        });
        let mut found = Vec::new();
        let mut todo: Vec<&Op> = ops.collect();
        todo.reverse();
        while let Some(op) = todo.pop() {
            match op.name.as_str() {
                "func.func" if !blocks(op).is_empty() => found.push(op),
                "builtin.module" => {
                    todo.extend(blocks(op).iter().rev().flat_map(|b| b.ops.iter().rev()))
                }
                _ => {}
            }
        }
        found
    }

    /// The same functions, to be changed.
    pub fn functions_mut(&mut self) -> Vec<&mut Op> {
        let ops = self.items.iter_mut().filter_map(|item| match item {
            Item::Op(op) => Some(&mut **op),
            Item::Text(_) => None,
        });
        let mut found = Vec::new();
        let mut todo: Vec<&mut Op> = ops.collect();
        todo.reverse();
        while let Some(op) = todo.pop() {
            match op.name.as_str() {
                "func.func" if !blocks(op).is_empty() => found.push(op),
                "builtin.module" => {
                    let blocks = op.regions.first_mut().map_or(&mut [][..], |r| &mut r.blocks[..]);
                    todo.extend(blocks.iter_mut().rev().flat_map(|b| b.ops.iter_mut().rev()));
                }
                _ => {}
            }
        }
        found
    }
}

/// The blocks of an operation's first region.
pub fn blocks(op: &Op) -> &[Block] {
    op.regions.first().map_or(&[], |region| &region.blocks)
}

/// The name of a function, as `@f`.
pub fn symbol(function: &Op) -> String {
    format!("@{}", function.attribute("sym_name").unwrap_or_default().trim_matches('"'))
}

/// # Errors
/// A value has two definitions in the function's body, or none.
pub fn check_names(function: &Op) -> Result<(), ParseError> {
    let mut defined: FxHashSet<&str> = FxHashSet::default();
    let mut twice = |name, op: &Op| match defined.insert(name) {
        true => Ok(()),
        false => Err(ParseError::new(op.place, format!("{name} is defined a second time"))),
    };
    let mut all: Vec<&Op> = Vec::new();
    for block in blocks(function) {
        block.arguments.iter().try_for_each(|(name, _)| twice(name.as_str(), function))?;
        all.extend(&block.ops);
        for op in &block.ops {
            op.results.iter().try_for_each(|name| twice(name.as_str(), op))?;
            // An e-graph hands on its values through its last operation alone.
            for inner in
                op.walk().into_iter().skip(1).filter(|_| crate::mlir::values::is_of_egraph(op))
            {
                inner.results.iter().try_for_each(|name| twice(name.as_str(), inner))?;
            }
        }
    }
    for op in all {
        if let Some(name) = uses(op).into_iter().find(|name| !defined.contains(name)) {
            let message = format!("{name} is used and not defined in {}", symbol(function));
            return Err(ParseError::new(op.place, message));
        }
    }
    Ok(())
}
