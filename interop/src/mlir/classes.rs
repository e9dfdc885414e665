//! An e-graph as a function of the dialect `equivalence` of xDSL, out and in.
//!
//! A class is an operation over the values of its e-nodes, `equivalence.class`, or `equivalence.const_class`
//! where it has a literal. What an e-node costs by itself is its attribute `eqsat_cost`, the e-node of the best
//! term of a class the `min_cost_index` of the class. Operands may stand below their use.

use crate::mlir::functions::{check_names, symbol};
use crate::mlir::literal;
use crate::mlir::ops::{Block, Item, Module, Op, Region, START};
use crate::mlir::table::{CONSTANT, MlirTable};
use crate::mlir::values::{Values, uses};
use crate::variables::Names;
use egraph::{BestTerms, Id, Leaf, LeafValue, Node, ParseError, TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{Result as IoResult, Write};

/// The beginning of each file that [`write_mlir`] writes.
pub const MLIR_EGRAPH: &str = "// An e-graph, written by cairn.";

/// What a function says of terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MlirTerms {
    /// The terms of what it returns, or uses otherwise.
    pub roots: Vec<TermId>,
    /// Terms that it says are equal.
    pub equal: Vec<(TermId, TermId)>,
}

/// The terms of the one function of a module, which may hold an e-graph.
///
/// # Errors
/// There is not one function of one block; or values without a definition, or a finite term.
pub fn terms(
    module: &Module,
    table: &MlirTable,
    bank: &mut TermBank,
) -> Result<MlirTerms, ParseError> {
    let functions = module.functions();
    let [function] = functions[..] else {
        let message = format!("expected one function with a body, found {}", functions.len());
        return Err(ParseError::new(START, message));
    };
    let [block] = crate::mlir::functions::blocks(function) else {
        let message = format!("expected one block in {}", symbol(function));
        return Err(ParseError::new(function.place, message));
    };
    check_names(function)?;
    let values = Values::of(block, table, bank, &mut Names::default())?;
    let computed: FxHashSet<&str> =
        values.named.iter().flat_map(|op| &op.results).map(String::as_str).collect();
    let mut roots: Vec<TermId> = Vec::new();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    for name in values.opaque.iter().flat_map(|op| uses(op)).filter(|name| computed.contains(name))
    {
        let root = values.terms[name];
        if seen.insert(root) {
            roots.push(root);
        }
    }
    if roots.is_empty() {
        let message = format!(
            "no operation of {} computes what the system has an operator for",
            symbol(function)
        );
        return Err(ParseError::new(function.place, message));
    }
    Ok(MlirTerms { roots, equal: values.equal })
}

/// Writes the classes of a rebuilt e-graph that have a best term, in an order in which the best term of each
/// has its parts above it; the function returns the classes of `roots`. The cost is that of [`BestTerms`], which
/// must know none of a term with an operator that is no operation.
///
/// # Errors
/// What writing says.
pub fn write_mlir(
    best: &BestTerms<'_>,
    table: &MlirTable,
    roots: &[Id],
    out: &mut dyn Write,
) -> IoResult<()> {
    let egraph = best.egraph();
    let type_of = |id: Id| table.type_of(egraph.sort(id)).unwrap_or_default().to_owned();
    let mut block = Block { label: Some("^bb0".to_owned()), ..Block::default() };
    let mut names: FxHashSet<String> = FxHashSet::default();
    let class_name = |class: Id| format!("%c{}", class.0);
    let printable = |node: &Id| {
        best.own(*node).is_some()
            && egraph.children(*node).iter().all(|&child| best.node(child).is_some())
            && match egraph.node(*node) {
                Node::Op(op) => table.operation(op).is_some(),
                Node::Leaf(leaf) => constant(table, leaf).is_some() || is_variable(leaf),
            }
    };
    for class in in_order(best) {
        let mut members = Vec::new();
        let nodes: Vec<Id> = egraph.nodes(class).iter().copied().filter(printable).collect();
        for &node in &nodes {
            let (mut op, name) = match egraph.node(node) {
                Node::Leaf(leaf) => match constant(table, leaf) {
                    Some(value) => {
                        let mut op = Op::new(CONSTANT, START);
                        op.properties = vec![("value".to_owned(), Some(value))];
                        op.results = vec![format!("%n{}", node.0)];
                        op.result_types = vec![type_of(node)];
                        let name = op.results[0].clone();
                        (op, name)
                    }
                    None => {
                        let name = argument(&leaf.to_string(), &mut names);
                        block.arguments.push((name.clone(), type_of(node)));
                        members.push(name);
                        continue;
                    }
                },
                Node::Op(id) => {
                    let Some((known, result)) = table.operation(id) else { continue };
                    let mut op = Op::new(&known.name, START);
                    let value =
                        |value: &String| Some(value.clone()).filter(|value| !value.is_empty());
                    op.properties = known
                        .attributes
                        .iter()
                        .map(|(name, text)| (name.clone(), value(text)))
                        .collect();
                    op.operands = egraph.children(node).iter().map(|&c| class_name(c)).collect();
                    op.operand_types = egraph.children(node).iter().map(|&c| type_of(c)).collect();
                    let count = known.results.len();
                    let name = |i: usize| match count {
                        1 => format!("%n{}", node.0),
                        _ => format!("%n{}#{i}", node.0),
                    };
                    op.results = (0..count).map(name).collect();
                    let language = &egraph.system().language;
                    let sorts = known.results.iter().flatten().map(|&op| language.op(op).result);
                    op.result_types =
                        sorts.map(|s| table.type_of(s).unwrap_or_default().to_owned()).collect();
                    (op, name(result))
                }
            };
            op.attributes = best
                .own(node)
                .map(|cost| ("eqsat_cost".to_owned(), Some(integer(cost))))
                .into_iter()
                .collect();
            block.ops.push(op);
            members.push(name);
        }
        let literal = egraph.literal(class).and_then(|value| literal::text(value, &type_of(class)));
        let mut op = Op::new(crate::mlir::values::CLASSES[usize::from(literal.is_some())], START);
        let chosen = nodes.iter().position(|&node| best.node(class) == Some(node)).unwrap_or(0);
        op.properties.extend(literal.map(|value| ("value".to_owned(), Some(value))));
        op.properties.push(("min_cost_index".to_owned(), Some(integer(chosen as u64))));
        op.results = vec![class_name(class)];
        op.result_types = vec![type_of(class)];
        op.operand_types = vec![type_of(class); members.len()];
        op.operands = members;
        block.ops.push(op);
    }
    let roots: Vec<Id> = roots
        .iter()
        .map(|&root| egraph.find(root))
        .filter(|&root| best.node(root).is_some())
        .collect();
    let mut back = Op::new("func.return", START);
    back.operands = roots.iter().map(|&root| class_name(root)).collect();
    back.operand_types = roots.iter().map(|&root| type_of(root)).collect();
    let types = |types: &[String]| types.join(", ");
    let arguments: Vec<String> = block.arguments.iter().map(|(_, t)| t.clone()).collect();
    let signature = format!("({}) -> ({})", types(&arguments), types(&back.operand_types));
    block.ops.push(back);
    let mut function = Op::new("func.func", START);
    function.properties = vec![
        ("function_type".to_owned(), Some(signature)),
        ("sym_name".to_owned(), Some("\"egraph\"".to_owned())),
    ];
    function.regions = vec![Region { blocks: vec![block] }];
    let mut module = Op::new("builtin.module", START);
    module.regions =
        vec![Region { blocks: vec![Block { ops: vec![function], ..Block::default() }] }];
    write!(out, "{MLIR_EGRAPH}\n{}", Module { items: vec![Item::Op(Box::new(module))] })
}

/// An integer as xDSL writes attributes that are one.
fn integer(n: u64) -> String {
    format!("#builtin.int<{n}>")
}

fn is_variable(leaf: &Leaf) -> bool {
    matches!(leaf.value, LeafValue::Variable(_))
}

fn constant(table: &MlirTable, leaf: &Leaf) -> Option<String> {
    match &leaf.value {
        LeafValue::Literal(value) => literal::text(*value, table.type_of(leaf.sort)?),
        LeafValue::Variable(_) | LeafValue::Bound(_) => None,
    }
}

/// The name of an argument for a variable, which no other value has.
fn argument(variable: &str, names: &mut FxHashSet<String>) -> String {
    let plain =
        |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') { c } else { '_' };
    let mut name: String = variable.chars().map(plain).collect();
    // Such as classes and e-nodes have, or as can't be read.
    let number = |rest: &str| rest.chars().all(|c| c.is_ascii_digit());
    if name.strip_prefix(['c', 'n']).is_some_and(number)
        || name.starts_with(|c: char| c.is_ascii_digit())
    {
        name.insert(0, '_');
    }
    while !names.insert(name.clone()) {
        name.push('_');
    }
    format!("%{name}")
}

/// The classes that have a best term, each after those of the parts of its best term.
fn in_order(best: &BestTerms<'_>) -> Vec<Id> {
    let egraph = best.egraph();
    let mut order = Vec::new();
    let mut done: FxHashMap<Id, bool> = FxHashMap::default();
    for class in egraph.classes() {
        let mut todo = vec![class];
        while let Some(&class) = todo.last() {
            let Some(node) = best.node(class).filter(|_| done.get(&class) != Some(&true)) else {
                todo.pop();
                continue;
            };
            // The parts of a best term are best terms of fewer nodes, so this ends.
            if done.insert(class, false).is_none() {
                let parts = egraph.children(node).iter();
                todo.extend(parts.filter(|part| !done.contains_key(part)));
            } else {
                done.insert(class, true);
                order.push(class);
                todo.pop();
            }
        }
    }
    order
}
