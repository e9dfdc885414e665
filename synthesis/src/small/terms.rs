//! A store of small terms over a [`Language`]. The sides of rules are terms, too: their variables stand for any term.

use crate::language::meaning::MOST_ARGS;
use crate::language::{Language, OperatorSet};
use egraph::{Leaf, LeafValue, LiteralKind, SortId, TermBank, TermId, Value};
use interop::Lack;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A term of one store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// What stands at a node. An operator of fewer arguments has its last one again in the places that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// A variable, by its number.
    Variable(u8),
    /// A literal, by its number in the store.
    Literal(u16),
    /// An operator, by its number in the language.
    Apply(u8, [Term; MOST_ARGS]),
}

/// What is known of a term without looking into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of nodes.
    pub size: u16,
    /// Number of literals.
    pub literals: u16,
    /// The variables that occur, a bit each.
    pub variables: u32,
}

/// Distinct terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    shapes: Vec<Shape>,
    literals: Vec<(SortId, Value)>,
    index: FxHashMap<Node, Term>,
    /// By operator: the number of its arguments.
    arities: Vec<u8>,
}

impl Terms {
    /// An empty store.
    pub fn new(language: &Language) -> Terms {
        let arities = language.operators.iter().map(|op| op.args.len() as u8).collect();
        Terms { arities, ..Terms::default() }
    }

    /// The term with this node, entered if it is new.
    pub fn enter(&mut self, node: Node) -> Term {
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let term = Term(self.nodes.len() as u32);
        self.shapes.push(self.shape_of(node));
        self.nodes.push(node);
        self.index.insert(node, term);
        term
    }

    /// The term of a literal.
    pub fn literal(&mut self, sort: SortId, value: Value) -> Term {
        let known = self.literals.iter().position(|known| *known == (sort, value));
        let number = known.unwrap_or_else(|| {
            self.literals.push((sort, value));
            self.literals.len() - 1
        });
        self.enter(Node::Literal(number as u16))
    }

    /// The literal of a number.
    pub fn literal_of(&self, number: u16) -> (SortId, Value) {
        self.literals[usize::from(number)]
    }

    /// What stands at its root.
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.0 as usize]
    }

    /// What is known of it.
    pub fn shape(&self, term: Term) -> Shape {
        self.shapes[term.0 as usize]
    }

    /// The arguments of a node.
    pub fn args<'n>(&self, node: &'n Node) -> &'n [Term] {
        match node {
            Node::Apply(op, args) => &args[..usize::from(self.arities[usize::from(*op)])],
            _ => &[],
        }
    }

    /// What is known of the term with a node, which need not be there.
    pub fn shape_of(&self, node: Node) -> Shape {
        let mut shape = Shape { size: 1, literals: 0, variables: 0 };
        match node {
            Node::Variable(number) => shape.variables = 1 << number,
            Node::Literal(_) => shape.literals = 1,
            Node::Apply(..) => (),
        }
        for &arg in self.args(&node) {
            let of = self.shape(arg);
            shape.size += of.size;
            shape.literals += of.literals;
            shape.variables |= of.variables;
        }
        shape
    }

    /// The operator at a node with these arguments.
    pub fn apply(op: u8, args: &[Term]) -> Node {
        let last = args.last().copied().unwrap_or(Term(0));
        Node::Apply(op, std::array::from_fn(|place| args.get(place).copied().unwrap_or(last)))
    }

    /// The same operator over what becomes of its arguments.
    pub fn rebuilt(
        &mut self,
        (op, args): (u8, [Term; MOST_ARGS]),
        mut of: impl FnMut(&mut Terms, Term) -> Term,
    ) -> Node {
        let mut rebuilt = args;
        for place in 0..MOST_ARGS {
            rebuilt[place] = match place < usize::from(self.arities[usize::from(op)]) {
                true => of(self, args[place]),
                false => rebuilt[place.saturating_sub(1)],
            };
        }
        Node::Apply(op, rebuilt)
    }

    /// The operators that occur in the term with a node, which need not be there, beside others.
    pub fn operators_of(&self, node: Node, others: OperatorSet) -> OperatorSet {
        let own = match node {
            Node::Apply(op, _) => others.with(op),
            _ => others,
        };
        self.args(&node).iter().fold(own, |set, &arg| self.operators_of(self.node(arg), set))
    }

    /// The operators that occur in either of two terms.
    pub fn operators_in(&self, (left, right): (Term, Term)) -> OperatorSet {
        let of_left = self.operators_of(self.node(left), OperatorSet::default());
        self.operators_of(self.node(right), of_left)
    }

    /// As it is written; with a mark before variables, as `?`.
    pub fn text(&self, language: &Language, term: Term, mark: &str) -> String {
        let mut text = String::new();
        self.write(language, term, mark, &mut text);
        text
    }

    fn write(&self, language: &Language, term: Term, mark: &str, text: &mut String) {
        let node = self.node(term);
        match node {
            Node::Variable(number) => {
                _ = write!(text, "{mark}{}", language.variables[usize::from(number)].name);
            }
            Node::Literal(number) => _ = write!(text, "{}", self.literal_of(number).1),
            Node::Apply(op, _) if self.args(&node).is_empty() => {
                text.push_str(&language.operators[usize::from(op)].name);
            }
            Node::Apply(op, _) => {
                _ = write!(text, "({}", language.operators[usize::from(op)].name);
                for &arg in self.args(&node) {
                    text.push(' ');
                    self.write(language, arg, mark, text);
                }
                text.push(')');
            }
        }
    }

    /// The same term in a bank of the engine, with a value in the place of a variable if `values` has one.
    pub fn in_bank(
        &self,
        language: &Language,
        term: Term,
        bank: &mut TermBank,
        values: &[Option<Value>],
    ) -> TermId {
        let node = self.node(term);
        let leaf = match node {
            Node::Variable(number) => {
                let variable = &language.variables[usize::from(number)];
                let value = match values.get(usize::from(number)).copied().flatten() {
                    Some(value) => LeafValue::Literal(value),
                    None => LeafValue::Variable(variable.name.clone()),
                };
                Leaf { sort: variable.sort, value }
            }
            Node::Literal(number) => {
                let (sort, value) = self.literal_of(number);
                Leaf { sort, value: LeafValue::Literal(value) }
            }
            Node::Apply(op, _) => {
                let op = language.operators[usize::from(op)].op;
                let args: Vec<TermId> = (self.args(&node).iter())
                    .map(|&arg| self.in_bank(language, arg, bank, values))
                    .collect();
                return bank.apply(op, &args);
            }
        };
        bank.leaf(&leaf)
    }

    /// The value where the variables have these.
    ///
    /// # Errors
    /// Why it has none.
    pub fn value(&self, language: &Language, term: Term, values: &[Value]) -> Result<Value, Lack> {
        let node = self.node(term);
        match node {
            Node::Variable(number) => Ok(values[usize::from(number)]),
            Node::Literal(number) => Ok(self.literal_of(number).1),
            Node::Apply(op, _) => {
                let args = self.args(&node).iter().map(|&arg| self.value(language, arg, values));
                language.operators[usize::from(op)].meaning.value(&args.collect::<Vec<_>>())
            }
        }
    }

    /// The kinds of the arguments of an operator.
    pub fn kinds(language: &Language, op: u8) -> Vec<LiteralKind> {
        language.operators[usize::from(op)].args.iter().map(|&sort| language.kind(sort)).collect()
    }
}
