//! Bound variables: de Bruijn indices inside, names outside.
//!
//! An argument of sort `(bind V S)` is written as a name and a body, `(lam x (f x))`; inside, an
//! occurrence of the name is the number of binders between it and its own, so that terms that differ
//! only in such names are one term. An index that no binder of the term belongs to is *loose*, and
//! written `%0`, `%1`, …; so is any index where the binder's name is `_` or is not known.

use crate::term::language::{Language, Leaf, LeafValue, OpId, SortId, check_arity, looks_numeric};
use crate::text::sexpr::{ParseError, Place, Sexpr};
use smallvec::SmallVec;

/// The name of a binder to whose variable only an index leads.
const NO_NAME: &str = "_";

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
            None => match language.index(atom, self.binders.last().map(|b| b.1)) {
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

/// Each with the name that is bound in it, if there is one.
pub(crate) type Arguments<'a> = SmallVec<[(Option<&'a str>, &'a Sexpr); 4]>;

/// The arguments of an operator, as terms are written.
///
/// # Errors
/// There are more or fewer, or a name is none.
pub(crate) fn arguments<'a>(
    language: &Language,
    op: OpId,
    items: &'a [Sexpr],
    place: Place,
) -> Result<Arguments<'a>, ParseError> {
    let operator = language.op(op);
    if operator.binds.is_empty() {
        check_arity(language, op, items.len())
            .map_err(|message| ParseError::new(place, message))?;
        return Ok(items.iter().map(|item| (None, item)).collect());
    }
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
    let mut arguments = Arguments::with_capacity(operator.args.len());
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
