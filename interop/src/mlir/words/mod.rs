//! Functions of MLIR whose integers are words of several widths, as those of LLVM are: no table says which operations the operators are.
//!
//! `names.rs` gives each value of a function a name of its own, `operation.rs` says which operations are operators and the other way round, `function.rs`
//! lists the operations of all blocks, those of regions too. What becomes of them is [`ssa`](crate::ssa)'s to say, `write.rs` makes operations of that.

mod function;
mod names;
mod operation;
mod write;

use crate::mlir::functions::symbol;
use crate::mlir::ops::{Module, Op};
use crate::mlir::values::is_of_egraph;
use crate::mlir::words::function::Function;
use crate::mlir::words::operation::{MLIR, UNDEFINED, has_operation};
use crate::ssa::{Plan, Planner, Taken, Target, choose};
use crate::variables::NeededValue;
use crate::words::Words;
use egraph::{CostFunction, Language, OpId, ParseError, TermBank, TermId};

/// The operators that are no operation of MLIR; `None` if the language has no words for it.
pub fn missing(language: &Language) -> Option<Vec<OpId>> {
    let words = Words::of(language)?;
    let all = (0..language.operators.len() as u32).map(OpId);
    Some(all.filter(|op| !has_operation(&words, *op)).collect())
}

/// The values that have to be there, block by block, those of regions after those of the block that they are in.
///
/// # Errors
/// A value without a definition, with two, or of two types; an e-graph.
pub fn values(
    module: &Module,
    words: &Words,
    bank: &mut TermBank,
) -> Result<Vec<NeededValue>, ParseError> {
    let mut all = Vec::new();
    for op in module.functions() {
        let resolved = resolved(op)?;
        let function = Function::of(&resolved)?;
        let blocks = function.blocks(words, bank)?;
        let needed = blocks.iter().flat_map(|block| &block.values).filter(|value| value.needed);
        all.extend(needed.map(|value| NeededValue {
            function: symbol(op),
            name: value.name.to_owned(),
            term: value.term,
        }));
    }
    Ok(all)
}

/// Computes values by the terms that are best for them, where MLIR leaves nothing open that it did not before, and the block
/// costs less, equal parts counted once. Says of each value whether that was done, or why not.
///
/// # Errors
/// As [`values`], which gave the values.
pub fn rewrite(
    module: &mut Module,
    words: &Words,
    bank: &mut TermBank,
    best: &dyn Fn(TermId) -> TermId,
    cost: &CostFunction,
) -> Result<Vec<Taken>, ParseError> {
    let target = target(module);
    let mut told = Vec::new();
    for op in module.functions_mut() {
        let mut resolved = resolved(op)?;
        let function = Function::of(&resolved)?;
        let blocks = function.blocks(words, bank)?;
        let is_taken = |name: &str| function.types.contains_key(name);
        let plan = Plan::default();
        let mut planner = Planner { bank, words, sign: "%", is_taken: &is_taken, plan };
        for block in &blocks {
            let (chosen, taken) = choose(planner.bank, words, target, block, best, cost);
            told.extend(taken);
            planner.block(block, &chosen);
        }
        let plan = planner.plan;
        if !plan.edits.is_empty() {
            let Function { types, constants, .. } = function;
            let types = types.into_iter().map(|(name, of)| (name.to_owned(), of.to_owned()));
            let types = types.collect();
            let constants = constants.keys().map(|name| (*name).to_owned()).collect();
            write::apply(&mut resolved, plan, words, types, &constants);
            *op = resolved;
        }
    }
    Ok(told)
}

/// A function in which no two values have one name.
fn resolved(function: &Op) -> Result<Op, ParseError> {
    if let Some(op) = function.walk().into_iter().find(|op| is_of_egraph(op)) {
        let message = format!(
            "'{}' is part of an e-graph, whose equalities have no proof: cairn saturate --mlir reads it",
            op.name
        );
        return Err(ParseError::new(op.place, message));
    }
    let mut function = function.clone();
    names::resolve(&mut function)?;
    Ok(function)
}

/// A value is a word or poison; where there are operations of LLVM, it may be undefined, too.
fn target(module: &Module) -> &'static Target {
    let mut all = module.functions().into_iter().flat_map(Op::walk);
    if all.any(|op| op.name.starts_with("llvm.")) { &UNDEFINED } else { &MLIR }
}
