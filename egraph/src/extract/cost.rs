//! What a term costs: one or more measures, compared lexicographically.
//!
//! A measure is a number that every node has by itself, and a way to put these together: their sum, or the
//! largest sum on a way from the root to a leaf. So no measure is less for a term than for a part of
//! it, which is all that extraction needs to know.

use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::analysis::Analyses;
use crate::rules::cost::{BUILT_IN, DeclaredCost, Read, Weight};
use crate::rules::expression::Expr;
use crate::rules::system::System;
use crate::rules::variables::Variables;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::OpId;
use crate::term::leaves::Node;
use crate::term::literal::Value;
use crate::text::similar::did_you_mean;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Stands for "no term", and for a cost that does not fit.
pub(super) const NONE: u64 = u64::MAX;

/// What a term costs, by measure; less is better.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(pub(super) SmallVec<[u64; 3]>);

impl Cost {
    /// By measure of its function, the first the most important one.
    pub fn values(&self) -> &[u64] {
        &self.0
    }
}

/// How costs are computed. Of terms that the measures asked for do not tell apart the smaller is better,
/// so that every node costs something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostFunction {
    measures: Vec<Measure>,
    /// How many of them were asked for.
    asked: usize,
    /// From which the facts follow that measures read.
    analyses: Arc<Analyses>,
}

/// One number of a cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// Nodes of the term.
    Size,
    /// Nodes on the longest way from the root to a leaf.
    Depth,
    /// The sum of what a rules file says.
    Declared(DeclaredCost),
}

impl Measure {
    /// What every node costs at least.
    fn least(&self) -> u64 {
        match self {
            Measure::Size | Measure::Depth => 1,
            Measure::Declared(declared) => declared.least(),
        }
    }

    fn name(&self) -> &str {
        match self {
            Measure::Size => BUILT_IN[0],
            Measure::Depth => BUILT_IN[1],
            Measure::Declared(declared) => &declared.name,
        }
    }

    /// The value of a node over parts of these values.
    fn over(&self, own: u64, parts: impl Iterator<Item = u64>) -> u64 {
        match self {
            Measure::Size => Size.over(own, parts),
            Measure::Depth => Depth.over(own, parts),
            Measure::Declared(declared) => declared.over(own, parts),
        }
    }

    fn own(&self, node: Node<'_>, value: impl Fn(Read) -> Option<Value>) -> u64 {
        match self {
            Measure::Size => Size.own(|| node, value),
            Measure::Depth => Depth.own(|| node, value),
            Measure::Declared(declared) => declared.own(|| node, value),
        }
    }
}

/// What one measure computes. The loops that go over all e-nodes are compiled for each of its kinds.
pub(super) trait Kind {
    /// What a node costs by itself; [`NONE`] where that is not known. `value` gives what is read of its
    /// arguments.
    fn own<'n>(
        &self,
        node: impl FnOnce() -> Node<'n>,
        value: impl Fn(Read) -> Option<Value>,
    ) -> u64;

    /// Puts the value of a part to that of others.
    #[inline]
    fn join(&self, parts: u64, part: u64) -> u64 {
        parts.saturating_add(part)
    }

    /// The value of a node over parts of these values.
    #[inline]
    fn over(&self, own: u64, parts: impl Iterator<Item = u64>) -> u64 {
        own.saturating_add(parts.fold(0, |parts, part| self.join(parts, part)))
    }

    /// What an e-node costs by itself.
    #[inline]
    fn own_of(&self, egraph: &EGraph, node: Id) -> u64 {
        self.own(|| egraph.node(node), |read| of_argument(egraph, node, read))
    }
}

/// See [`Measure::Size`].
pub(super) struct Size;

impl Kind for Size {
    #[inline]
    fn own<'n>(&self, _: impl FnOnce() -> Node<'n>, _: impl Fn(Read) -> Option<Value>) -> u64 {
        1
    }
}

/// See [`Measure::Depth`].
pub(super) struct Depth;

impl Kind for Depth {
    #[inline]
    fn own<'n>(&self, _: impl FnOnce() -> Node<'n>, _: impl Fn(Read) -> Option<Value>) -> u64 {
        1
    }

    #[inline]
    fn join(&self, parts: u64, part: u64) -> u64 {
        parts.max(part)
    }
}

impl Kind for DeclaredCost {
    #[inline]
    fn own<'n>(
        &self,
        node: impl FnOnce() -> Node<'n>,
        value: impl Fn(Read) -> Option<Value>,
    ) -> u64 {
        self.weight(node(), value).unwrap_or(NONE)
    }
}

impl CostFunction {
    /// Number of nodes.
    pub fn size() -> CostFunction {
        CostFunction { measures: vec![Measure::Size], asked: 1, analyses: Arc::default() }
    }

    /// The costs with these names, comma-separated, the most important one first: `size`, `depth`, and
    /// those that the system declares.
    ///
    /// # Errors
    /// A name that is unknown or stands twice.
    pub fn named(system: &System, names: &str) -> Result<CostFunction, String> {
        let mut measures: Vec<Measure> = Vec::new();
        for name in names.split(',').map(str::trim) {
            let declared = system.costs.iter().find(|cost| cost.name == name);
            let measure = match (name, declared) {
                ("size", _) => Measure::Size,
                ("depth", _) => Measure::Depth,
                (_, Some(declared)) => Measure::Declared(declared.clone()),
                (_, None) => {
                    let declared = system.costs.iter().map(|cost| cost.name.as_str());
                    let all: Vec<&str> = BUILT_IN.into_iter().chain(declared).collect();
                    let meant = did_you_mean(name, all.iter().copied());
                    let all = all.join(", ");
                    return Err(format!(
                        "unknown cost '{name}'{meant}: expected one of {all}, or several with commas between"
                    ));
                }
            };
            if measures.contains(&measure) {
                return Err(format!("'{name}' stands twice"));
            }
            measures.push(measure);
        }
        let asked = measures.len();
        if !measures.contains(&Measure::Size) {
            measures.push(Measure::Size);
        }
        Ok(CostFunction { measures, asked, analyses: Arc::clone(&system.analyses) })
    }

    /// The same, where a term with one of these operators has no known cost.
    #[must_use]
    pub fn without(mut self, operators: &[OpId]) -> CostFunction {
        if operators.is_empty() {
            return self;
        }
        let mut refused = DeclaredCost::new("", 0);
        for &op in operators {
            // A negative weight is none.
            let none = Expr::Value(Value::Int(-1));
            refused.set(op, Weight::Computed(none, Variables::default()));
        }
        self.measures.push(Measure::Declared(refused));
        self
    }

    /// The names of the measures that were asked for.
    pub fn names(&self) -> Vec<&str> {
        self.measures[..self.asked].iter().map(Measure::name).collect()
    }

    /// The values of the measures that were asked for.
    pub fn asked<'c>(&self, cost: &'c Cost) -> &'c [u64] {
        &cost.0[..self.asked]
    }

    /// A cost as text: `12`, or `flops 200, size 9` where several were asked for.
    pub fn text(&self, cost: &Cost) -> String {
        match (self.asked(cost), &self.names()[..]) {
            ([value], _) => value.to_string(),
            (values, names) => {
                let pairs = names.iter().zip(values).map(|(name, value)| format!("{name} {value}"));
                pairs.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// No term costs less than this.
    pub fn least(&self) -> Cost {
        Cost(self.measures.iter().map(Measure::least).collect())
    }

    /// Number of measures, the last one that tells equally good terms apart included.
    pub(super) fn measures(&self) -> usize {
        self.measures.len()
    }

    /// Whether each measure is a sum, which can be taken over distinct parts as well.
    pub fn is_sum(&self) -> bool {
        !self.measures.contains(&Measure::Depth)
    }

    /// One of the measures.
    pub(super) fn measure(&self, measure: usize) -> &Measure {
        &self.measures[measure]
    }

    /// What an e-node costs by itself in one measure; [`NONE`] where that is not known.
    pub(super) fn weight(&self, measure: usize, egraph: &EGraph, node: Id) -> u64 {
        self.measures[measure].own(egraph.node(node), |read| of_argument(egraph, node, read))
    }

    /// The cost of a term as a tree, if it is known: expressions of the rules file need literals,
    /// which are those that stand there, or that built-in operators evaluate to, and facts, which are
    /// those that follow from transfers alone.
    pub fn of_term(&self, bank: &TermBank, term: TermId) -> Option<Cost> {
        let mut costs: FxHashMap<TermId, Cost> = FxHashMap::default();
        self.each_subterm(bank, &[term], |t, weights| {
            let value = |(m, &weight): (usize, &u64)| {
                self.measures[m].over(weight, bank.children(t).iter().map(|c| costs[c].0[m]))
            };
            let cost = Cost(weights.iter().enumerate().map(value).collect());
            costs.insert(t, cost);
        });
        known(costs.remove(&term)?)
    }

    /// The cost of a term as a DAG, where equal parts count once, if it is known and each measure is a
    /// sum.
    pub fn of_dag(&self, bank: &TermBank, term: TermId) -> Option<Cost> {
        self.of_dags(bank, &[term])
    }

    /// As [`CostFunction::of_dag`], of several terms whose equal parts count once.
    pub fn of_dags(&self, bank: &TermBank, terms: &[TermId]) -> Option<Cost> {
        let mut total: SmallVec<[u64; 3]> = SmallVec::from_elem(0, self.measures.len());
        self.each_subterm(bank, terms, |_, weights| {
            total.iter_mut().zip(weights).for_each(|(sum, &w)| *sum = sum.saturating_add(w));
        });
        if self.is_sum() { known(Cost(total)) } else { None }
    }

    /// Calls `f` with each distinct subterm, after its parts, and what its root costs by itself.
    fn each_subterm(&self, bank: &TermBank, terms: &[TermId], mut f: impl FnMut(TermId, &[u64])) {
        let mut literals: FxHashMap<TermId, Value> = FxHashMap::default();
        let mut facts = FxHashMap::default();
        let parts: BTreeSet<TermId> = terms.iter().flat_map(|&t| bank.subterms(t)).collect();
        for t in parts {
            let children = bank.children(t);
            let literal = |i: usize| literals.get(&children[i]).copied();
            let read = |read: Read| match read {
                Read::Literal(i) => literal(i),
                Read::Fact(analysis, i) => facts.get(&(analysis, children[i])).copied(),
            };
            let weights: SmallVec<[u64; 3]> =
                self.measures.iter().map(|m| m.own(bank.node(t), read)).collect();
            f(t, &weights);
            let folded = match bank.node(t) {
                Node::Op(op) if bank.language().constant_folding => {
                    let args: Option<SmallVec<[Value; 2]>> =
                        (0..children.len()).map(literal).collect();
                    bank.language().op(op).builtin.zip(args).and_then(|(op, args)| op.eval(&args))
                }
                _ => None,
            };
            if let Some(value) = bank.literal(t).or(folded) {
                literals.insert(t, value);
            }
            let literal = |t: TermId| literals.get(&t).copied();
            self.analyses.enter_facts_of(bank, t, literal, &mut facts);
        }
    }
}

/// What is read of an e-node's argument.
fn of_argument(egraph: &EGraph, node: Id, read: Read) -> Option<Value> {
    let child = |arg: usize| egraph.children(node)[arg];
    match read {
        Read::Literal(arg) => egraph.literal(child(arg)),
        Read::Fact(analysis, arg) => egraph.fact(analysis, child(arg)),
    }
}

/// A cost all of whose values are known.
pub(super) fn known(cost: Cost) -> Option<Cost> {
    (!cost.0.contains(&NONE)).then_some(cost)
}
