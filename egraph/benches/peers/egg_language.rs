//! A system's language as an egg language, and its literals as an egg analysis.

use egg::{Analysis, DidMerge, Id, Language, RecExpr, Symbol};
use egraph::{
    Builtin, Leaf, LeafValue, LiteralKind, Node, OpId, SortId, System, TermBank, TermId, Value,
};
use std::collections::HashMap;

/// An operator number, see [`Symbols`], and as many children as its arity says; the rest is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ENode {
    op: u32,
    children: [Id; 2],
}

impl ENode {
    pub fn new(op: u32, of: &[Id]) -> ENode {
        let mut children = [Id::from(0); 2];
        children[..of.len()].copy_from_slice(of);
        ENode { op, children }
    }
}

impl Language for ENode {
    type Discriminant = u32;

    fn discriminant(&self) -> u32 {
        self.op
    }

    fn matches(&self, other: &ENode) -> bool {
        self.op == other.op
    }

    fn children(&self) -> &[Id] {
        &self.children[..(self.op & 3) as usize]
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.children[..(self.op & 3) as usize]
    }
}

/// The numbers of operators and leaves: four times an index, operators first, plus the arity.
#[derive(Clone)]
pub struct Symbols {
    operators: Vec<(Option<Builtin>, SortId)>,
    literal_kinds: Vec<(LiteralKind, SortId)>,
    leaves: Vec<Leaf>,
    numbers: HashMap<Leaf, u32>,
}

impl Symbols {
    pub fn new(system: &System) -> Symbols {
        let language = &system.language;
        let folded = |b: Option<Builtin>| b.filter(|_| language.constant_folding);
        assert!(language.operators.iter().all(|op| op.args.len() <= 2), "at most two children");
        Symbols {
            operators: language.operators.iter().map(|o| (folded(o.builtin), o.result)).collect(),
            literal_kinds: language.literals.clone(),
            leaves: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    pub fn op(op: OpId, arity: usize) -> u32 {
        op.0 << 2 | arity as u32
    }

    pub fn leaf(&mut self, leaf: &Leaf) -> u32 {
        if let Some(&number) = self.numbers.get(leaf) {
            return number;
        }
        let number = ((self.operators.len() + self.leaves.len()) as u32) << 2;
        self.leaves.push(leaf.clone());
        self.numbers.insert(leaf.clone(), number);
        number
    }

    /// The value of an operator number that is a literal's.
    pub fn literal(&self, number: u32) -> Option<Value> {
        let leaf = (number as usize >> 2).checked_sub(self.operators.len())?;
        match self.leaves[leaf].value {
            LeafValue::Literal(value) => Some(value),
            LeafValue::Variable(_) | LeafValue::Bound(_) => None,
        }
    }

    /// The operator number of a value as a literal of a sort, if it can be one.
    pub fn literal_number(&mut self, value: Value, sort: SortId) -> Option<u32> {
        let leaf = Leaf { sort, value: LeafValue::Literal(value) };
        self.literal_kinds.contains(&(value.kind(), sort)).then(|| self.leaf(&leaf))
    }
}

/// A term, equal subterms once. `leaf` gives the operator number of a leaf.
pub fn expression(
    bank: &TermBank,
    term: TermId,
    mut leaf: impl FnMut(&Leaf) -> u32,
) -> RecExpr<ENode> {
    let mut expression = RecExpr::default();
    let mut ids = HashMap::new();
    for term in bank.subterms(term) {
        let children: Vec<Id> = bank.children(term).iter().map(|c| ids[c]).collect();
        let number = match bank.node(term) {
            Node::Op(op) => Symbols::op(op, children.len()),
            Node::Leaf(of) => leaf(of),
        };
        ids.insert(term, expression.add(ENode::new(number, &children)));
    }
    expression
}

/// The literal that a class equals, by its operator number. Nothing is pruned, as in Cairn.
pub struct Literals {
    pub symbols: Symbols,
    pub reason: Symbol,
}

pub type EGraph = egg::EGraph<ENode, Literals>;

impl Analysis<ENode> for Literals {
    type Data = Option<u32>;

    fn make(egraph: &mut EGraph, node: &ENode, _: Id) -> Option<u32> {
        let symbols = &egraph.analysis.symbols;
        let Some(&(builtin, sort)) = symbols.operators.get(node.op as usize >> 2) else {
            return symbols.literal(node.op).map(|_| node.op);
        };
        let (builtin, mut values) = (builtin?, [Value::Bool(false); 2]);
        for (value, child) in values.iter_mut().zip(node.children()) {
            *value = symbols.literal(egraph[*child].data?)?;
        }
        let value = builtin.eval(&values[..node.children().len()])?;
        egraph.analysis.symbols.literal_number(value, sort)
    }

    fn merge(&mut self, to: &mut Option<u32>, from: Option<u32>) -> DidMerge {
        egg::merge_option(to, from, |a, b| {
            assert_eq!(*a, b, "distinct literals merged");
            DidMerge(false, false)
        })
    }

    fn modify(egraph: &mut EGraph, id: Id) {
        let Some(number) = egraph[id].data else { return };
        let literal = egraph.add(ENode::new(number, &[]));
        if egraph.find(literal) == egraph.find(id) {
            return;
        }
        if egraph.are_explanations_enabled() {
            let reason = egraph.analysis.reason;
            egraph.union_trusted(id, literal, reason);
        } else {
            egraph.union(id, literal);
        }
    }
}

pub fn literal(egraph: &EGraph, id: Id) -> Option<Value> {
    egraph.analysis.symbols.literal(egraph[id].data?)
}
