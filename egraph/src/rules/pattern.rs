//! Patterns, as trees read from a rule file.
//!
//! This is the meaning of a rule; how an e-graph finds matches is [`crate::matching::machine`]'s own, and
//! the proof checker reads these trees directly, so that the two share no matching code.

use crate::rules::binding::{TermFunction, read_function};
use crate::rules::expression::{DisplayExpr, Expr, read_expr};
use crate::rules::kinds::Kinds;
use crate::rules::variables::{VarId, Variables};
use crate::term::bank::{check_arity, check_sort, read_application};
use crate::term::language::{Language, Leaf, LeafValue, OpId, SortId};
use crate::text::sexpr::{ParseError, Sexpr};
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
    /// Number of operators, variables, literals and computations.
    pub(crate) fn size(&self) -> usize {
        match self {
            Pattern::Op(_, args) | Pattern::Function(_, args) => {
                1 + args.iter().map(Pattern::size).sum::<usize>()
            }
            Pattern::Var(_) | Pattern::Leaf(_) | Pattern::Compute(..) => 1,
        }
    }

    /// Number of places where a variable stands.
    pub(crate) fn variables(&self) -> usize {
        match self {
            Pattern::Op(_, args) | Pattern::Function(_, args) => {
                args.iter().map(Pattern::variables).sum()
            }
            Pattern::Var(_) => 1,
            Pattern::Leaf(_) | Pattern::Compute(..) => 0,
        }
    }

    /// Number of operators with arguments, and of their arguments.
    pub(crate) fn applications(&self) -> (usize, usize) {
        match self {
            Pattern::Op(_, args) if !args.is_empty() => args
                .iter()
                .map(Pattern::applications)
                .fold((1, args.len()), |all, more| (all.0 + more.0, all.1 + more.1)),
            _ => (0, 0),
        }
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
        match self {
            Pattern::Op(_, args) => args.iter().any(Pattern::has_functions),
            Pattern::Function(..) => true,
            Pattern::Var(_) | Pattern::Leaf(_) | Pattern::Compute(..) => false,
        }
    }

    /// The variables that are lowered, in order of their ids.
    pub(crate) fn lowered(&self) -> Vec<VarId> {
        fn collect(pattern: &Pattern, found: &mut Vec<VarId>) {
            match pattern {
                Pattern::Op(_, args) => args.iter().for_each(|arg| collect(arg, found)),
                Pattern::Function(TermFunction::Lower, _) => {
                    pattern.each_var(&mut |var| found.push(var));
                }
                Pattern::Function(_, args) => args.iter().for_each(|arg| collect(arg, found)),
                Pattern::Var(_) | Pattern::Leaf(_) | Pattern::Compute(..) => {}
            }
        }
        let mut found = Vec::new();
        collect(self, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Calls `f` for every variable, from left to right.
    pub fn each_var(&self, f: &mut impl FnMut(VarId)) {
        match self {
            Pattern::Var(var) => f(*var),
            Pattern::Leaf(_) => {}
            Pattern::Op(_, args) | Pattern::Function(_, args) => {
                args.iter().for_each(|a| a.each_var(f));
            }
            Pattern::Compute(expr, _) => expr.each_var(f),
        }
    }
}

/// Which side of a rule is being read: only a right-hand side may compute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// Reads a pattern of sort `expected` and enters its variables.
pub(crate) fn read_pattern(
    language: &Language,
    variables: &mut Variables,
    sexpr: &Sexpr,
    expected: Option<SortId>,
    side: Side,
) -> Result<Pattern, ParseError> {
    match sexpr {
        Sexpr::Atom(atom, place) => {
            let at = |message: String| ParseError::new(*place, message);
            if atom.starts_with('?') {
                let sort = expected
                    .or_else(|| Some(variables.sorts[variables.get(atom)?.0 as usize]))
                    .ok_or_else(|| at(format!("the sort of {atom} is not clear here")))?;
                return Ok(Pattern::Var(variables.enter(language, atom, sort, *place)?));
            }
            if let Some(op) = language.operator(atom) {
                check_arity(language, op, 0).map_err(at)?;
                check_sort(language, op, expected).map_err(at)?;
                return Ok(Pattern::Op(op, Vec::new()));
            }
            match language.leaf(atom, expected).map_err(at)? {
                Leaf { value: LeafValue::Variable(name), .. } => {
                    let meant = language.did_you_mean(&name);
                    Err(at(format!(
                        "'{name}' is neither an operator nor a literal; \
                         pattern variables begin with '?'{meant}"
                    )))
                }
                leaf => Ok(Pattern::Leaf(leaf)),
            }
        }
        Sexpr::List(items, place) => {
            let at = |message: String| ParseError::new(*place, message);
            if items.first().and_then(Sexpr::atom) == Some("compute")
                && language.operator("compute").is_none()
            {
                if side == Side::Left {
                    return Err(at("(compute …) may stand on a right-hand side only".into()));
                }
                let [_, expr] = &items[..] else {
                    return Err(at("expected (compute expression)".into()));
                };
                let sort =
                    expected.filter(|sort| language.literal_kind(*sort).is_some()).ok_or_else(
                        || at("a computed literal needs a sort that has literals".into()),
                    )?;
                let (place, mut computed) = (expr, read_expr(language, variables, expr)?);
                if let Some(kind) = language.literal_kind(sort) {
                    Kinds { language, variables }.fit_only(&mut computed, place, kind)?;
                }
                return Ok(Pattern::Compute(computed, sort));
            }
            if let Some(function) =
                read_function(language, variables, items, *place, expected, side)
            {
                return function;
            }
            let (op, args) = read_application(language, items, *place)?;
            check_arity(language, op, args.len()).map_err(|mut message| {
                if !language.op(op).binds.is_empty() {
                    message += "; in a rule a body stands without a name, with %0 for its variable";
                }
                at(message)
            })?;
            check_sort(language, op, expected).map_err(at)?;
            let mut patterns = Vec::with_capacity(args.len());
            for (arg, sort) in args.iter().zip(&language.op(op).args) {
                patterns.push(read_pattern(language, variables, arg, Some(*sort), side)?);
            }
            Ok(Pattern::Op(op, patterns))
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
                write!(f, "(compute {})", DisplayExpr { variables: self.variables, expr })
            }
        }
    }
}
