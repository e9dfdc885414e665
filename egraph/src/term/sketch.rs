//! Sketches: incomplete terms that a family of terms satisfies (Koehler et al., *Guided Equality
//! Saturation*, POPL 2024). A plain term is a sketch that only this term satisfies.

use crate::term::bank::{TermBank, TermId};
use crate::term::bound::{Scope, arguments};
use crate::term::language::{Language, Leaf, OpId, SortId, check_arity, check_sort};
use crate::term::leaves::Node;
use crate::term::read::read_application;
use crate::text::sexpr::{MAX_DEPTH, ParseError, Sexpr, nested_too_deep, parse_one};
use rustc_hash::FxHashMap;
use std::fmt;

/// An incomplete term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sketch {
    /// `?`: any term.
    Any,
    /// A literal or variable.
    Leaf(Leaf),
    /// `(op s…)`: this operator over terms that satisfy the sketches.
    Op(OpId, Vec<Sketch>),
    /// `(contains s)`: some subterm, or the term itself, satisfies `s`.
    Contains(Box<Sketch>),
    /// `(only-contains s)`: the term satisfies `s`, or is an application to one or more
    /// arguments all of which satisfy `(only-contains s)`.
    OnlyContains(Box<Sketch>),
    /// `(or s…)`: at least one is satisfied.
    Or(Vec<Sketch>),
}

impl Sketch {
    /// Reads a sketch of terms of sort `sort`, or of any sort.
    ///
    /// # Errors
    /// Malformed text, an unknown operator, a wrong number of arguments or a wrong sort, with
    /// the place.
    pub fn parse(
        language: &Language,
        text: &str,
        sort: Option<SortId>,
    ) -> Result<Sketch, ParseError> {
        Sketch::read(language, &parse_one(text)?, sort)
    }

    /// As [`Sketch::parse`], from an s-expression.
    ///
    /// # Errors
    /// As [`Sketch::parse`].
    pub fn read(
        language: &Language,
        sexpr: &Sexpr,
        sort: Option<SortId>,
    ) -> Result<Sketch, ParseError> {
        read(language, sexpr, sort, &mut Scope::default(), 0)
    }

    /// The one term that satisfies the sketch, if it is a plain term.
    pub fn to_term(&self, bank: &mut TermBank) -> Option<TermId> {
        match self {
            Sketch::Leaf(leaf) => Some(bank.leaf(leaf)),
            Sketch::Op(op, args) => {
                let args: Vec<TermId> =
                    args.iter().map(|arg| arg.to_term(bank)).collect::<Option<_>>()?;
                Some(bank.apply(*op, &args))
            }
            Sketch::Any | Sketch::Contains(_) | Sketch::OnlyContains(_) | Sketch::Or(_) => None,
        }
    }

    /// The sketch that only `t` satisfies.
    pub fn from_term(bank: &TermBank, t: TermId) -> Sketch {
        match bank.node(t) {
            Node::Leaf(leaf) => Sketch::Leaf(leaf.clone()),
            Node::Op(op) => {
                let args = bank.children(t).iter().map(|&c| Sketch::from_term(bank, c)).collect();
                Sketch::Op(op, args)
            }
        }
    }

    /// Whether the term `t` satisfies the sketch.
    pub fn accepts(&self, bank: &TermBank, t: TermId) -> bool {
        Acceptance { bank, known: FxHashMap::default() }.accepts(self, t)
    }

    /// Nodes of the smallest terms that satisfy the sketch at least.
    pub fn least_size(&self) -> u64 {
        match self {
            Sketch::Any | Sketch::Leaf(_) => 1,
            Sketch::Op(_, args) => {
                args.iter().fold(1, |size: u64, arg| size.saturating_add(arg.least_size()))
            }
            Sketch::Contains(inner) | Sketch::OnlyContains(inner) => inner.least_size(),
            Sketch::Or(options) => options.iter().map(Sketch::least_size).min().unwrap_or(1),
        }
    }

    /// The sketch as an s-expression.
    pub fn display<'a>(&'a self, language: &'a Language) -> DisplaySketch<'a> {
        DisplaySketch { language, sketch: self }
    }
}

/// Remembers what was found out about each sketch and term, for terms share subterms.
struct Acceptance<'a> {
    bank: &'a TermBank,
    known: FxHashMap<(*const Sketch, TermId), bool>,
}

impl Acceptance<'_> {
    fn accepts(&mut self, sketch: &Sketch, t: TermId) -> bool {
        let key = (std::ptr::from_ref(sketch), t);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let bank = self.bank;
        let answer = match sketch {
            Sketch::Any => true,
            Sketch::Leaf(leaf) => bank.node(t) == Node::Leaf(leaf),
            Sketch::Op(op, args) => {
                bank.node(t) == Node::Op(*op)
                    && args.iter().zip(bank.children(t)).all(|(s, &c)| self.accepts(s, c))
            }
            Sketch::Contains(inner) => {
                return self.bottom_up(key, |all, t| {
                    all.accepts(inner, t)
                        || bank.children(t).iter().any(|&c| all.known[&(key.0, c)])
                });
            }
            Sketch::OnlyContains(inner) => {
                return self.bottom_up(key, |all, t| {
                    let children = bank.children(t);
                    all.accepts(inner, t)
                        || !children.is_empty() && children.iter().all(|&c| all.known[&(key.0, c)])
                });
            }
            Sketch::Or(all) => all.iter().any(|s| self.accepts(s, t)),
        };
        self.known.insert(key, answer);
        answer
    }

    /// Whether a term satisfies a sketch, where that of a term can be told from its children: these come first, for terms may
    /// be too deep for recursion. What is found out is remembered here.
    fn bottom_up(
        &mut self,
        (sketch, t): (*const Sketch, TermId),
        accepts: impl Fn(&mut Self, TermId) -> bool,
    ) -> bool {
        let below = self.bank.subterms_but(t, |t| self.known.contains_key(&(sketch, t)));
        below.into_iter().fold(false, |_, t| {
            let answer = accepts(self, t);
            self.known.insert((sketch, t), answer);
            answer
        })
    }
}

fn read<'s>(
    language: &Language,
    sexpr: &'s Sexpr,
    sort: Option<SortId>,
    scope: &mut Scope<'s>,
    depth: usize,
) -> Result<Sketch, ParseError> {
    let at = |message: String| ParseError::new(sexpr.place(), message);
    let items = match sexpr {
        Sexpr::Atom(atom, _) if atom == "?" => return Ok(Sketch::Any),
        Sexpr::Atom(atom, _) if atom.starts_with('?') => {
            return Err(at(format!("'{atom}' in a sketch: '?' alone stands for any term")));
        }
        Sexpr::Atom(atom, _) => {
            return match language.operator(atom) {
                Some(op) => {
                    check_arity(language, op, 0).map_err(at)?;
                    check_sort(language, op, sort).map_err(at)?;
                    Ok(Sketch::Op(op, Vec::new()))
                }
                None => match scope.leaf(language, atom, sort).map_err(at)? {
                    Some(bound) => Ok(Sketch::Leaf(bound)),
                    None => Ok(Sketch::Leaf(language.leaf(atom, sort).map_err(at)?)),
                },
            };
        }
        Sexpr::List(_, place) if depth == MAX_DEPTH => {
            return Err(nested_too_deep(*place, MAX_DEPTH));
        }
        Sexpr::List(items, _) => items,
    };
    let keyword = items.first().and_then(Sexpr::atom).unwrap_or("");
    let is_operator = language.operator(keyword).is_some();
    match (keyword, items.get(1..).unwrap_or(&[])) {
        ("contains", [inner]) if !is_operator => {
            Ok(Sketch::Contains(Box::new(read(language, inner, None, scope, depth + 1)?)))
        }
        ("only-contains", [inner]) if !is_operator => {
            Ok(Sketch::OnlyContains(Box::new(read(language, inner, None, scope, depth + 1)?)))
        }
        ("or", all @ [_, ..]) if !is_operator => {
            let all = all
                .iter()
                .map(|s| read(language, s, sort, scope, depth + 1))
                .collect::<Result<_, _>>()?;
            Ok(Sketch::Or(all))
        }
        ("contains" | "only-contains", _) if !is_operator => {
            Err(at(format!("expected ({keyword} sketch)")))
        }
        ("or", _) if !is_operator => Err(at("expected (or sketch …)".into())),
        _ => {
            let (op, args) = read_application(language, items, sexpr.place())?;
            let operator = language.op(op);
            let args = arguments(language, op, args, sexpr.place())?;
            check_sort(language, op, sort).map_err(at)?;
            let mut inner = Vec::with_capacity(args.len());
            for (i, (name, arg)) in args.into_iter().enumerate() {
                let bound = name.zip(operator.bound(i));
                bound.into_iter().for_each(|(name, sort)| scope.enter(name, sort));
                inner.push(read(language, arg, Some(operator.args[i]), scope, depth + 1)?);
                bound.into_iter().for_each(|_| scope.leave());
            }
            Ok(Sketch::Op(op, inner))
        }
    }
}

/// Displays a sketch as an s-expression.
pub struct DisplaySketch<'a> {
    language: &'a Language,
    sketch: &'a Sketch,
}

impl fmt::Display for DisplaySketch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, head: &str, inner: &[Sketch]| {
            write!(f, "({head}")?;
            for sketch in inner {
                write!(f, " {}", sketch.display(self.language))?;
            }
            f.write_str(")")
        };
        match self.sketch {
            Sketch::Any => f.write_str("?"),
            Sketch::Leaf(leaf) => leaf.fmt(f),
            Sketch::Op(op, args) if args.is_empty() => f.write_str(&self.language.op(*op).name),
            Sketch::Op(op, args) => {
                let operator = self.language.op(*op);
                write!(f, "({}", operator.name)?;
                for (i, sketch) in args.iter().enumerate() {
                    // Bound variables are told by their indices.
                    f.write_str(if operator.bound(i).is_some() { " _ " } else { " " })?;
                    sketch.display(self.language).fmt(f)?;
                }
                f.write_str(")")
            }
            Sketch::Contains(inner) => list(f, "contains", std::slice::from_ref(inner)),
            Sketch::OnlyContains(inner) => list(f, "only-contains", std::slice::from_ref(inner)),
            Sketch::Or(all) => list(f, "or", all),
        }
    }
}
