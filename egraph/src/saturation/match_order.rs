//! Which matches are promising: what can be seen of a match before it is applied, and orders by it.

use crate::term::language::OpId;
use std::fmt;

/// What stands at the root of a class, as far as one look at it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A literal: 0, 1, −1 or another one.
    Literal(Option<i8>),
    /// A variable.
    Variable,
    /// An operator: the first one of the class.
    Op(OpId),
}

/// A set of operators, by number; those of the 65th on share bits with the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Operators(pub u64);

impl Operators {
    /// Adds one.
    pub fn insert(&mut self, op: OpId) {
        self.0 |= 1 << (op.0 % u64::BITS);
    }
}

/// What stands right above a class in the smallest whole term that it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Above {
    /// The operator.
    pub op: OpId,
    /// Which of its arguments the class is.
    pub argument: u32,
    /// The first other argument, if there is one.
    pub sibling: Option<Kind>,
    /// The operator above this one.
    pub next: Option<OpId>,
}

/// What can be seen of a match before it is applied. Sizes are numbers of nodes; a *side* is what the
/// e-graph was grown from (see [`SaturationConfig::sides`](super::run::SaturationConfig)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchView {
    /// Number of the rule in its system.
    pub rule: u32,
    /// What stands above the matched class.
    pub above: Option<Above>,
    /// What the first three variables of the rule stand for,
    pub variables: [Option<Kind>; 3],
    /// and the sizes of the smallest terms of these; 0 where there are fewer.
    pub variable_sizes: [u32; 3],
    /// How many of all variables stand for literals.
    pub literals: u32,
    /// By how much the smallest whole term with the right-hand side in it is larger than the smallest
    /// term of its side; of the side where that is least. Negative where it would be smaller.
    pub excess: i64,
    /// The same of the other side, if the class stands in a term of that, too.
    pub other_excess: Option<i64>,
    /// The same for the class as it is.
    pub excess_before: i64,
    /// The size of the right-hand side.
    pub right: u64,
    /// The size of the left-hand side.
    pub left: u64,
    /// The size of the smallest term of the matched class.
    pub least: u64,
    /// Iterations since the match was found.
    pub waited: u64,
    /// E-nodes of the matched class.
    pub class_nodes: u32,
    /// Applications of the right-hand side that the e-graph lacks.
    pub missing: u32,
    /// Whether the right-hand side is there, in another class.
    pub unites: bool,
    /// If so, by how much the smallest whole term with that class in it is larger than the smallest term
    /// of its side: of the side of `excess`, and of the other one.
    pub united: [Option<i64>; 2],
    /// Operators of the rule's right-hand side that its left-hand side lacks.
    pub brings: Operators,
    /// Operators of its left-hand side that its right-hand side lacks.
    pub drops: Operators,
    /// Operators of the smallest terms of the side of `excess`, and of the other one.
    pub around: [Operators; 2],
    /// E-nodes of the e-graph.
    pub e_nodes: u64,
    /// Iterations so far.
    pub iteration: u64,
    /// The sizes of the smallest terms of both sides; 0 for one that is empty.
    pub sides: [u64; 2],
}

/// Orders matches: those of the largest rank are applied first.
pub trait MatchOrder: fmt::Debug + Send + Sync {
    /// Appends the rank of each match to `ranks`; not NaN. It must not depend on the other matches:
    /// those that wait come a part at a time, and from several threads.
    fn rank(&self, matches: &[MatchView], ranks: &mut Vec<f32>);

    /// Whether ranks may be some iterations old, so that fewer matches are looked at: only new ones, those that ranked high and
    /// the others in turn. Without, the order is exact and looking takes most of the time.
    fn ranks_may_be_old(&self) -> bool {
        false
    }

    /// The rank of a match by [`MatchView::excess`] alone, from an order that asks for nothing else; such an order need not
    /// wait for the rest to be looked at.
    fn rank_of_excess(&self, _excess: i64) -> Option<f32> {
        None
    }
}

/// The smaller the whole term that a match leads to, the sooner it is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmallestFirst;

impl MatchOrder for SmallestFirst {
    fn rank(&self, matches: &[MatchView], ranks: &mut Vec<f32>) {
        ranks.extend(matches.iter().filter_map(|seen| self.rank_of_excess(seen.excess)));
    }

    fn rank_of_excess(&self, excess: i64) -> Option<f32> {
        Some(-(excess as f32))
    }
}
