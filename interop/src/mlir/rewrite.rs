//! From best terms to operations: a function in which values are computed by other terms that equal them.
//!
//! What is no term stays where it is and keeps its order. What is one stands before its first use, once for
//! each block. The text of a block in which nothing got better is left alone.

use crate::mlir::functions::{blocks, check_names, symbol};
use crate::mlir::literal;
use crate::mlir::ops::{Module, Op, Region, START};
use crate::mlir::table::{CONSTANT, MlirTable};
use crate::mlir::values::{Values, is_of_egraph, uses};
use crate::variables::{Names, NeededValue};
use crate::worthwhile::worthwhile;
use egraph::{CostFunction, LeafValue, Node, OpId, ParseError, Place, TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The values of all functions that have to be there, in the order of their uses.
///
/// # Errors
/// A value without a definition, with two, or with an operand of a wrong type; an e-graph.
pub fn values(
    module: &Module,
    table: &MlirTable,
    bank: &mut TermBank,
) -> Result<Vec<NeededValue>, ParseError> {
    let mut all = Vec::new();
    for function in module.functions() {
        if let Some(op) = function.walk().into_iter().find(|op| is_of_egraph(op)) {
            let message = format!(
                "'{}' is part of an e-graph, whose equalities have no proof: cairn saturate --mlir reads it",
                op.name
            );
            return Err(ParseError::new(op.place, message));
        }
        check_names(function)?;
        for block in parts(function, table, bank)? {
            let value = |(name, &term): (&str, &TermId)| NeededValue {
                function: symbol(function),
                name: name.to_owned(),
                term,
            };
            all.extend(
                block.needed.iter().map(|&(_, name)| value((name, &block.values.terms[name]))),
            );
        }
    }
    Ok(all)
}

/// The terms of one block of a function.
struct Part<'o> {
    values: Values<'o>,
    /// The operation before which a value must be there, and its name.
    needed: Vec<(Place, &'o str)>,
}

fn parts<'o>(
    function: &'o Op,
    table: &MlirTable,
    bank: &mut TermBank,
) -> Result<Vec<Part<'o>>, ParseError> {
    let mut names = Names::default();
    let blocks = blocks(function);
    // By value: the blocks that use it.
    let mut users: FxHashMap<&str, FxHashSet<usize>> = FxHashMap::default();
    for (number, block) in blocks.iter().enumerate() {
        for name in block.ops.iter().flat_map(uses) {
            users.entry(name).or_default().insert(number);
        }
    }
    let mut parts = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let values = Values::of(block, table, bank, &mut names)?;
        let is_computed = |name: &&str| {
            let term = values.terms.get(name);
            term.is_some_and(|term| !values.variables.contains_key(term))
        };
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut needed = Vec::new();
        for op in &values.opaque {
            for name in uses(op).into_iter().filter(is_computed).filter(|name| seen.insert(name)) {
                needed.push((op.place, name));
            }
        }
        // What other blocks use is there before this one is left.
        let Some(last) = values.opaque.last().map(|op| op.place) else {
            parts.push(Part { values, needed });
            continue;
        };
        for name in values.named.iter().flat_map(|op| &op.results).map(String::as_str) {
            let elsewhere =
                users.get(name).is_some_and(|users| users.iter().any(|&user| user != number));
            if elsewhere && seen.insert(name) {
                needed.push((last, name));
            }
        }
        parts.push(Part { values, needed });
    }
    Ok(parts)
}

/// Computes values by the terms that are best for them, where that makes a block cost less, equal parts of
/// its values counted once. Also says of each value whether it is computed by another term now.
///
/// # Errors
/// As [`values`], which gave the values.
pub fn rewrite(
    module: &mut Module,
    table: &MlirTable,
    bank: &mut TermBank,
    best: &dyn Fn(TermId) -> TermId,
    cost: &CostFunction,
) -> Result<Vec<bool>, ParseError> {
    let mut taken = Vec::new();
    for function in module.functions_mut() {
        let mut changed = Vec::new();
        let mut renamed: FxHashMap<String, String> = FxHashMap::default();
        let mut names: FxHashSet<String> = FxHashSet::default();
        for op in function.walk() {
            names.extend(op.results.iter().cloned());
            let arguments = op.regions.iter().flat_map(|r| &r.blocks).flat_map(|b| &b.arguments);
            names.extend(arguments.map(|(name, _)| name.clone()));
        }
        for part in parts(function, table, bank)? {
            let before: Vec<TermId> =
                part.needed.iter().map(|(_, name)| part.values.terms[name]).collect();
            let chosen = choose(&before, best, table, bank, cost);
            taken.extend(before.iter().zip(&chosen).map(|(before, after)| before != after));
            if before == chosen {
                changed.push(None);
                continue;
            }
            let mut writer = Writer::new(&part, &chosen, table, &mut names);
            let mut needed = part.needed.iter().zip(&chosen).peekable();
            for op in &part.values.opaque {
                while let Some(((_, name), &term)) =
                    needed.next_if(|((place, _), _)| *place == op.place)
                {
                    let now = writer.emit(bank, term);
                    if now != *name {
                        renamed.insert((*name).to_owned(), now);
                    }
                }
                writer.ops.push((*op).clone());
            }
            changed.push(Some(writer.ops));
        }
        let region = function.regions.first_mut();
        let all = region.into_iter().flat_map(|region| &mut region.blocks).zip(changed);
        for (block, ops) in all {
            block.ops = ops.unwrap_or_else(|| std::mem::take(&mut block.ops));
            block.ops.iter_mut().for_each(|op| rename(op, &renamed));
        }
    }
    Ok(taken)
}

/// Which terms to compute the values of a block by: the best ones, or only those each of which makes the
/// whole cost less.
fn choose(
    before: &[TermId],
    best: &dyn Fn(TermId) -> TermId,
    table: &MlirTable,
    bank: &TermBank,
    cost: &CostFunction,
) -> Vec<TermId> {
    let better = |&term: &TermId| {
        Some(best(term)).filter(|&best| is_printable(best, table, bank)).unwrap_or(term)
    };
    let all: Vec<TermId> = before.iter().map(better).collect();
    let with = |taken: &[bool]| -> Vec<TermId> {
        let pairs = before.iter().zip(&all).zip(taken);
        pairs.map(|((&before, &better), &taken)| if taken { better } else { before }).collect()
    };
    with(&worthwhile(all.len(), &mut |taken| cost.of_dags(bank, &with(taken))))
}

/// Whether each operator of a term is an operation, and each literal a constant.
fn is_printable(term: TermId, table: &MlirTable, bank: &TermBank) -> bool {
    bank.subterms(term).into_iter().all(|part| match bank.node(part) {
        Node::Op(op) => table.operation(op).is_some(),
        Node::Leaf(leaf) => match &leaf.value {
            LeafValue::Literal(value) => {
                table.type_of(leaf.sort).is_some_and(|t| literal::text(*value, t).is_some())
            }
            LeafValue::Variable(_) => true,
            LeafValue::Bound(_) => false,
        },
    })
}

/// Writes terms as operations, each term once.
struct Writer<'a> {
    table: &'a MlirTable,
    ops: Vec<Op>,
    /// Names of values that are there.
    there: FxHashMap<TermId, String>,
    /// What values are called when they come to be there.
    wanted: FxHashMap<TermId, String>,
    /// All names in the function.
    names: &'a mut FxHashSet<String>,
    fresh: usize,
}

impl<'a> Writer<'a> {
    fn new(
        part: &Part<'_>,
        chosen: &[TermId],
        table: &'a MlirTable,
        names: &'a mut FxHashSet<String>,
    ) -> Writer<'a> {
        let mut wanted: FxHashMap<TermId, String> = FxHashMap::default();
        let mut free: FxHashSet<&str> =
            part.values.named.iter().flat_map(|op| &op.results).map(String::as_str).collect();
        // A name in the text stands for what is chosen for it.
        for (&(_, name), &term) in part.needed.iter().zip(chosen) {
            free.remove(name);
            wanted.entry(term).or_insert_with(|| name.to_owned());
        }
        for name in part.values.named.iter().flat_map(|op| &op.results) {
            if free.contains(name.as_str()) {
                wanted.entry(part.values.terms[name.as_str()]).or_insert_with(|| name.clone());
            }
        }
        let there =
            part.values.variables.iter().map(|(&term, &name)| (term, name.to_owned())).collect();
        Writer { table, ops: Vec::new(), there, wanted, names, fresh: 0 }
    }

    /// The name of a term's value, which is computed if it is not there.
    fn emit(&mut self, bank: &mut TermBank, term: TermId) -> String {
        for part in bank.subterms(term) {
            if !self.there.contains_key(&part) {
                self.emit_node(bank, part);
            }
        }
        self.there[&term].clone()
    }

    /// A term all of whose parts are there.
    fn emit_node(&mut self, bank: &mut TermBank, term: TermId) {
        let type_of = |sort| self.table.type_of(sort).unwrap_or_default().to_owned();
        let language = bank.language().clone();
        let (op, results) = match bank.node(term) {
            Node::Leaf(leaf) => {
                let of_type = type_of(leaf.sort);
                let value = match &leaf.value {
                    LeafValue::Literal(value) => literal::text(*value, &of_type),
                    _ => None,
                };
                let mut op = Op::new(CONSTANT, START);
                op.properties = vec![("value".to_owned(), value)];
                op.result_types = vec![of_type];
                (op, vec![term])
            }
            Node::Op(op) => {
                let parts = bank.children(term).to_vec();
                let Some((known, _)) = self.table.operation(op) else { return };
                let mut op = Op::new(&known.name, START);
                let attributes = known.attributes.iter().cloned();
                op.properties = attributes
                    .map(|(name, value)| (name, Some(value).filter(|value| !value.is_empty())))
                    .collect();
                op.operands = parts.iter().map(|part| self.there[part].clone()).collect();
                op.operand_types = known.operands.iter().map(|&sort| type_of(sort)).collect();
                let results: Vec<OpId> = known.results.iter().copied().flatten().collect();
                op.result_types =
                    results.iter().map(|&op| type_of(language.op(op).result)).collect();
                (op, results.into_iter().map(|op| bank.apply(op, &parts)).collect())
            }
        };
        let mut op = op;
        for result in results {
            // `%0#1` is the name of one result of several; written alone it is another one.
            let wanted = self.wanted.remove(&result).filter(|name| !name.contains('#'));
            let name = wanted.unwrap_or_else(|| self.fresh_name());
            op.results.push(name.clone());
            self.there.insert(result, name);
        }
        self.ops.push(op);
    }

    fn fresh_name(&mut self) -> String {
        loop {
            let name = format!("%c{}", self.fresh);
            self.fresh += 1;
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Renames the values that an operation uses. In a region that defines a name it stands for that.
fn rename(op: &mut Op, names: &FxHashMap<String, String>) {
    if names.is_empty() {
        return;
    }
    for operand in &mut op.operands {
        // A value may be renamed to one of another block that is renamed, too.
        for _ in 0..names.len() {
            match names.get(operand) {
                Some(name) => operand.clone_from(name),
                None => break,
            }
        }
    }
    for region in &mut op.regions {
        rename_region(region, names);
    }
}

fn rename_region(region: &mut Region, names: &FxHashMap<String, String>) {
    let mut inner = names.clone();
    for block in &region.blocks {
        block.arguments.iter().for_each(|(name, _)| drop(inner.remove(name)));
        block.ops.iter().flat_map(|op| &op.results).for_each(|name| drop(inner.remove(name)));
    }
    let ops = region.blocks.iter_mut().flat_map(|block| &mut block.ops);
    ops.for_each(|op| rename(op, &inner));
}
