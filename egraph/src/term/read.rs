//! Terms from text.

use crate::term::bank::{TermBank, TermId};
use crate::term::bound::{Arguments, Scope, arguments};
use crate::term::language::{Language, OpId, SortId, check_arity, check_sort};
use crate::text::sexpr::{ParseError, Place, Sexpr, parse_term};
use smallvec::SmallVec;

impl TermBank {
    /// Reads a term. `sort` is the sort it must have; without one it is inferred.
    ///
    /// # Errors
    /// Malformed text, an unknown operator, a wrong number of arguments or a wrong sort, with
    /// the place.
    pub fn parse(&mut self, text: &str, sort: Option<SortId>) -> Result<TermId, ParseError> {
        let sexpr = parse_term(text)?;
        self.read(&sexpr, sort)
    }

    /// As [`TermBank::parse`], from an s-expression.
    ///
    /// # Errors
    /// As [`TermBank::parse`].
    pub fn read(&mut self, sexpr: &Sexpr, sort: Option<SortId>) -> Result<TermId, ParseError> {
        let language = self.language().clone();
        let mut scope = Scope::default();
        // An explicit stack: terms may be deep.
        let mut open: Vec<Open<'_>> = Vec::new();
        let (mut next, mut expected) = (sexpr, sort);
        loop {
            let mut term = match next {
                Sexpr::Atom(atom, place) => self
                    .read_atom(atom, expected, &scope)
                    .map_err(|message| ParseError::new(*place, message))?,
                Sexpr::List(items, place) => {
                    let new = Open::read(&language, items, *place, expected)?;
                    if let Some(first) = new.next(&language, &mut scope) {
                        open.push(new);
                        (next, expected) = first;
                        continue;
                    }
                    self.apply(new.op, &[])
                }
            };
            loop {
                let Some(parent) = open.last_mut() else { return Ok(term) };
                parent.take(term, &mut scope);
                if let Some(more) = parent.next(&language, &mut scope) {
                    (next, expected) = more;
                    break;
                }
                term = self.apply(parent.op, &parent.children);
                open.pop();
            }
        }
    }

    /// Reads an operator without arguments, a literal or a variable.
    fn read_atom(
        &mut self,
        atom: &str,
        sort: Option<SortId>,
        scope: &Scope<'_>,
    ) -> Result<TermId, String> {
        let language = self.language().clone();
        if let Some(op) = language.operator(atom) {
            check_arity(&language, op, 0)?;
            check_sort(&language, op, sort)?;
            return Ok(self.apply(op, &[]));
        }
        if atom.starts_with('?') {
            return Err(format!(
                "pattern variable '{atom}' in a term: terms have no pattern variables"
            ));
        }
        let leaf = match scope.leaf(&language, atom, sort)? {
            Some(bound) => bound,
            None => language.leaf(atom, sort)?,
        };
        Ok(self.leaf(&leaf))
    }
}

/// An application of which not all arguments are read.
struct Open<'s> {
    op: OpId,
    args: Arguments<'s>,
    /// Those that are read.
    children: SmallVec<[TermId; 4]>,
}

impl<'s> Open<'s> {
    fn read(
        language: &Language,
        items: &'s [Sexpr],
        place: Place,
        sort: Option<SortId>,
    ) -> Result<Open<'s>, ParseError> {
        let (op, args) = read_application(language, items, place)?;
        let args = arguments(language, op, args, place)?;
        check_sort(language, op, sort).map_err(|message| ParseError::new(place, message))?;
        Ok(Open { op, args, children: SmallVec::new() })
    }

    /// The argument to be read next and its sort, if not all are; in the scope of what is bound in it.
    fn next(
        &self,
        language: &Language,
        scope: &mut Scope<'s>,
    ) -> Option<(&'s Sexpr, Option<SortId>)> {
        let (i, operator) = (self.children.len(), language.op(self.op));
        let &(name, arg) = self.args.get(i)?;
        if let Some((name, sort)) = name.zip(operator.bound(i)) {
            scope.enter(name, sort);
        }
        Some((arg, Some(operator.args[i])))
    }

    /// What the argument that was to be read was read as.
    fn take(&mut self, term: TermId, scope: &mut Scope<'s>) {
        if self.args[self.children.len()].0.is_some() {
            scope.leave();
        }
        self.children.push(term);
    }
}

/// The operator and the arguments of a parenthesised application.
pub(crate) fn read_application<'a>(
    language: &Language,
    items: &'a [Sexpr],
    place: Place,
) -> Result<(OpId, &'a [Sexpr]), ParseError> {
    let (head, args) = items
        .split_first()
        .ok_or_else(|| ParseError::new(place, "expected an operator after '(', found ')'"))?;
    let name = head.atom().ok_or_else(|| {
        ParseError::new(head.place(), "expected an operator, found a parenthesised expression")
    })?;
    let op = language.operator(name).ok_or_else(|| {
        ParseError::new(
            head.place(),
            format!("unknown operator '{name}'{}", language.did_you_mean(name)),
        )
    })?;
    Ok((op, args))
}
