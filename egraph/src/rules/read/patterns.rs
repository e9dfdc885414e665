//! Patterns, and functions on terms in them.

use crate::rules::kinds::Kinds;
use crate::rules::pattern::{Pattern, TermFunction};
use crate::rules::read::expressions::read_expr;
use crate::rules::variables::Variables;
use crate::term::language::{Language, Leaf, LeafValue, SortId, check_arity, check_sort};
use crate::term::read::read_application;
use crate::text::sexpr::{ParseError, Place, Sexpr};

/// Which side of a rule is being read: only a right-hand side may compute, and have variables that stand for terms
/// of a pool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side<'a> {
    Left,
    /// With what stands for some variables.
    Right(&'a [(String, Pattern)]),
}

/// Reads a pattern of sort `expected` and enters its variables.
pub(crate) fn read_pattern(
    language: &Language,
    variables: &mut Variables,
    sexpr: &Sexpr,
    expected: Option<SortId>,
    side: Side<'_>,
) -> Result<Pattern, ParseError> {
    match sexpr {
        Sexpr::Atom(atom, place) => {
            let at = |message: String| ParseError::new(*place, message);
            if atom.starts_with('?') {
                if let Side::Right(introduced) = side
                    && let Some((_, term)) = introduced.iter().find(|(name, _)| name == atom)
                {
                    return Ok(term.clone());
                }
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
                    return Err(at(on_the_right_only("compute")));
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

fn on_the_right_only(name: &str) -> String {
    format!("({name} …) may stand on a right-hand side only, so not in a birewrite")
}

/// Reads the application of a function on terms, if the items are one.
fn read_function(
    language: &Language,
    variables: &mut Variables,
    items: &[Sexpr],
    place: Place,
    expected: Option<SortId>,
    side: Side<'_>,
) -> Option<Result<Pattern, ParseError>> {
    let name = items.first()?.atom()?;
    if !language.has_binders() || language.operator(name).is_some() {
        return None;
    }
    let function = TermFunction::ALL.into_iter().find(|function| function.name() == name)?;
    let refuse = |message: String| Some(Err(ParseError::new(place, message)));
    if side == Side::Left {
        return refuse(on_the_right_only(name));
    }
    let arity = if function == TermFunction::Subst { 2 } else { 1 };
    if items.len() != 1 + arity {
        return refuse(format!("expected {}", function.form()));
    }
    let mut read = |item, sort| read_pattern(language, variables, item, sort, side);
    let mut args = vec![match read(&items[1], expected) {
        Ok(body) => body,
        Err(mistake) => return Some(Err(mistake)),
    }];
    if let Some(argument) = items.get(2) {
        let only = match language.bound_sorts() {
            &[only] => Some(only),
            _ => None,
        };
        match read(argument, only) {
            Ok(argument) => args.push(argument),
            Err(mistake) => return Some(Err(mistake)),
        }
    }
    Some(Ok(Pattern::Function(function, args)))
}
