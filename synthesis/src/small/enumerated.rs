//! All terms of some operators by size: of those that no rule makes smaller one for each column of values, and pairs of
//! terms with equal values.

use crate::language::Language;
use crate::small::rewriting::{Rewriting, nothing};
use crate::small::terms::{Node, Term, Terms};
use crate::values::column::{Column, Signature};
use crate::values::inputs::Inputs;
use egraph::{LiteralKind, SortId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Terms that are evaluated at a time.
const BATCH: usize = 1 << 14;

/// Which terms.
pub struct Request<'a> {
    /// Of which language.
    pub language: &'a Language,
    /// Where they are compared.
    pub inputs: &'a Inputs,
    /// What is known.
    pub rewriting: &'a Rewriting,
    /// Of which operators, a bit each.
    pub operators: u64,
    /// Of how many nodes at most.
    pub size: u16,
    /// Whether the columns of the largest terms are wanted, too.
    pub columns: bool,
    /// Whether pairs of so many nodes and with these operators were looked at before.
    pub before: &'a (dyn Fn(u64, u16) -> bool + Sync),
}

/// Small terms, one for each column, and the pairs that have one.
#[derive(Debug, Default)]
pub struct Enumerated {
    /// The terms, the smaller ones first, with their sorts.
    pub terms: Vec<(Term, SortId)>,
    /// Their columns, as far as they are kept.
    pub columns: Vec<Column>,
    /// A term of the largest size and a smaller one with its values.
    pub pairs: Vec<(Term, Term)>,
    /// Whether the end came before all were gone through.
    pub cut: bool,
}

/// Those that have one column.
type Classes = FxHashMap<(SortId, Signature), Vec<Term>>;

/// Goes through the terms; `over` says whether to stop, after so many further ones.
pub fn enumerate(
    terms: &mut Terms,
    request: &Request<'_>,
    over: &mut dyn FnMut(u64) -> bool,
) -> Enumerated {
    let language = request.language;
    let mut found = Enumerated::default();
    let mut classes = Classes::default();
    // By size and sort: the numbers of the terms in `found`.
    let mut levels: Vec<Vec<Vec<usize>>> =
        vec![vec![Vec::new(); language.system.language.sorts.len()]; usize::from(request.size) + 1];
    for leaf in leaves(terms, request) {
        let (node, sort, column) = leaf;
        keep(terms, &mut found, &mut classes, &mut levels, (node, sort), (column, 1), request);
    }
    for size in 2..=request.size {
        let nodes = applications(&levels, request, size);
        let mut batches = nodes.peekable();
        while batches.peek().is_some() {
            let batch: Vec<(u8, [usize; 2])> = batches.by_ref().take(BATCH).collect();
            if over(batch.len() as u64) {
                found.cut = true;
                return found;
            }
            let evaluated: Vec<(Node, Column)> = batch
                .into_par_iter()
                .filter_map(|application| evaluated(terms, &found, request, application))
                .collect();
            for (node, column) in evaluated {
                let sort = match node {
                    Node::Apply(op, _) => language.operators[usize::from(op)].result,
                    _ => continue,
                };
                keep(
                    terms,
                    &mut found,
                    &mut classes,
                    &mut levels,
                    (node, sort),
                    (column, size),
                    request,
                );
            }
        }
    }
    found
}

/// The variables and literals, with their columns.
fn leaves(terms: &mut Terms, request: &Request<'_>) -> Vec<(Node, SortId, Column)> {
    let (language, inputs) = (request.language, request.inputs);
    let mut found = Vec::new();
    for (number, variable) in language.variables.iter().enumerate() {
        found.push((Node::Variable(number as u8), variable.sort, inputs.variable(number)));
    }
    for &(sort, value) in &language.literals {
        let term = terms.literal(sort, value);
        found.push((terms.node(term), sort, inputs.literal(value)));
    }
    found
}

/// Operators over smaller terms, of one size, by their numbers in `found`.
fn applications<'a>(
    levels: &[Vec<Vec<usize>>],
    request: &Request<'a>,
    size: u16,
) -> impl Iterator<Item = (u8, [usize; 2])> + use<'a> {
    let below = usize::from(size) - 1;
    let mut rows: Vec<(u8, Vec<usize>, Option<Vec<usize>>)> = Vec::new();
    for (number, operator) in request.language.operators.iter().enumerate() {
        if request.operators >> number & 1 == 0 {
            continue;
        }
        let of = |size: usize, arg: usize| levels[size][usize::from(operator.args[arg].0)].clone();
        match operator.args.len() {
            1 => rows.push((number as u8, of(below, 0), None)),
            _ => rows.extend(
                (1..below).map(|first| (number as u8, of(first, 0), Some(of(below - first, 1)))),
            ),
        }
    }
    rows.into_iter().flat_map(|(op, firsts, seconds)| {
        firsts.into_iter().flat_map(move |first| {
            let seconds = seconds.clone().unwrap_or_else(|| vec![first]);
            seconds.into_iter().map(move |second| (op, [first, second]))
        })
    })
}

/// A term with its column, unless a rule makes it smaller, evaluation makes it a literal, or it has no value anywhere.
fn evaluated(
    terms: &Terms,
    found: &Enumerated,
    request: &Request<'_>,
    (op, args): (u8, [usize; 2]),
) -> Option<(Node, Column)> {
    let language = request.language;
    let node = Node::Apply(op, args.map(|arg| found.terms[arg].0));
    let folded = language.system.language.constant_folding;
    if folded && terms.shape_of(node).variables == 0 {
        return None;
    }
    if request.rewriting.reduces(terms, node, &nothing) {
        return None;
    }
    let operator = &language.operators[usize::from(op)];
    let kinds: Vec<LiteralKind> = Terms::kinds(language, op);
    let columns: Vec<&Column> =
        args[..kinds.len()].iter().map(|&arg| &found.columns[arg]).collect();
    let column = Column::apply(operator, &columns, &kinds);
    column.has_values().then_some((node, column))
}

/// Keeps a term whose values no other one has, or whose variables are others; of the largest ones the pair is noted.
fn keep(
    terms: &mut Terms,
    found: &mut Enumerated,
    classes: &mut Classes,
    levels: &mut [Vec<Vec<usize>>],
    (node, sort): (Node, SortId),
    (column, size): (Column, u16),
    request: &Request<'_>,
) {
    let class = classes.entry((sort, column.signature(None))).or_default();
    let shape = terms.shape_of(node);
    let known = class.iter().copied().find(|&known| {
        let of = terms.shape(known).variables;
        of & !shape.variables == 0 || shape.variables & !of == 0
    });
    let fewer = known.is_some_and(|known| terms.shape(known).variables & !shape.variables != 0);
    if let Some(known) = known {
        let operators = shape.operators | terms.shape(known).operators;
        if size == request.size && !(request.before)(operators, size) {
            found.pairs.push((terms.enter(node), known));
        }
        // One with fewer variables can stand where that one can't.
        if !fewer {
            return;
        }
    }
    let term = terms.enter(node);
    class.push(term);
    levels[usize::from(size)][usize::from(sort.0)].push(found.terms.len());
    found.terms.push((term, sort));
    if size < request.size || request.columns {
        found.columns.push(column);
    }
}
