//! Functions of LLVM IR, in which values of integers are computed by other terms.
//!
//! `tokens.rs` takes text apart, `read.rs` finds functions and their lines, `instruction.rs` what is computed on one; `known.rs` names
//! instructions and their operators, `operations.rs` makes text of operators. What becomes of the instructions is [`ssa`](crate::ssa)'s to say,
//! `write.rs` makes text of that.

mod instruction;
mod known;
mod operations;
mod read;
mod tokens;
mod write;

use crate::llvm::operations::LLVM;
use crate::llvm::read::Function;
use crate::llvm::tokens::error;
use crate::ssa::{self, Block, Instruction, Plan, Planner, Taken};
use crate::variables::NeededValue;
use crate::words::Words;
use egraph::{CostFunction, ParseError, Place, TermBank, TermId};
use std::collections::BTreeSet;

/// A text of LLVM IR that was read.
#[derive(Clone, Debug)]
pub struct Llvm {
    text: String,
    module: read::Module,
}

impl Llvm {
    /// Reads a module as LLVM's tools print it, one instruction a line.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub fn parse(text: &str) -> Result<Llvm, ParseError> {
        Ok(Llvm { text: text.to_owned(), module: read::read(text)? })
    }

    /// The values that the system has operators for and that other instructions or blocks use, in the order of their
    /// definitions.
    ///
    /// # Errors
    /// A value of two types; or the language has no words for LLVM.
    pub fn values(&self, bank: &mut TermBank) -> Result<Vec<NeededValue>, ParseError> {
        let words = &words(bank)?;
        let mut all = Vec::new();
        for function in &self.module.functions {
            let blocks = blocks(&self.text, function, words, bank)?;
            let needed = blocks.iter().flat_map(|block| &block.values).filter(|value| value.needed);
            all.extend(needed.map(|value| NeededValue {
                function: function.name.clone(),
                name: format!("%{}", value.name),
                term: value.term,
            }));
        }
        Ok(all)
    }

    /// The text in which each value is computed by the term that `best` gives for its own, where LLVM leaves nothing open
    /// that it did not before, and the block costs less, equal parts counted once. Says of each value whether that was done, or
    /// why not.
    ///
    /// # Errors
    /// As [`Llvm::values`].
    pub fn rewrite(
        &self,
        bank: &mut TermBank,
        best: &dyn Fn(TermId) -> TermId,
        cost: &CostFunction,
    ) -> Result<(String, Vec<Taken>), ParseError> {
        let Llvm { text, module } = self;
        let words = &words(bank)?;
        let (mut all, mut at, mut told) = (String::new(), 0, Vec::new());
        let mut declared = BTreeSet::new();
        for function in &module.functions {
            let blocks = blocks(text, function, words, bank)?;
            let is_taken =
                |name: &str| function.names.contains(name) || module.types.contains(name);
            let plan = Plan::default();
            let mut planner = Planner { bank, words, sign: "", is_taken: &is_taken, plan };
            for block in &blocks {
                let (chosen, taken) = ssa::choose(planner.bank, words, &LLVM, block, best, cost);
                told.extend(taken);
                planner.block(block, &chosen);
            }
            let plan = planner.plan;
            if let ([first, .., last] | [first @ last], false) =
                (&function.lines[..], plan.edits.is_empty())
            {
                all += &text[at..first.at.start];
                all += &write::body(text, function, &plan, words, &mut declared)?;
                at = last.at.end;
            }
        }
        all += &text[at..];
        let is_new = |line: &&String| {
            let name = line.split(['@', '(']).nth(1).unwrap_or_default();
            !module.declared.contains(name)
        };
        for line in declared.iter().filter(is_new) {
            if !all.ends_with('\n') {
                all.push('\n');
            }
            all += &format!("\n{line}\n");
        }
        Ok((all, told))
    }
}

fn words(bank: &TermBank) -> Result<Words, ParseError> {
    let message = "the system has no words for LLVM: those of 32 and of 64 bits, and truth values (see cairn's 'words')";
    Words::of(bank.language()).ok_or_else(|| ParseError::new(Place { line: 1, column: 1 }, message))
}

/// The blocks of a function.
///
/// # Errors
/// A value of two types.
fn blocks<'f>(
    text: &str,
    function: &'f Function,
    words: &Words,
    bank: &mut TermBank,
) -> Result<Vec<Block<'f>>, ParseError> {
    let lines = function.lines.iter().enumerate();
    let instructions = lines.filter_map(|(number, line)| {
        let read = line.instruction.as_ref()?;
        Some(Instruction {
            line: number,
            block: line.block,
            result: read.result.as_deref(),
            uses: &read.uses,
            computed: read.computed.as_ref(),
            is_defined: read.is_defined,
        })
    });
    let instructions: Vec<Instruction<'_>> = instructions.collect();
    let defined = function.defined.iter().map(String::as_str).collect();
    ssa::blocks(&instructions, defined, words, bank).map_err(|other| {
        let at = function.lines[other.line].at.start;
        error(text, at, format!("%{} is of another type elsewhere", other.name))
    })
}
