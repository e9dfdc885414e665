//! Costs that a rules file declares: what one node of a term costs, as a number or as an expression
//! over the literals that its arguments equal, and what they cost.

use crate::rules::costs::read::Read;
use crate::rules::costs::whole::{UNKNOWN, WholeCost, read_whole, speaks_of_costs};
use crate::rules::expression::Expr;
use crate::rules::kinds::Kinds;
use crate::rules::pattern::Pattern;
use crate::rules::read::expressions::{expect_literals, read_expr};
use crate::rules::read::patterns::Side;
use crate::rules::read::patterns::read_pattern;
use crate::rules::variables::Variables;
use crate::term::language::{Language, LeafValue, OpId, SortId};
use crate::term::leaves::Node;
use crate::term::literal::Value;
use crate::text::sexpr::{ParseError, Place, Sexpr};

/// The cost that `:cost` and a `(cost …)` without a name speak of; it is there in every system.
pub(crate) const DEFAULT: &str = "cost";
/// Costs that are built in.
pub(crate) const BUILT_IN: [&str; 2] = ["size", "depth"];

/// What a node costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Always the same.
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
        DeclaredCost { name: name.to_owned(), operators: vec![], leaves: vec![], otherwise }
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
        self.operators.iter().any(|weight| matches!(weight, Some(Weight::Whole(_))))
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
                    Some(whole.value(value, |_| 0)).filter(|&weight| weight != UNKNOWN)
                }
                Some(Weight::Computed(expr, variables)) => {
                    let weight = expr.eval(&|var| value(Read::of(variables, var)))?;
                    weight.whole().and_then(|weight| u64::try_from(weight).ok())
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

/// Reads the number after `:cost`.
pub(crate) fn read_number(sexpr: &Sexpr) -> Result<u64, ParseError> {
    let number = sexpr.atom().and_then(|atom| atom.parse::<u32>().ok());
    number.map(u64::from).ok_or_else(|| {
        let found = sexpr.atom().unwrap_or("(…)");
        let message = format!("expected a cost, 0 to {}, found '{found}'", u32::MAX);
        ParseError::new(sexpr.place(), message)
    })
}

/// Reads the first two parts of `(cost (op ?a …) expression)`.
pub(crate) fn read_weight(
    language: &Language,
    form: &Sexpr,
    expression: &Sexpr,
) -> Result<(OpId, Weight), ParseError> {
    let mut variables = Variables::default();
    let read = read_pattern(language, &mut variables, form, None, Side::Left);
    let (op, args) = match (form, read) {
        // A bare variable has no sort; nor has it anything to do with a cost.
        (Sexpr::Atom(atom, place), _) if atom.starts_with('?') => return Err(no_form(*place)),
        (_, Ok(Pattern::Op(op, args))) => (op, args),
        (_, Ok(_)) => return Err(no_form(form.place())),
        (_, Err(mistake)) => return Err(mistake),
    };
    // So that the variable `i` is the argument `i`.
    let variable = |arg: &Pattern| matches!(arg, Pattern::Var(_));
    if !args.iter().all(variable) || variables.names.len() != args.len() {
        return Err(no_form(form.place()));
    }
    if speaks_of_costs(language, expression) {
        return Ok((op, Weight::Whole(read_whole(language, variables, expression)?)));
    }
    let mut expr = read_expr(language, &mut variables, expression)?;
    Kinds { language, variables: &variables }.fit(&mut expr, expression, None)?;
    let at = expression.place();
    let mut used = Vec::new();
    expr.each_var(&mut |var| used.push(var));
    expect_literals(language, &variables, used, at)?;
    match expr {
        Expr::Value(_) => Ok((op, Weight::Number(read_number(expression)?))),
        expr => Ok((op, Weight::Computed(expr, variables))),
    }
}

fn no_form(place: Place) -> ParseError {
    ParseError::new(place, "expected an operator over distinct variables, as (+ ?a ?b)")
}
