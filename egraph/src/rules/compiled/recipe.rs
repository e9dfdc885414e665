//! Right-hand sides, compiled: in which order to build what.

use crate::rules::expression::Expr;
use crate::rules::pattern::Pattern;
use crate::term::language::{Leaf, SortId};
use crate::term::leaves::Head;
use smallvec::SmallVec;

/// What stands at a place of a right-hand side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A pattern variable.
    Var(usize),
    /// A literal of the rule, by number.
    Literal(usize),
    /// A computed literal, by number.
    Computed(usize),
    /// An application, by number.
    Application(usize),
}

/// An operator over operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Application {
    pub head: Head,
    pub args: SmallVec<[Operand; 4]>,
    /// Where its e-node is noted among the bound ids of the right-hand side: in pre-order, without
    /// the root and without nullary operators.
    pub place: Option<usize>,
}

/// A right-hand side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recipe {
    /// In post-order: the arguments of each come before it.
    pub applications: Vec<Application>,
    pub literals: Vec<Leaf>,
    pub computed: Vec<(Expr, SortId)>,
    pub root: Operand,
    /// The pattern variables.
    pub variables: Vec<usize>,
    /// Number of places.
    pub places: usize,
}

impl Recipe {
    /// Compiles a right-hand side.
    pub fn compile(pattern: &Pattern) -> Recipe {
        let mut recipe = Recipe {
            applications: Vec::new(),
            literals: Vec::new(),
            computed: Vec::new(),
            root: Operand::Var(0),
            variables: Vec::new(),
            places: 0,
        };
        recipe.root = recipe.operand(pattern, true);
        recipe
    }

    fn operand(&mut self, pattern: &Pattern, root: bool) -> Operand {
        match pattern {
            Pattern::Function(..) => unreachable!("no recipe has functions on terms"),
            Pattern::Var(var) => {
                let var = usize::from(var.0);
                if !self.variables.contains(&var) {
                    self.variables.push(var);
                }
                Operand::Var(var)
            }
            Pattern::Leaf(leaf) => {
                self.literals.push(leaf.clone());
                Operand::Literal(self.literals.len() - 1)
            }
            Pattern::Compute(expr, sort) => {
                self.computed.push((expr.clone(), *sort));
                Operand::Computed(self.computed.len() - 1)
            }
            Pattern::Op(op, args) => {
                let place = (!root && !args.is_empty()).then(|| {
                    self.places += 1;
                    self.places - 1
                });
                let args = args.iter().map(|arg| self.operand(arg, false)).collect();
                self.applications.push(Application { head: Head::from(*op), args, place });
                Operand::Application(self.applications.len() - 1)
            }
        }
    }
}
