//! The operations of a function, block by block, with those of regions.

use crate::mlir::functions::blocks;
use crate::mlir::ops::{Block, Op};
use crate::mlir::values::uses;
use crate::mlir::words::operation::{computed, constant, is_same_word};
use crate::ssa::{self, Computed, Instruction, Operand};
use crate::words::Words;
use egraph::{ParseError, TermBank};
use rustc_hash::{FxHashMap, FxHashSet};

/// Dialects in whose regions operations are computed one after the other.
const IN_ORDER: [&str; 7] = ["affine", "async", "gpu", "linalg", "memref", "scf", "tensor"];

/// Whether the values in an operation's regions are looked at. A function or module in a function sees nothing of it.
pub fn is_entered(op: &Op) -> bool {
    op.name.split_once('.').is_some_and(|(dialect, name)| {
        IN_ORDER.contains(&dialect) && !matches!(name, "func" | "module")
    })
}

/// An operation in its place.
struct Line<'o> {
    op: &'o Op,
    block: usize,
    /// In the order of the text.
    line: usize,
    /// Values that it uses, as those that they are the same as.
    uses: Vec<String>,
    computed: Option<Computed>,
}

/// A function, each value of which has a name of its own.
pub struct Function<'o> {
    lines: Vec<Line<'o>>,
    /// Types of values.
    pub types: FxHashMap<&'o str, &'o str>,
    /// Values that are words.
    pub constants: FxHashMap<&'o str, u64>,
    /// Parameters that are not poison.
    defined: FxHashSet<&'o str>,
}

impl<'o> Function<'o> {
    /// # Errors
    /// A value of two types.
    pub fn of(function: &'o Op) -> Result<Function<'o>, ParseError> {
        let mut of = Function {
            lines: Vec::new(),
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            defined: FxHashSet::default(),
        };
        let (mut block, mut line) = (0, 0);
        for op in function.walk() {
            for (name, of_type) in op.results.iter().zip(&op.result_types) {
                of.types.insert(name, of_type);
                // The name of a group is none for another value.
                if let Some((group, _)) = name.split_once('#') {
                    of.types.insert(group, "");
                }
            }
            let arguments = op.regions.iter().flat_map(|r| &r.blocks).flat_map(|b| &b.arguments);
            of.types.extend(arguments.map(|(name, of)| (name.as_str(), of.as_str())));
            if let ([name], Some(value)) = (&op.results[..], constant(op)) {
                of.constants.insert(name, value);
            }
        }
        of.define_parameters(function);
        blocks(function).iter().for_each(|inner| of.enter(inner, &mut block, &mut line));
        of.lines.sort_by_key(|line| line.block);
        of.read()?;
        Ok(of)
    }

    /// Lists the operations of a block, and of those in it. Numbers are those of the blocks and lines before.
    fn enter(&mut self, block: &'o Block, number: &mut usize, line: &mut usize) {
        let home = *number;
        *number += 1;
        for op in &block.ops {
            let known = Line { op, block: home, line: *line, uses: Vec::new(), computed: None };
            self.lines.push(known);
            *line += 1;
            for inner in op.regions.iter().filter(|_| is_entered(op)).flat_map(|r| &r.blocks) {
                self.enter(inner, number, line);
            }
        }
    }

    /// By values that are the same words as others: what they are the same as in the end.
    fn origins(&self) -> FxHashMap<&'o str, &'o str> {
        let mut same: FxHashMap<&str, &str> = FxHashMap::default();
        for Line { op, .. } in &self.lines {
            if let ([name], [operand], true) = (&op.results[..], &op.operands[..], is_same_word(op))
            {
                same.insert(name, operand);
            }
        }
        let mut origins = FxHashMap::default();
        for name in same.keys() {
            let (mut origin, mut steps) = (*name, 0);
            // In what is never reached, one may be its own.
            while let Some(next) = same.get(origin).filter(|_| steps < same.len()) {
                (origin, steps) = (*next, steps + 1);
            }
            if !same.contains_key(origin) {
                origins.insert(*name, origin);
            }
        }
        origins
    }

    /// Reads what operations compute and use.
    fn read(&mut self) -> Result<(), ParseError> {
        let origins = self.origins();
        for line in &mut self.lines {
            let op = line.op;
            let is_same = op.results.iter().any(|name| origins.contains_key(name.as_str()));
            let used: Vec<&str> = match is_entered(op) {
                _ if is_same => Vec::new(),
                true => op.operands.iter().map(String::as_str).collect(),
                false => uses(op),
            };
            let used = used.into_iter().map(|name| origins.get(name).copied().unwrap_or(name));
            line.uses = used.map(str::to_owned).collect();
            let word = |name: &str| {
                let origin = origins.get(name).copied().unwrap_or(name);
                match self.constants.get(origin) {
                    Some(value) => Operand::Number(*value),
                    None => Operand::Value(origin.to_owned()),
                }
            };
            line.computed = computed(op, &word);
            for (name, of_type) in op.operands.iter().zip(&op.operand_types) {
                let known = self.types.get(name.as_str());
                if line.computed.is_some() && known.is_some_and(|known| known != of_type) {
                    let message = format!("{name} is of another type elsewhere");
                    return Err(ParseError::new(op.place, message));
                }
            }
        }
        Ok(())
    }

    /// Parameters that are declared to be neither poison nor undefined.
    fn define_parameters(&mut self, function: &'o Op) {
        let (Some(list), Some(entry)) = (function.attribute("arg_attrs"), blocks(function).first())
        else {
            return;
        };
        let (mut depth, mut number) = (0usize, 0);
        let mut start = 0;
        for (at, c) in list.char_indices() {
            match c {
                '[' | '{' | '<' | '(' => depth += 1,
                ']' | '}' | '>' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 || depth == 1 && c == ',' {
                let own = &list[start..at];
                let mut names = own.split(|c: char| !(c.is_alphanumeric() || "._".contains(c)));
                if names.any(|name| name == "llvm.noundef")
                    && let Some((name, _)) = entry.arguments.get(number)
                {
                    self.defined.insert(name);
                }
                (start, number) = (at, number + 1);
            }
        }
    }

    /// Its values as terms.
    ///
    /// # Errors
    /// A value of two widths.
    pub fn blocks(
        &self,
        words: &Words,
        bank: &mut TermBank,
    ) -> Result<Vec<ssa::Block<'_>>, ParseError> {
        let mut all = Vec::new();
        for Line { op, block, line, uses, computed } in &self.lines {
            let is_defined = op.name == "llvm.freeze";
            let (line, block) = (*line, *block);
            let of = |result| Instruction {
                line,
                block,
                result,
                uses,
                computed: computed.as_ref(),
                is_defined,
            };
            let mut results = op.results.iter();
            all.push(of(results.next().map(String::as_str)));
            all.extend(results.map(|name| Instruction { uses: &[], ..of(Some(name)) }));
        }
        ssa::blocks(&all, self.defined.clone(), words, bank).map_err(|other| {
            let line = self.lines.iter().find(|known| known.line == other.line);
            let place = line.map_or(crate::mlir::ops::START, |line| line.op.place);
            ParseError::new(place, format!("{} is of another type elsewhere", other.name))
        })
    }
}
