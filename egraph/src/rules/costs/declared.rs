//! Costs that a rules file declares: what one node of a term costs, as a number or as an expression
//! over the literals that its arguments equal, and what they cost.

use crate::rules::costs::read::Read;
use crate::rules::costs::unit::Unit;
use crate::rules::costs::whole::{UNKNOWN, WholeCost};
use crate::rules::expression::Expr;
use crate::rules::variables::Variables;
use crate::term::language::{LeafValue, OpId, SortId};
use crate::term::leaves::Node;
use crate::term::literal::Value;
use crate::term::values::rational::Rational;
use crate::text::sexpr::{ParseError, Place};

/// The cost that `:cost` and a `(cost …)` without a name speak of; it is there in every system.
pub(crate) const DEFAULT: &str = "cost";
/// Costs that are built in.
pub(crate) const BUILT_IN: [&str; 2] = ["size", "depth"];

/// What a node costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Always the same, in parts of the cost's unit.
    Number(u64),
    /// The value of an expression over the literals that the arguments equal, `VarId(i)` being the
    /// argument `i`, and over their facts. Without a value, or with a negative one, the node can't be
    /// chosen.
    Computed(Expr, Variables),
    /// What it costs together with some of its arguments, by what these cost.
    Whole(WholeCost),
}

/// A cost by its name: a number for each node of a term, the sum of which the term costs, but for nodes that
/// count costs of arguments in a way of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredCost {
    /// The name, unique in its system.
    pub name: String,
    /// By [`OpId`], for those that the file speaks of.
    operators: Vec<Option<Weight>>,
    /// What literals of a sort cost, and variables, for those that the file speaks of.
    leaves: Vec<(SortId, Leaves, u64)>,
    /// What any other node costs.
    otherwise: u64,
    /// What all of this is counted in.
    pub(crate) unit: Unit,
}

/// The leaves of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    Literals,
    Variables,
}

impl DeclaredCost {
    /// In which everything costs `otherwise`.
    pub(crate) fn new(name: &str, otherwise: u64) -> DeclaredCost {
        let (operators, leaves) = (vec![], vec![]);
        DeclaredCost { name: name.to_owned(), operators, leaves, otherwise, unit: Unit::ONE }
    }

    /// Counts in parts so fine that fractions with this denominator are whole numbers of them.
    pub(crate) fn refine(&mut self, denominator: u64, at: Place) -> Result<(), ParseError> {
        let finer = self.unit.finer(denominator).ok_or_else(|| {
            let message = format!(
                "the fractions of cost '{}' have no common denominator up to {}",
                self.name,
                Unit::MOST
            );
            ParseError::new(at, message)
        })?;
        let times = finer.in_a(self.unit);
        self.unit = finer;
        self.otherwise *= times;
        self.leaves.iter_mut().for_each(|(.., weight)| *weight *= times);
        for weight in self.operators.iter_mut().flatten() {
            if let Weight::Number(weight) = weight {
                *weight *= times;
            }
        }
        Ok(())
    }

    /// The parts that a number is, in a unit that is fine enough for it.
    pub(crate) fn parts(&mut self, number: Rational, at: Place) -> Result<u64, ParseError> {
        self.refine(number.denominator().unsigned_abs(), at)?;
        Ok(self.unit.parts(Value::Rational(number)).unwrap_or(UNKNOWN))
    }

    /// Says what an operator costs; false if that was said already.
    pub(crate) fn set(&mut self, OpId(op): OpId, weight: Weight) -> bool {
        let op = op as usize;
        if op >= self.operators.len() {
            self.operators.resize(op + 1, None);
        }
        self.operators[op].replace(weight).is_none()
    }

    /// Says what literals or variables of a sort cost; false if that was said already.
    pub(crate) fn set_leaves(&mut self, sort: SortId, leaves: Leaves, weight: u64) -> bool {
        let known = self.leaves.iter().any(|known| (known.0, known.1) == (sort, leaves));
        self.leaves.push((sort, leaves, weight));
        !known
    }

    /// Whether every node costs the same, and something.
    pub(crate) fn is_uniform(&self) -> bool {
        self.otherwise > 0 && *self == DeclaredCost::new(&self.name, self.otherwise)
    }

    /// What every node costs at least.
    pub fn least(&self) -> u64 {
        let of = |weight: &Weight| match weight {
            Weight::Number(weight) => *weight,
            Weight::Computed(..) | Weight::Whole(_) => 0,
        };
        let leaves = self.leaves.iter().map(|(.., weight)| *weight);
        self.operators.iter().flatten().map(of).chain(leaves).fold(self.otherwise, u64::min)
    }

    /// How an application counts the costs of some of its arguments, if it does.
    #[inline]
    pub(crate) fn whole(&self, node: Node<'_>) -> Option<&WholeCost> {
        match node {
            Node::Op(OpId(op)) => match self.operators.get(op as usize)? {
                Some(Weight::Whole(whole)) => Some(whole),
                _ => None,
            },
            Node::Leaf(_) => None,
        }
    }

    /// Whether some application does.
    pub(crate) fn has_wholes(&self) -> bool {
        let counts =
            |weight: &Weight| matches!(weight, Weight::Whole(of) if !of.counted.is_empty());
        self.operators.iter().flatten().any(counts)
    }

    /// What a node costs by itself, if that is known, where arguments cost nothing; `value` gives what is read of
    /// them.
    #[inline]
    pub fn weight(&self, node: Node<'_>, value: impl Fn(Read) -> Option<Value>) -> Option<u64> {
        match node {
            Node::Op(OpId(op)) => match self.operators.get(op as usize).and_then(Option::as_ref) {
                None => Some(self.otherwise),
                Some(Weight::Number(weight)) => Some(*weight),
                Some(Weight::Whole(whole)) => {
                    Some(whole.value(self.unit, value, |_| 0)).filter(|&weight| weight != UNKNOWN)
                }
                Some(Weight::Computed(expr, variables)) => {
                    self.unit.parts(expr.eval(&|var| value(Read::of(variables, var)))?)
                }
            },
            Node::Leaf(leaf) => {
                let kind = match leaf.value {
                    LeafValue::Literal(_) => Leaves::Literals,
                    LeafValue::Variable(_) | LeafValue::Bound(_) => Leaves::Variables,
                };
                let same = |(sort, leaves, _): &&(SortId, Leaves, u64)| {
                    (*sort, *leaves) == (leaf.sort, kind)
                };
                Some(self.leaves.iter().find(same).map_or(self.otherwise, |(_, _, weight)| *weight))
            }
        }
    }
}
