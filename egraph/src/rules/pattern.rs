//! Patterns, as trees read from a rule file.
//!
//! This is the meaning of a rule; how an e-graph finds matches is [`crate::matching::machine`]'s own, and
//! the proof checker reads these trees directly, so that the two share no matching code.

use crate::rules::expression::{DisplayExpr, Expr};
use crate::rules::variables::{VarId, Variables};
use crate::term::language::{Language, Leaf, OpId, SortId};
use std::fmt;

/// A term with holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `?x`: any term, the same one at each occurrence.
    Var(VarId),
    /// A literal.
    Leaf(Leaf),
    /// An operator over patterns.
    Op(OpId, Vec<Pattern>),
    /// `(compute e)` on a right-hand side: the literal that `e` evaluates to.
    Compute(Expr, SortId),
    /// A function on terms, on a right-hand side.
    Function(TermFunction, Vec<Pattern>),
}

impl Pattern {
    /// What an operator or a function stands over.
    pub fn args(&self) -> &[Pattern] {
        match self {
            Pattern::Op(_, args) | Pattern::Function(_, args) => args,
            Pattern::Var(_) | Pattern::Leaf(_) | Pattern::Compute(..) => &[],
        }
    }

    /// The pattern and all patterns in it, each before its arguments, from left to right.
    pub fn parts(&self) -> impl Iterator<Item = &Pattern> {
        let mut todo = vec![self];
        std::iter::from_fn(move || {
            let part = todo.pop()?;
            todo.extend(part.args().iter().rev());
            Some(part)
        })
    }

    /// Number of operators, variables, literals and computations.
    pub(crate) fn size(&self) -> usize {
        self.parts().count()
    }

    /// Number of places where a variable stands.
    pub(crate) fn variables(&self) -> usize {
        self.parts().filter(|part| matches!(part, Pattern::Var(_))).count()
    }

    /// Number of literals, those to be computed included.
    pub(crate) fn leaves(&self) -> usize {
        self.parts().filter(|part| matches!(part, Pattern::Leaf(_) | Pattern::Compute(..))).count()
    }

    /// Number of operators with arguments, and of their arguments.
    pub(crate) fn applications(&self) -> (usize, usize) {
        let operators = self.parts().filter(|part| matches!(part, Pattern::Op(..)));
        let args = operators.map(|part| part.args().len()).filter(|&args| args > 0);
        args.fold((0, 0), |(number, all), args| (number + 1, all + args))
    }

    /// The sort of terms that match, `None` for a bare variable that has no sort yet.
    pub fn sort(&self, language: &Language, variables: &Variables) -> SortId {
        match self {
            Pattern::Var(var) => variables.sorts[var.0 as usize],
            Pattern::Leaf(leaf) => leaf.sort,
            Pattern::Op(op, _) => language.op(*op).result,
            Pattern::Compute(_, sort) => *sort,
            Pattern::Function(_, args) => args[0].sort(language, variables),
        }
    }

    /// Whether functions on terms occur in it.
    pub fn has_functions(&self) -> bool {
        self.parts().any(|part| matches!(part, Pattern::Function(..)))
    }

    /// The variables that are lowered, in order of their ids.
    pub(crate) fn lowered(&self) -> Vec<VarId> {
        let mut found = Vec::new();
        for part in self.parts() {
            if let Pattern::Function(TermFunction::Lower, _) = part {
                part.each_var(&mut |var| found.push(var));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Calls `f` for every variable, from left to right.
    pub fn each_var(&self, f: &mut impl FnMut(VarId)) {
        for part in self.parts() {
            match part {
                Pattern::Var(var) => f(*var),
                Pattern::Compute(expr, _) => expr.each_var(f),
                Pattern::Leaf(_) | Pattern::Op(..) | Pattern::Function(..) => {}
            }
        }
    }
}

/// A function on terms, for right-hand sides; [`crate::rules::binding`] says what it is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermFunction {
    /// `(subst b a)`: `b` with `a` for `%0`, and one less in its other loose indices.
    Subst,
    /// `(raise t)`: one more in loose indices, for a place under one more binder.
    Raise,
    /// `(lower t)`: one less in loose indices; no value where `%0` is loose.
    Lower,
}

impl TermFunction {
    pub(crate) const ALL: [TermFunction; 3] =
        [TermFunction::Subst, TermFunction::Raise, TermFunction::Lower];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            TermFunction::Subst => "subst",
            TermFunction::Raise => "raise",
            TermFunction::Lower => "lower",
        }
    }

    pub(crate) fn form(self) -> &'static str {
        match self {
            TermFunction::Subst => "(subst body argument)",
            TermFunction::Raise => "(raise term)",
            TermFunction::Lower => "(lower term)",
        }
    }
}

/// Displays a pattern as an s-expression.
pub struct DisplayPattern<'a> {
    /// The language of the pattern.
    pub language: &'a Language,
    /// The variables of its rule.
    pub variables: &'a Variables,
    /// The pattern.
    pub pattern: &'a Pattern,
}

impl fmt::Display for DisplayPattern<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pattern {
            Pattern::Var(var) => f.write_str(&self.variables.names[var.0 as usize]),
            Pattern::Leaf(leaf) => leaf.fmt(f),
            Pattern::Op(op, args) if args.is_empty() => f.write_str(&self.language.op(*op).name),
            Pattern::Op(op, args) => {
                write!(f, "({}", self.language.op(*op).name)?;
                for pattern in args {
                    write!(f, " {}", DisplayPattern { pattern, ..*self })?;
                }
                f.write_str(")")
            }
            Pattern::Function(function, args) => {
                write!(f, "({}", function.name())?;
                for pattern in args {
                    write!(f, " {}", DisplayPattern { pattern, ..*self })?;
                }
                f.write_str(")")
            }
            Pattern::Compute(expr, _) => {
                write!(f, "(compute {})", DisplayExpr { names: &self.variables.names, expr })
            }
        }
    }
}
