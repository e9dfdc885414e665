//! The operators of a system, found by what they compute and on words of which widths.

mod sure;

pub(crate) use crate::words::sure::Sure;

use egraph::{Language, Leaf, LeafValue, LiteralKind, OpId, SortId, TermBank, TermId, Value};
use rustc_hash::FxHashMap;

/// The sorts of words and of truth values, and the operators on them.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    /// By number of bits, where 1 stands for truth values: the sort.
    sorts: FxHashMap<u32, SortId>,
    operators: FxHashMap<(&'static str, Vec<SortId>, SortId), OpId>,
    /// What an operator computes, with the widths of its arguments and its result.
    meanings: FxHashMap<OpId, (&'static str, Vec<u32>, u32)>,
}

impl Words {
    /// `None` if the language has no truth values, or not words of 32 and of 64 bits.
    pub fn of(language: &Language) -> Option<Words> {
        let mut sorts = FxHashMap::default();
        for &(kind, sort) in &language.literals {
            let bits = match kind {
                LiteralKind::Bool => 1,
                LiteralKind::Bits(width) if width.bits() > 1 => width.bits(),
                _ => continue,
            };
            sorts.entry(bits).or_insert(sort);
        }
        if ![1, 32, 64].iter().all(|bits| sorts.contains_key(bits)) {
            return None;
        }
        let bits_of = |sort: SortId| sorts.iter().find(|(_, known)| **known == sort);
        let (mut operators, mut meanings) = (FxHashMap::default(), FxHashMap::default());
        for (number, operator) in (0..).zip(&language.operators) {
            let Some(builtin) = operator.builtin else { continue };
            let bits = |sort: &SortId| bits_of(*sort).map(|(bits, _)| *bits);
            let Some(args) = operator.args.iter().map(bits).collect::<Option<Vec<u32>>>() else {
                continue;
            };
            let Some(result) = bits(&operator.result) else { continue };
            let op = OpId(number);
            let name = same_name(builtin.name(), args.len());
            operators.entry((name, operator.args.clone(), operator.result)).or_insert(op);
            meanings.insert(op, (name, args, result));
        }
        Some(Words { sorts, operators, meanings })
    }

    pub fn sort(&self, bits: u32) -> Result<SortId, String> {
        let sort = self.sorts.get(&bits).copied();
        sort.ok_or_else(|| format!("the system has no words of {bits} bits"))
    }

    /// The number of bits of a sort, 1 for truth values.
    pub fn bits(&self, sort: SortId) -> Option<u32> {
        self.sorts.iter().find(|(_, known)| **known == sort).map(|(bits, _)| *bits)
    }

    /// What an operator computes, with the widths of its arguments and its result; `None` of others.
    pub fn meaning(&self, op: OpId) -> Option<(&'static str, &[u32], u32)> {
        self.meanings.get(&op).map(|(name, args, result)| (*name, &args[..], *result))
    }

    /// The operator that computes `name` of such arguments with a result of so many bits.
    pub fn operator(
        &self,
        bank: &TermBank,
        name: &'static str,
        bits: u32,
        args: &[TermId],
    ) -> Option<OpId> {
        let sorts: Vec<SortId> = args.iter().map(|arg| bank.sort(*arg)).collect();
        self.operators.get(&(name, sorts, self.sort(bits).ok()?)).copied()
    }

    /// Applies the operator that computes `name` with a result of so many bits; to literals, it gives one.
    pub fn apply(
        &self,
        bank: &mut TermBank,
        name: &'static str,
        bits: u32,
        args: &[TermId],
    ) -> Result<TermId, String> {
        self.sort(bits)?;
        let widths = args.iter().filter_map(|arg| self.bits(bank.sort(*arg)));
        let widths: Vec<String> = widths.map(|bits| bits.to_string()).collect();
        match self.operator(bank, name, bits, args) {
            Some(op) => {
                let values: Option<Vec<Value>> =
                    args.iter().map(|arg| bank.literal(*arg)).collect();
                let builtin = bank.language().op(op).builtin;
                let value = values.zip(builtin).and_then(|(values, of)| of.eval(&values));
                match value.and_then(Value::to_bits) {
                    Some(bits_of_value) => self.literal(bank, bits, bits_of_value),
                    None => Ok(bank.apply(op, args)),
                }
            }
            None => Err(format!(
                "the system has no operator '{name}' on words of {} bits with a result of {bits}",
                widths.join(" and ")
            )),
        }
    }

    pub fn literal(&self, bank: &mut TermBank, bits: u32, value: u64) -> Result<TermId, String> {
        let sort = self.sort(bits)?;
        let kind = bank.language().literal_kind(sort);
        let value =
            kind.and_then(|kind| kind.of_bits(value)).expect("a sort of words or truth values");
        Ok(bank.leaf(&Leaf { sort, value: LeafValue::Literal(value) }))
    }

    pub fn variable(&self, bank: &mut TermBank, bits: u32, name: &str) -> Result<TermId, String> {
        let sort = self.sort(bits)?;
        if !bank.language().variables.contains(&sort) {
            return Err(format!("the system has no variables of {bits} bits"));
        }
        if bank.language().operator(name).is_some() {
            return Err(format!("'{name}' is an operator of the system, and no variable"));
        }
        Ok(bank.leaf(&Leaf { sort, value: LeafValue::Variable(name.to_owned()) }))
    }
}

/// One name for operators that have two.
fn same_name(name: &'static str, arity: usize) -> &'static str {
    match name {
        "-" if arity == 1 => "neg",
        "and" => "&",
        "or" => "|",
        "xor" => "^",
        "not" => "~",
        other => other,
    }
}

/// The number of a literal: a word as it is, a truth value as 0 or 1.
pub(crate) fn number(bank: &TermBank, term: TermId) -> Option<u64> {
    bank.literal(term)?.to_bits()
}
