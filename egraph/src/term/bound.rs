//! Bound variables: de Bruijn indices inside, names outside.
//!
//! An argument of sort `(bind V S)` is written as a name and a body, `(lam x (f x))`; inside, an
//! occurrence of the name is the number of binders between it and its own, so that terms that differ
//! only in such names are one term. An index that no binder of the term belongs to is *loose*, and
//! written `%0`, `%1`, …; so is any index where the binder's name is `_` or is not known.

use crate::term::bank::{TermBank, TermId};
use crate::term::display::DisplayTerm;
use crate::term::language::{Language, Leaf, LeafValue, OpId, SortId, looks_numeric};
use crate::term::leaves::Node;
use crate::text::sexpr::{ParseError, Place, Sexpr};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::fmt;

/// Larger indices are refused: no term that can be read has so many binders.
const LARGEST_INDEX: u32 = 1 << 20;

/// The name of a binder to whose variable only an index leads.
const NO_NAME: &str = "_";

/// The index and its sort, if the atom is written like one and the language binds variables.
pub(crate) fn read_index(
    language: &Language,
    atom: &str,
    expected: Option<SortId>,
) -> Option<Result<Leaf, String>> {
    let digits = atom.strip_prefix('%')?;
    if !language.has_binders() || !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let index = digits.parse().ok().filter(|&i: &u32| i < LARGEST_INDEX && i.to_string() == digits);
    let Some(index) = index else {
        return Some(Err(format!("'{atom}' is no bound variable: expected %0, %1, …")));
    };
    let sorts = language.bound_sorts();
    Some(match (expected, sorts) {
        (Some(sort), _) if !sorts.contains(&sort) => {
            let sort = language.sort_name(sort);
            Err(format!("'{atom}' can't stand here: no operator binds variables of sort {sort}"))
        }
        (Some(sort), _) | (None, &[sort]) => Ok(Leaf { sort, value: LeafValue::Bound(index) }),
        (None, _) => Err(format!("the sort of '{atom}' is not clear here")),
    })
}

/// The binders around a place in a text, the outermost first.
#[derive(Debug, Default)]
pub(crate) struct Scope<'a> {
    binders: SmallVec<[(&'a str, SortId); 4]>,
}

impl<'a> Scope<'a> {
    pub fn enter(&mut self, name: &'a str, sort: SortId) {
        self.binders.push((name, sort));
    }

    pub fn leave(&mut self) {
        self.binders.pop();
    }

    /// The bound variable that an atom names here, by name or index; none if it names none.
    pub fn leaf(
        &self,
        language: &Language,
        atom: &str,
        expected: Option<SortId>,
    ) -> Result<Option<Leaf>, String> {
        let named = |&&(name, _): &&(&str, SortId)| name == atom && name != NO_NAME;
        let index = match self.binders.iter().rev().position(|binder| named(&binder)) {
            Some(index) => index,
            None => match read_index(language, atom, self.binders.last().map(|b| b.1)) {
                Some(Ok(Leaf { value: LeafValue::Bound(index), .. })) => index as usize,
                _ => return Ok(None),
            },
        };
        let Some(&(_, sort)) = self.binders.iter().rev().nth(index) else { return Ok(None) };
        if let Some(expected) = expected.filter(|&expected| expected != sort) {
            return Err(format!(
                "'{atom}' is bound with sort {} here, but sort {} is expected",
                language.sort_name(sort),
                language.sort_name(expected)
            ));
        }
        Ok(Some(Leaf { sort, value: LeafValue::Bound(index as u32) }))
    }
}

/// The arguments of an operator that binds variables, as terms are written: each with the name that is
/// bound in it, if there is one.
pub(crate) fn arguments<'a>(
    language: &Language,
    op: OpId,
    items: &'a [Sexpr],
    place: Place,
) -> Result<Vec<(Option<&'a str>, &'a Sexpr)>, ParseError> {
    let operator = language.op(op);
    let binds = |i: usize| operator.bound(i).is_some();
    let written = (0..operator.args.len()).map(|i| 1 + usize::from(binds(i))).sum::<usize>();
    if items.len() != written {
        let mut form = format!("({}", operator.name);
        for i in 0..operator.args.len() {
            form += if binds(i) { " x …" } else { " …" };
        }
        let found = items.len();
        let message = format!(
            "operator '{}' is written {form}), with the name of a bound variable before each \
             argument that it is bound in: expected {written} arguments, found {found}",
            operator.name
        );
        return Err(ParseError::new(place, message));
    }
    let mut items = items.iter();
    let mut arguments = Vec::with_capacity(operator.args.len());
    for i in 0..operator.args.len() {
        let name = match binds(i) {
            true => items.next().map(|name| binder_name(language, name)).transpose()?,
            false => None,
        };
        arguments.extend(items.next().map(|item| (name, item)));
    }
    Ok(arguments)
}

fn binder_name<'a>(language: &Language, name: &'a Sexpr) -> Result<&'a str, ParseError> {
    let at = |message: String| ParseError::new(name.place(), message);
    match name.atom() {
        None => Err(at("expected the name of a bound variable, found '('".into())),
        Some(atom) if language.operator(atom).is_some() => {
            Err(at(format!("'{atom}' is an operator and can't name a bound variable")))
        }
        Some(atom) if atom.starts_with(['?', '%']) || looks_numeric(atom) => {
            Err(at(format!("'{atom}' can't name a bound variable: it reads as something else")))
        }
        Some(atom) => Ok(atom),
    }
}

/// Names for bound variables, by the number of binders around: all different, and none is that of a
/// free variable or an operator.
struct Names<'a> {
    language: &'a Language,
    free: FxHashSet<&'a str>,
    made: Vec<String>,
    tried: usize,
}

impl<'a> Names<'a> {
    fn of(bank: &'a TermBank, term: TermId) -> Names<'a> {
        let name = |leaf: &'a Leaf| match &leaf.value {
            LeafValue::Variable(name) => Some(name.as_str()),
            LeafValue::Literal(_) | LeafValue::Bound(_) => None,
        };
        let free = bank.variables(term).into_iter().filter_map(name).collect();
        Names { language: bank.language(), free, made: Vec::new(), tried: 0 }
    }

    fn get(&mut self, level: usize) -> &str {
        while self.made.len() <= level {
            let letter = ["x", "y", "z", "u", "v", "w"][self.tried % 6];
            let name = match self.tried / 6 {
                0 => letter.to_owned(),
                more => format!("{letter}{more}"),
            };
            self.tried += 1;
            if !self.free.contains(name.as_str()) && self.language.operator(&name).is_none() {
                self.made.push(name);
            }
        }
        &self.made[level]
    }
}

/// Writes a term of a language that binds variables.
pub(crate) fn write_named(shown: &DisplayTerm<'_>, out: &mut impl fmt::Write) -> fmt::Result {
    enum Todo {
        /// A term under so many binders.
        Term(TermId, usize),
        Name(usize),
        Text(char),
    }
    let bank = shown.bank;
    let mut names = Names::of(bank, shown.term);
    let mut todo = vec![Todo::Term(shown.term, 0)];
    let mut left = shown.limit;
    while let Some(next) = todo.pop() {
        let (t, depth) = match next {
            Todo::Text(text) => {
                out.write_char(text)?;
                continue;
            }
            Todo::Name(level) => {
                out.write_str(names.get(level))?;
                continue;
            }
            Todo::Term(t, depth) => (t, depth),
        };
        if left == 0 {
            out.write_char('…')?;
            continue;
        }
        left -= 1;
        let op = match bank.node(t) {
            Node::Leaf(Leaf { value: LeafValue::Bound(index), .. })
                if (*index as usize) < depth =>
            {
                out.write_str(names.get(depth - 1 - *index as usize))?;
                continue;
            }
            Node::Leaf(leaf) => {
                write!(out, "{leaf}")?;
                continue;
            }
            Node::Op(op) => bank.language().op(op),
        };
        let children = bank.children(t);
        if children.is_empty() {
            out.write_str(&op.name)?;
            continue;
        }
        write!(out, "({}", op.name)?;
        todo.push(Todo::Text(')'));
        for (i, &child) in children.iter().enumerate().rev() {
            let inner = depth + usize::from(op.bound(i).is_some());
            todo.extend([Todo::Term(child, inner), Todo::Text(' ')]);
            if inner > depth {
                todo.extend([Todo::Name(depth), Todo::Text(' ')]);
            }
        }
    }
    Ok(())
}
