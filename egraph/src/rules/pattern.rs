//! Patterns and conditions, as trees read from a rule file.
//!
//! This is the meaning of a rule; how an e-graph finds matches is [`crate::matching::machine`]'s own, and
//! the proof checker reads these trees directly, so that the two share no matching code.

use crate::rules::binding::{TermFunction, read_function};
use crate::rules::kinds::{Kinds, read_number};
use crate::term::bank::{check_arity, check_sort, read_application};
use crate::term::builtin::evaluate;
use crate::term::language::{
    AnalysisId, Language, Leaf, LeafValue, LiteralKind, OpId, SortId, Value,
};
use crate::text::sexpr::{ParseError, Place, Sexpr};
use crate::text::similar::did_you_mean;
use std::fmt;

/// Index of a pattern variable in [`Variables::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u16);

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

const MOST_VARIABLES: usize = 4_096;

/// The variables of one rule: pattern variables with the sorts that their places give them, and behind
/// them the facts that its expressions read, each as a variable that is bound to a literal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// Names by [`VarId`]: those of pattern variables with their `?`, facts as `(lo ?x)`.
    pub names: Vec<String>,
    /// Sorts, by [`VarId`]; of a fact that of its values.
    pub sorts: Vec<SortId>,
    /// What the last variables stand for.
    pub facts: Vec<FactOf>,
}

/// A fact that an expression reads: the value of an analysis at a pattern variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactOf {
    /// The analysis.
    pub analysis: AnalysisId,
    /// The pattern variable.
    pub var: VarId,
}

impl Variables {
    /// The variable called `name` (with its `?`).
    pub fn get(&self, name: &str) -> Option<VarId> {
        self.names.iter().position(|n| n == name).map(|i| VarId(i as u16))
    }

    /// Number of pattern variables; the variables behind them are facts.
    pub fn patterns(&self) -> usize {
        self.names.len() - self.facts.len()
    }

    /// The fact that a variable stands for, if it is no pattern variable.
    pub fn fact(&self, VarId(var): VarId) -> Option<FactOf> {
        Some(self.facts[usize::from(var).checked_sub(self.patterns())?])
    }

    /// The variable that stands for a fact, entered if it is new.
    fn enter_fact(
        &mut self,
        language: &Language,
        fact: FactOf,
        place: Place,
    ) -> Result<VarId, ParseError> {
        let analysis = language.analysis(fact.analysis);
        let (of, sort) = (usize::from(fact.var.0), analysis.sort);
        if self.sorts[of] != sort {
            let message = format!(
                "{} speaks of sort {}, and {} has sort {}",
                analysis.name,
                language.sort_name(sort),
                self.names[of],
                language.sort_name(self.sorts[of])
            );
            return Err(ParseError::new(place, message));
        }
        if let Some(known) = self.facts.iter().position(|known| *known == fact) {
            return Ok(VarId((self.patterns() + known) as u16));
        }
        if self.names.len() >= MOST_VARIABLES {
            let message = format!("too many variables in a rule: at most {MOST_VARIABLES}");
            return Err(ParseError::new(place, message));
        }
        self.names.push(format!("({} {})", analysis.name, self.names[of]));
        self.sorts.push(analysis.values);
        self.facts.push(fact);
        Ok(VarId(self.names.len() as u16 - 1))
    }

    fn enter(
        &mut self,
        language: &Language,
        name: &str,
        sort: SortId,
        place: Place,
    ) -> Result<VarId, ParseError> {
        if let Some(var) = self.get(name) {
            let known = self.sorts[var.0 as usize];
            if known != sort {
                let message = format!(
                    "{name} has sort {} elsewhere in this rule, but sort {} is expected here",
                    language.sort_name(known),
                    language.sort_name(sort)
                );
                return Err(ParseError::new(place, message));
            }
            return Ok(var);
        }
        if self.names.len() >= MOST_VARIABLES {
            let message = format!("too many variables in a rule: at most {MOST_VARIABLES}");
            return Err(ParseError::new(place, message));
        }
        self.names.push(name.to_owned());
        self.sorts.push(sort);
        Ok(VarId(self.names.len() as u16 - 1))
    }
}

/// An expression over the literals that variables are bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A literal.
    Value(Value),
    /// The literal bound to a variable, or the value of a fact.
    Var(VarId),
    /// A built-in operator, by name (see [`crate::term::builtin`]).
    Apply(String, Vec<Expr>),
}

impl Expr {
    /// The value under `literal`; `None` where a variable is not bound to a literal, kinds do
    /// not fit or the result does not fit in 64 bits.
    pub fn eval(&self, literal: &impl Fn(VarId) -> Option<Value>) -> Option<Value> {
        match self {
            Expr::Value(value) => Some(*value),
            Expr::Var(var) => literal(*var),
            Expr::Apply(name, args) => match &args[..] {
                [a] => evaluate(name, &[a.eval(literal)?]),
                [a, b] => evaluate(name, &[a.eval(literal)?, b.eval(literal)?]),
                _ => None,
            },
        }
    }

    /// Calls `f` for every variable.
    pub fn each_var(&self, f: &mut impl FnMut(VarId)) {
        match self {
            Expr::Value(_) => {}
            Expr::Var(var) => f(*var),
            Expr::Apply(_, args) => args.iter().for_each(|a| a.each_var(f)),
        }
    }
}

/// One conjunct of a `:when`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `(const ?c)`: bound to a literal.
    Const(VarId),
    /// An expression that must evaluate to true; an expression without value does not hold.
    Holds(Expr),
}

impl Condition {
    /// Whether the condition holds under `literal`.
    pub fn holds(&self, literal: &impl Fn(VarId) -> Option<Value>) -> bool {
        match self {
            Condition::Const(var) => literal(*var).is_some(),
            Condition::Holds(expr) => expr.eval(literal) == Some(Value::Bool(true)),
        }
    }

    /// Calls `f` for every variable, all of which must be bound to literals.
    pub fn each_var(&self, f: &mut impl FnMut(VarId)) {
        match self {
            Condition::Const(var) => f(*var),
            Condition::Holds(expr) => expr.each_var(f),
        }
    }
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

/// The operators of conditions, with their numbers of arguments.
pub(crate) const EXPRESSION_OPERATORS: &str =
    "+ - * / % min max abs & | ^ ~ << >> < <= > >= == != && || !";

/// Reads an expression over the literals that variables are bound to, and over their facts.
pub(crate) fn read_expr(
    language: &Language,
    variables: &mut Variables,
    sexpr: &Sexpr,
) -> Result<Expr, ParseError> {
    let at = |message: String| ParseError::new(sexpr.place(), message);
    match sexpr {
        Sexpr::Atom(atom, _) if atom.starts_with('?') || variables.get(atom).is_some() => {
            match variables.get(atom) {
                Some(var) => Ok(Expr::Var(var)),
                None => Err(at(format!("{atom} does not occur on the left-hand side"))),
            }
        }
        Sexpr::Atom(atom, _) => match read_number(atom) {
            Some(value) => Ok(Expr::Value(value)),
            None => Err(at(format!("expected a number or a pattern variable, found '{atom}'"))),
        },
        Sexpr::List(items, _) => {
            let name = items.first().and_then(Sexpr::atom).unwrap_or("");
            if let Some(analysis) = language.analysis_named(name) {
                let var = items.get(1).and_then(Sexpr::atom).and_then(|atom| variables.get(atom));
                let (Some(var), 2) = (var, items.len()) else {
                    let message =
                        format!("expected ({name} ?x), of a variable of the left-hand side");
                    return Err(at(message));
                };
                let fact = FactOf { analysis, var };
                return Ok(Expr::Var(variables.enter_fact(language, fact, sexpr.place())?));
            }
            if !EXPRESSION_OPERATORS.split(' ').any(|op| op == name) {
                let analyses = language.analyses.iter().map(|analysis| analysis.name.as_str());
                let meant = did_you_mean(name, EXPRESSION_OPERATORS.split(' ').chain(analyses));
                return Err(at(format!(
                    "expected one of {EXPRESSION_OPERATORS}, found '{name}'{meant}"
                )));
            }
            let arities: &[usize] = match name {
                "abs" | "!" | "~" => &[1],
                "-" => &[1, 2],
                _ => &[2],
            };
            if !arities.contains(&(items.len() - 1)) {
                let message =
                    format!("'{name}' takes {} arguments, found {}", arities[0], items.len() - 1);
                return Err(at(message));
            }
            let args = items[1..]
                .iter()
                .map(|a| read_expr(language, variables, a))
                .collect::<Result<_, _>>()?;
            Ok(Expr::Apply(name.to_owned(), args))
        }
    }
}

/// Reads one conjunct of a `:when`.
pub(crate) fn read_condition(
    language: &Language,
    variables: &mut Variables,
    sexpr: &Sexpr,
) -> Result<Condition, ParseError> {
    let at = |message: String| ParseError::new(sexpr.place(), message);
    let condition = match sexpr.list() {
        Some([head, arg]) if head.atom() == Some("const") => {
            match read_expr(language, variables, arg)? {
                Expr::Var(var) => Condition::Const(var),
                _ => return Err(at("expected (const ?x)".into())),
            }
        }
        Some(_) => {
            let mut expr = read_expr(language, variables, sexpr)?;
            Kinds { language, variables }.fit_only(&mut expr, sexpr, LiteralKind::Bool)?;
            Condition::Holds(expr)
        }
        None => return Err(at("expected a condition like (const ?c) or (!= ?c 0)".into())),
    };
    let mut used = Vec::new();
    condition.each_var(&mut |var| used.push(var));
    expect_literals(language, variables, used, sexpr.place())?;
    Ok(condition)
}

/// Refuses an expression at `place` over variables of sorts that have no literals.
pub(crate) fn expect_literals(
    language: &Language,
    variables: &Variables,
    used: Vec<VarId>,
    place: Place,
) -> Result<(), ParseError> {
    let sort = |var: &VarId| variables.sorts[var.0 as usize];
    match used.into_iter().rfind(|var| language.literal_kind(sort(var)).is_none()) {
        None => Ok(()),
        Some(var) => Err(ParseError::new(
            place,
            format!(
                "{} can never be a literal: sort {} has none",
                variables.names[var.0 as usize],
                language.sort_name(sort(&var))
            ),
        )),
    }
}

/// Whether values of this kind belong to a sort with these literals.
pub(crate) fn value_fits(kind: LiteralKind, value: Value) -> bool {
    value.kind() == kind
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

struct DisplayExpr<'a> {
    variables: &'a Variables,
    expr: &'a Expr,
}

impl fmt::Display for DisplayExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expr {
            Expr::Value(value) => value.fmt(f),
            Expr::Var(var) => f.write_str(&self.variables.names[var.0 as usize]),
            Expr::Apply(name, args) => {
                write!(f, "({name}")?;
                for expr in args {
                    write!(f, " {}", DisplayExpr { expr, ..*self })?;
                }
                f.write_str(")")
            }
        }
    }
}
