//! All terms of some operators by size: of those that no rule makes smaller one for each column of values, and pairs of
//! terms with equal values.

use crate::language::meaning::MOST_ARGS;
use crate::language::{Language, OperatorSet};
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
    /// Of which operators.
    pub operators: OperatorSet,
    /// Of how many nodes at most.
    pub size: u16,
    /// Whether the columns of the largest terms are wanted, too.
    pub columns: bool,
    /// Whether pairs with so many operators and of so many nodes were looked at before.
    pub before: &'a (dyn Fn(usize, u16) -> bool + Sync),
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

/// An operator over terms by their numbers in [`Enumerated`]; as [`Node`], which of few arguments has the last one again.
type Application = (u8, [usize; MOST_ARGS]);

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
            let batch: Vec<Application> = batches.by_ref().take(BATCH).collect();
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

/// The variables, literals and operators without arguments, with their columns.
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
    for (number, operator) in language.operators.iter().enumerate() {
        let node = Terms::apply(number as u8, &[]);
        let is_wanted = operator.args.is_empty() && request.operators.has(number as u8);
        if is_wanted && !request.rewriting.reduces(terms, node, &nothing) {
            let value = operator.meaning.value(&[]);
            found.extend(value.ok().map(|value| (node, operator.result, inputs.literal(value))));
        }
    }
    found
}

/// Operators over smaller terms, of one size.
fn applications<'a>(
    levels: &[Vec<Vec<usize>>],
    request: &Request<'a>,
    size: u16,
) -> impl Iterator<Item = Application> + use<'a> {
    let below = usize::from(size) - 1;
    // Of each operator and each choice of the sizes of its arguments: the terms that these may be.
    let mut rows: Vec<(u8, Vec<Vec<usize>>)> = Vec::new();
    for (number, operator) in request.language.operators.iter().enumerate() {
        if request.operators.has(number as u8) {
            let of = |(size, sort): (usize, &SortId)| levels[size][usize::from(sort.0)].clone();
            rows.extend(compositions(below, operator.args.len()).into_iter().map(|sizes| {
                (number as u8, sizes.into_iter().zip(&operator.args).map(of).collect())
            }));
        }
    }
    rows.into_iter().flat_map(|(op, choices)| {
        let all: usize = choices.iter().map(Vec::len).product();
        (0..all).map(move |number| {
            // The last argument changes first.
            let mut rest = number;
            let mut args = [0; MOST_ARGS];
            for (arg, choice) in args.iter_mut().zip(&choices).rev() {
                *arg = choice[rest % choice.len()];
                rest /= choice.len();
            }
            for place in choices.len()..MOST_ARGS {
                args[place] = args[choices.len() - 1];
            }
            (op, args)
        })
    })
}

/// The ways to be a sum of so many numbers from 1 on, the first ones small first.
fn compositions(sum: usize, numbers: usize) -> Vec<Vec<usize>> {
    match numbers {
        0 => Vec::new(),
        1 => Vec::from_iter((sum > 0).then(|| vec![sum])),
        _ => (1..sum)
            .flat_map(|first| {
                let rest = compositions(sum - first, numbers - 1).into_iter();
                rest.map(move |rest| [vec![first], rest].concat())
            })
            .collect(),
    }
}

/// A term with its column, unless a rule makes it smaller, evaluation makes it a literal, or it has no value anywhere.
fn evaluated(
    terms: &Terms,
    found: &Enumerated,
    request: &Request<'_>,
    (op, args): Application,
) -> Option<(Node, Column)> {
    let language = request.language;
    let node = Node::Apply(op, args.map(|arg| found.terms[arg].0));
    if language.folds && terms.shape_of(node).variables == 0 {
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
        if size == request.size {
            let of_known = terms.operators_of(terms.node(known), OperatorSet::default());
            if !(request.before)(terms.operators_of(node, of_known).count(), size) {
                found.pairs.push((terms.enter(node), known));
            }
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
