//! The language of a rewrite system: sorts, operators, literals and variables, as data.
//!
//! A user's domain is a text file, so nothing here is known when Cairn is compiled; what an
//! operator *computes* on literals is looked up by its name and sorts (see [`crate::term::builtin`]).

use crate::term::builtin::Builtin;
use crate::term::literal::{LiteralKind, Value};
use crate::text::similar::did_you_mean;
use rustc_hash::FxHashMap;
use std::fmt;

/// Index of a sort in [`Language::sorts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortId(pub u16);

/// Index of an operator in [`Language::operators`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u32);

/// An operator: a name with a fixed number of sorted arguments and a result sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The name as written in terms.
    pub name: String,
    /// Sorts of the arguments; the length is the arity.
    pub args: Vec<SortId>,
    /// By argument: the sort of the variable that is bound in it, as `(bind V S)` says. Empty where
    /// nothing is bound.
    pub binds: Vec<Option<SortId>>,
    /// Sort of the result.
    pub result: SortId,
    /// What the operator computes on literals, when the system asks for constant folding.
    pub builtin: Option<Builtin>,
}

/// Index of an analysis in [`Language::analyses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AnalysisId(pub u16);

/// What an analysis speaks of; what it computes is [`crate::rules::analysis`]'s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysisName {
    /// The name, which no operator has.
    pub name: String,
    /// The sort of the terms that have facts.
    pub sort: SortId,
    /// The sort of whose literals the values are.
    pub values: SortId,
}

/// Larger indices are refused: no term that can be read has so many binders.
const LARGEST_INDEX: u32 = 1 << 20;

/// That some index is loose that has no bit of its own.
pub(crate) const MANY_LOOSE: u32 = 1 << 31;

impl Operator {
    /// The sort of the variable that is bound in an argument, if one is.
    #[inline]
    pub fn bound(&self, argument: usize) -> Option<SortId> {
        self.binds.get(argument).copied().flatten()
    }

    /// The set of indices that are loose in an application, from the sets of its arguments. A set has a bit for each index
    /// below 31, and bit 31 for every index from there on.
    pub(crate) fn loose(&self, arguments: impl Iterator<Item = u32>) -> u32 {
        let below = |(i, loose): (usize, u32)| match self.bound(i) {
            Some(_) => loose >> 1 | loose & MANY_LOOSE,
            None => loose,
        };
        arguments.enumerate().map(below).fold(0, |all, loose| all | loose)
    }
}

/// What stands at a node without an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeafValue {
    /// A literal.
    Literal(Value),
    /// A variable (of the object language; pattern variables are [`crate::rules::pattern`]'s).
    Variable(String),
    /// A bound variable, by the number of binders between it and its own (its de Bruijn index).
    Bound(u32),
}

/// A literal, a variable or a bound variable, with its sort: `1` of sort `Int` is not `1` of sort `Bool`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leaf {
    /// The sort.
    pub sort: SortId,
    /// The value or name.
    pub value: LeafValue,
}

impl Leaf {
    /// The indices that are loose in it, as bits: its own, if it is one.
    pub(crate) fn loose(&self) -> u32 {
        match self.value {
            LeafValue::Bound(index) => 1 << index.min(31),
            LeafValue::Literal(_) | LeafValue::Variable(_) => 0,
        }
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            LeafValue::Literal(value) => value.fmt(f),
            LeafValue::Variable(name) => f.write_str(name),
            LeafValue::Bound(index) => write!(f, "%{index}"),
        }
    }
}

/// Sorts, operators, and which sorts have literals and variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Language {
    /// Names of the sorts, by [`SortId`].
    pub sorts: Vec<String>,
    /// The sorts, by their names.
    sort_names: FxHashMap<String, SortId>,
    /// The operators, by [`OpId`].
    pub operators: Vec<Operator>,
    /// The operators, by their names.
    names: FxHashMap<String, OpId>,
    /// Sorts of variables that operators bind, in the order of the operators.
    bound_sorts: Vec<SortId>,
    /// Literal kinds in the order of their declarations, at most one per sort.
    pub literals: Vec<(LiteralKind, SortId)>,
    /// Sorts that have variables, in the order of their declarations.
    pub variables: Vec<SortId>,
    /// The analyses, by [`AnalysisId`].
    pub analyses: Vec<AnalysisName>,
    /// Whether operators on literals are evaluated, `(analysis constant)`.
    pub constant_folding: bool,
}

impl Language {
    /// The operator called `name`. Names are unique in a language.
    pub fn operator(&self, name: &str) -> Option<OpId> {
        self.names.get(name).copied()
    }

    /// Adds an operator whose name no other has.
    pub(crate) fn enter(&mut self, operator: Operator) {
        self.names.insert(operator.name.clone(), OpId(self.operators.len() as u32));
        for &sort in operator.binds.iter().flatten() {
            if !self.bound_sorts.contains(&sort) {
                self.bound_sorts.push(sort);
            }
        }
        self.operators.push(operator);
    }

    /// Whether some operator binds variables.
    #[inline]
    pub fn has_binders(&self) -> bool {
        !self.bound_sorts.is_empty()
    }

    /// The sorts of variables that operators bind.
    pub fn bound_sorts(&self) -> &[SortId] {
        &self.bound_sorts
    }

    /// What an unknown name of an operator was meant to be, as the end of a message.
    pub(crate) fn did_you_mean(&self, name: &str) -> String {
        did_you_mean(name, self.operators.iter().map(|op| op.name.as_str()))
    }

    /// The analysis behind an id.
    pub fn analysis(&self, AnalysisId(analysis): AnalysisId) -> &AnalysisName {
        &self.analyses[usize::from(analysis)]
    }

    /// The analysis called `name`.
    pub fn analysis_named(&self, name: &str) -> Option<AnalysisId> {
        let known = self.analyses.iter().position(|analysis| analysis.name == name);
        known.map(|number| AnalysisId(number as u16))
    }

    /// The operator behind an id.
    pub fn op(&self, op: OpId) -> &Operator {
        &self.operators[op.0 as usize]
    }

    /// What an operator computes over literals, if the language folds.
    #[inline]
    pub(crate) fn folds(&self, op: OpId) -> Option<Builtin> {
        self.op(op).builtin.filter(|_| self.constant_folding)
    }

    /// The sort called `name`.
    pub fn sort(&self, name: &str) -> Option<SortId> {
        self.sort_names.get(name).copied()
    }

    /// Adds a sort whose name no other has.
    pub(crate) fn enter_sort(&mut self, name: &str) {
        self.sort_names.insert(name.to_owned(), SortId(self.sorts.len() as u16));
        self.sorts.push(name.to_owned());
    }

    /// The name of a sort.
    pub fn sort_name(&self, sort: SortId) -> &str {
        &self.sorts[sort.0 as usize]
    }

    /// How literals of `sort` are written, if it has any.
    pub fn literal_kind(&self, sort: SortId) -> Option<LiteralKind> {
        self.literals.iter().find(|(_, s)| *s == sort).map(|(kind, _)| *kind)
    }

    /// Reads an atom that is not an operator as a literal, a variable or a loose index `%i`.
    ///
    /// `expected` is the sort that the context asks for. Without one the first declared literal
    /// kind that can be written like this is taken, or the variable sort if there is only one.
    ///
    /// # Errors
    /// A message that says what was expected, without place.
    pub fn leaf(&self, atom: &str, expected: Option<SortId>) -> Result<Leaf, String> {
        if looks_numeric(atom) {
            let mut allowed =
                self.literals.iter().filter(|(_, sort)| expected.is_none_or(|e| e == *sort));
            return allowed
                .find_map(|(kind, sort)| {
                    let value = LeafValue::Literal(kind.read(atom)?);
                    Some(Leaf { sort: *sort, value })
                })
                .ok_or_else(|| match expected {
                    Some(sort) => format!(
                        "'{atom}' is not a literal of sort {}{}",
                        self.sort_name(sort),
                        match self.literal_kind(sort) {
                            Some(kind) => format!(" ({})", kind.described()),
                            None => ", which has no literals".to_owned(),
                        }
                    ),
                    None => format!("'{atom}' is not a literal of any sort"),
                });
        }
        if let Some(bound) = self.index(atom, expected) {
            return bound;
        }
        let sort = match expected {
            Some(sort) if self.variables.contains(&sort) => sort,
            Some(sort) => {
                return Err(format!(
                    "unknown name '{atom}': sort {} has no variables and no operator has this name{}",
                    self.sort_name(sort),
                    self.did_you_mean(atom)
                ));
            }
            None => match self.variables[..] {
                [sort] => sort,
                [] => {
                    return Err(format!("unknown operator '{atom}'{}", self.did_you_mean(atom)));
                }
                _ => return Err(format!("the sort of variable '{atom}' is not clear here")),
            },
        };
        Ok(Leaf { sort, value: LeafValue::Variable(atom.to_owned()) })
    }

    /// The index and its sort, if the atom is written like one and the language binds variables.
    pub(crate) fn index(
        &self,
        atom: &str,
        expected: Option<SortId>,
    ) -> Option<Result<Leaf, String>> {
        let digits = atom.strip_prefix('%')?;
        if !self.has_binders() || !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let index =
            digits.parse().ok().filter(|&i: &u32| i < LARGEST_INDEX && i.to_string() == digits);
        let Some(index) = index else {
            return Some(Err(format!("'{atom}' is no bound variable: expected %0, %1, …")));
        };
        let sorts = self.bound_sorts();
        Some(match (expected, sorts) {
            (Some(sort), _) if !sorts.contains(&sort) => {
                let sort = self.sort_name(sort);
                Err(format!(
                    "'{atom}' can't stand here: no operator binds variables of sort {sort}"
                ))
            }
            (Some(sort), _) | (None, &[sort]) => Ok(Leaf { sort, value: LeafValue::Bound(index) }),
            (None, _) => Err(format!("the sort of '{atom}' is not clear here")),
        })
    }
}

/// Atoms that start like a number are literals, never variables: a mistyped number is an error.
pub fn looks_numeric(atom: &str) -> bool {
    let digits = atom.strip_prefix(['-', '+']).unwrap_or(atom);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

pub(crate) fn check_arity(language: &Language, op: OpId, found: usize) -> Result<(), String> {
    let op = language.op(op);
    let arity = op.args.len();
    if arity == found {
        return Ok(());
    }
    let plural = if arity == 1 { "" } else { "s" };
    Err(format!("operator '{}' takes {arity} argument{plural}, found {found}", op.name))
}

pub(crate) fn check_sort(
    language: &Language,
    op: OpId,
    expected: Option<SortId>,
) -> Result<(), String> {
    let op = language.op(op);
    match expected {
        Some(sort) if sort != op.result => Err(format!(
            "expected a term of sort {}, but '{}' has sort {}",
            language.sort_name(sort),
            op.name,
            language.sort_name(op.result)
        )),
        _ => Ok(()),
    }
}
