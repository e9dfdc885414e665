//! From operations to terms: a value that the system's operators compute is a term, any other a variable.

use crate::mlir::literal;
use crate::mlir::ops::{Block, Op};
use crate::mlir::table::{CONSTANT, MlirTable};
use crate::variables::Names;
use egraph::{Language, Leaf, LeafValue, OpId, ParseError, SortId, TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The operations that say that values are equal.
pub const CLASSES: [&str; 2] = ["equivalence.class", "equivalence.const_class"];
/// The operation whose body is an e-graph, and the last one in it.
const GRAPH: [&str; 2] = ["equivalence.graph", "equivalence.yield"];

/// What an operation computes, or says, by results.
struct Definition<'o> {
    op: &'o Op,
    results: &'o [String],
    operands: Vec<(&'o str, SortId)>,
    meaning: Meaning,
}

enum Meaning {
    Apply(Vec<OpId>),
    Literal(Leaf),
    /// All operands and the result are equal.
    Equal,
}

/// The values of some operations as terms.
#[derive(Default)]
pub struct Values<'o> {
    /// By name, for values that these operations use or compute.
    pub terms: FxHashMap<&'o str, TermId>,
    /// Values that are computed by what the system has no operator for, or elsewhere: names by terms.
    pub variables: FxHashMap<TermId, &'o str>,
    /// Terms that are said to be equal.
    pub equal: Vec<(TermId, TermId)>,
    /// Operations that are no terms, in their order.
    pub opaque: Vec<&'o Op>,
    /// Operations that are terms, in their order.
    pub named: Vec<&'o Op>,
}

impl<'o> Values<'o> {
    /// Of a block. An e-graph in it is part of it.
    ///
    /// # Errors
    /// A value that can't be computed without itself.
    pub fn of(
        block: &'o Block,
        table: &MlirTable,
        bank: &mut TermBank,
        names: &mut Names<'o>,
    ) -> Result<Values<'o>, ParseError> {
        let language = bank.language().clone();
        let mut values = Values::default();
        let mut definitions = Vec::new();
        values.define(block, table, &language, &mut definitions);
        values.leave_out(&mut definitions, &language);
        values.enter(&definitions, bank, names)?;
        Ok(values)
    }

    fn define(
        &mut self,
        block: &'o Block,
        table: &MlirTable,
        language: &Language,
        definitions: &mut Vec<Definition<'o>>,
    ) {
        for op in &block.ops {
            let results = &op.results[..];
            let graph = match &op.regions[..] {
                [region] if op.name == GRAPH[0] => region.blocks.first(),
                _ => None,
            };
            let last = graph.and_then(|inner| inner.ops.last()).filter(|op| op.name == GRAPH[1]);
            if let (Some(inner), Some(last)) = (graph, last) {
                self.define(inner, table, language, definitions);
                self.opaque.retain(|op| !std::ptr::eq(*op, last));
                for ((result, yielded), of_type) in
                    results.iter().zip(&last.operands).zip(&op.result_types)
                {
                    let Some(sort) = table.sort(of_type) else { continue };
                    let operands = vec![(yielded.as_str(), sort)];
                    let results = std::slice::from_ref(result);
                    definitions.push(Definition { op, results, operands, meaning: Meaning::Equal });
                }
                continue;
            }
            match meaning(op, table, language) {
                Some((meaning, sorts)) => {
                    let operands = op.operands.iter().map(String::as_str).zip(sorts).collect();
                    definitions.push(Definition { op, results, operands, meaning });
                }
                None => self.opaque.push(op),
            }
        }
    }

    /// Leaves out what computes with a value that is no term, and of whose sort no variable is.
    fn leave_out(&mut self, definitions: &mut Vec<Definition<'o>>, language: &Language) {
        let defined = |all: &[Definition<'o>]| -> FxHashSet<&'o str> {
            all.iter().flat_map(|d| d.results).map(String::as_str).collect()
        };
        let mut known = defined(definitions);
        loop {
            let before = definitions.len();
            definitions.retain(|definition| {
                let is_term = |&(name, sort): &(&str, SortId)| {
                    known.contains(name) || language.variables.contains(&sort)
                };
                let stays = definition.operands.iter().all(is_term);
                if !stays {
                    for name in definition.results {
                        known.remove(name.as_str());
                    }
                    self.opaque.push(definition.op);
                }
                stays
            });
            if definitions.len() == before {
                break;
            }
        }
        self.opaque.sort_by_key(|op| (op.place.line, op.place.column));
        self.named = definitions.iter().map(|definition| definition.op).collect();
    }

    /// Enters terms, each as soon as its parts are known: in an e-graph they may stand below it.
    fn enter(
        &mut self,
        definitions: &[Definition<'o>],
        bank: &mut TermBank,
        names: &mut Names<'o>,
    ) -> Result<(), ParseError> {
        let mut defined: FxHashMap<&str, SortId> = FxHashMap::default();
        for Definition { results, operands, meaning, .. } in definitions {
            for (i, name) in results.iter().enumerate() {
                let sort = match meaning {
                    Meaning::Apply(ops) => bank.language().op(ops[i]).result,
                    Meaning::Literal(leaf) => leaf.sort,
                    Meaning::Equal => operands[0].1,
                };
                defined.insert(name, sort);
            }
        }
        let mut users: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut missing: Vec<usize> = Vec::new();
        let mut ready = std::collections::VecDeque::new();
        for (number, definition) in definitions.iter().enumerate() {
            for &(name, sort) in &definition.operands {
                let outside = self.terms.get(name).map(|&term| bank.sort(term));
                let known = defined.get(name).copied().or(outside);
                if known.is_some_and(|known| known != sort) {
                    let message = format!("{name} is of another type elsewhere");
                    return Err(ParseError::new(definition.op.place, message));
                }
                if defined.contains_key(name) {
                    users.entry(name).or_default().push(number);
                } else if outside.is_none() {
                    let value = LeafValue::Variable(names.variable(bank.language(), name));
                    let term = bank.leaf(&Leaf { sort, value });
                    self.variables.insert(term, name);
                    self.terms.insert(name, term);
                }
            }
            let unknown = definition.operands.iter().filter(|(name, _)| defined.contains_key(name));
            missing.push(match (&definition.meaning, unknown.count()) {
                // One member of a class stands for it.
                (Meaning::Equal, unknown) if unknown < definition.operands.len() => 0,
                (Meaning::Equal, _) => 1,
                (_, unknown) => unknown,
            });
            if missing[number] == 0 {
                ready.push_back(number);
            }
        }
        while let Some(number) = ready.pop_front() {
            let Definition { results, operands, meaning, .. } = &definitions[number];
            let term = |name: &str| self.terms.get(name).copied();
            let terms: Vec<TermId> = match meaning {
                Meaning::Literal(leaf) => vec![bank.leaf(leaf)],
                Meaning::Equal => {
                    operands.iter().find_map(|(name, _)| term(name)).into_iter().collect()
                }
                Meaning::Apply(ops) => {
                    let parts: Vec<TermId> =
                        operands.iter().filter_map(|(name, _)| term(name)).collect();
                    ops.iter().map(|&op| bank.apply(op, &parts)).collect()
                }
            };
            for (name, term) in results.iter().zip(terms) {
                self.terms.insert(name, term);
                for &user in users.get(name.as_str()).into_iter().flatten() {
                    missing[user] = missing[user].wrapping_sub(1);
                    if missing[user] == 0 {
                        ready.push_back(user);
                    }
                }
            }
        }
        for Definition { op, results, operands, meaning } in definitions {
            if let Some(name) = results.iter().find(|name| !self.terms.contains_key(name.as_str()))
            {
                let message = format!("{name} can't be computed without itself");
                return Err(ParseError::new(op.place, message));
            }
            if let (Meaning::Equal, [result]) = (meaning, results) {
                let class = self.terms[result.as_str()];
                let members = operands.iter().map(|(name, _)| self.terms[name]);
                self.equal.extend(members.filter(|&term| term != class).map(|term| (class, term)));
            }
        }
        Ok(())
    }
}

/// What an operation is, with the sorts of its operands, unless it is opaque.
fn meaning(op: &Op, table: &MlirTable, language: &Language) -> Option<(Meaning, Vec<SortId>)> {
    if op.results.len() != op.result_types.len() {
        return None;
    }
    if CLASSES.contains(&op.name.as_str()) {
        let [of_type] = &op.result_types[..] else { return None };
        let same = op.operand_types.iter().all(|t| t == of_type) && !op.operands.is_empty();
        let sort = table.sort(of_type).filter(|_| same)?;
        return Some((Meaning::Equal, vec![sort; op.operands.len()]));
    }
    if op.name == CONSTANT {
        let [of_type] = &op.result_types[..] else { return None };
        let sort = table.sort(of_type)?;
        let value = literal::value(language.literal_kind(sort)?, op.attribute("value")?, of_type)?;
        let leaf = Leaf { sort, value: LeafValue::Literal(value) };
        return Some((Meaning::Literal(leaf), Vec::new()));
    }
    let known = table.operators(language, op)?;
    let results: Vec<OpId> = known.results.iter().copied().flatten().collect();
    Some((Meaning::Apply(results), known.operands.clone()))
}

/// Whether an operation is one of an e-graph.
pub fn is_of_egraph(op: &Op) -> bool {
    op.name == GRAPH[0] || CLASSES.contains(&op.name.as_str())
}

/// The values that an operation uses and does not define, those that its regions use included.
pub fn uses(op: &Op) -> Vec<&str> {
    let mut all: Vec<&str> = op.operands.iter().map(String::as_str).collect();
    for region in &op.regions {
        let mut defined: FxHashSet<&str> = FxHashSet::default();
        for block in &region.blocks {
            defined.extend(block.arguments.iter().map(|(name, _)| name.as_str()));
            defined.extend(block.ops.iter().flat_map(|op| &op.results).map(String::as_str));
        }
        for op in region.blocks.iter().flat_map(|block| &block.ops) {
            all.extend(uses(op).into_iter().filter(|name| !defined.contains(name)));
        }
    }
    all
}
