//! Which values of a block are computed anew.

use crate::ssa::instruction::Operand;
use crate::ssa::sound::{Target, settled};
use crate::ssa::terms::term;
use crate::ssa::values::{Block, Value};
use crate::words::Words;
use crate::worthwhile::worthwhile;
use egraph::{CostFunction, TermBank, TermId};
use rustc_hash::FxHashMap;

/// Why a better term is not written, or that it is.
pub type Taken = Result<(), &'static str>;

/// Better terms by value, as they may be written; and what became of each value that is needed.
pub type Chosen<'f> = (FxHashMap<&'f str, TermId>, Vec<Taken>);

/// Chooses better terms for the values that are needed.
pub fn choose<'f>(
    bank: &mut TermBank,
    words: &Words,
    target: &Target,
    block: &Block<'f>,
    best: &dyn Fn(TermId) -> TermId,
    cost: &CostFunction,
) -> Chosen<'f> {
    let mut taken: Vec<Taken> = Vec::new();
    let mut better: Vec<(usize, &'f str, TermId)> = Vec::new();
    for value in block.values.iter().filter(|value| value.needed) {
        let term = best(value.term);
        let number = taken.len();
        taken.push(match settled(bank, words, target, block, value, term) {
            _ if term == value.term => Ok(()),
            Ok(term) => {
                better.push((number, value.name, term));
                Ok(())
            }
            Err(why) => Err(why),
        });
    }
    let with = |chosen: &[bool]| -> FxHashMap<&'f str, TermId> {
        let chosen = better.iter().zip(chosen).filter(|(_, chosen)| **chosen);
        chosen.map(|((_, name, term), _)| (*name, *term)).collect()
    };
    let chosen = worthwhile(better.len(), &mut |chosen| {
        let terms = terms(bank, words, block, &with(chosen));
        let needed = block.values.iter().filter(|value| value.needed);
        let needed: Vec<TermId> = needed.map(|value| terms[value.name]).collect();
        cost.of_dags(bank, &needed)
    });
    for ((place, ..), chosen) in better.iter().zip(&chosen) {
        if !chosen {
            taken[*place] = Err("with it the function would cost no less");
        }
    }
    let mut chosen = with(&chosen);
    let terms = terms(bank, words, block, &chosen);
    // What would be written is there where its parts are better.
    for value in &block.values {
        if rebuilt(bank, words, block, value, &terms) == chosen.get(value.name).copied() {
            chosen.remove(value.name);
        }
    }
    (chosen, taken)
}

/// The terms of all values of a block where some are computed by other terms.
pub fn terms<'f>(
    bank: &mut TermBank,
    words: &Words,
    block: &Block<'f>,
    chosen: &FxHashMap<&'f str, TermId>,
) -> FxHashMap<&'f str, TermId> {
    let mut terms: FxHashMap<&str, TermId> = FxHashMap::default();
    for value in &block.values {
        let now = chosen.get(value.name).copied();
        let now = now.or_else(|| rebuilt(bank, words, block, value, &terms));
        terms.insert(value.name, now.unwrap_or(value.term));
    }
    terms
}

/// What an instruction computes of the terms of its operands.
fn rebuilt(
    bank: &mut TermBank,
    words: &Words,
    block: &Block<'_>,
    value: &Value<'_>,
    terms: &FxHashMap<&str, TermId>,
) -> Option<TermId> {
    let mut args = Vec::new();
    for (operand, bits) in value.computed.operands() {
        args.push(match operand {
            Operand::Value(name) => {
                terms.get(name.as_str()).or_else(|| block.named.get(name.as_str())).copied()?
            }
            Operand::Number(number) => words.literal(bank, bits, *number).ok()?,
        });
    }
    term(bank, words, value.computed, &args)
}
