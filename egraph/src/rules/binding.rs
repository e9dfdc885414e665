//! The check that no rule can capture a variable.
//!
//! In a rule a bound argument is its body alone, with `%0` for the variable that is bound next. A
//! pattern variable stands for terms under certain binders of its rule, which are those around its
//! places on the left-hand side. Where it stands under others on the right-hand side, indices would
//! mean something else than they did; so that is refused, unless a function says how they are to be
//! adapted. No rule that is accepted takes a variable to another binder by accident.

use crate::rules::pattern::{Pattern, TermFunction};
use crate::rules::variables::Variables;
use crate::term::language::{Language, Leaf, LeafValue, SortId};
use crate::text::sexpr::{ParseError, Place, Sexpr};

/// The sorts of the variables bound around a place, the outermost first; none where any will do.
type Context = Vec<Option<SortId>>;

/// Refuses a rule in which an index has no binder, or a variable stands under other binders in one
/// place than in another.
pub(crate) fn check_binding(
    language: &Language,
    variables: &Variables,
    left: (&Sexpr, &Pattern),
    right: (&Sexpr, &Pattern),
) -> Result<(), ParseError> {
    if !language.has_binders() {
        return Ok(());
    }
    let known = vec![None; variables.names.len()];
    let mut check = Check { language, variables, context: Context::new(), known };
    check.walk(left.0, left.1)?;
    check.walk(right.0, right.1)
}

struct Check<'a> {
    language: &'a Language,
    variables: &'a Variables,
    context: Context,
    /// By variable: the binders around its first place.
    known: Vec<Option<Context>>,
}

impl Check<'_> {
    fn walk(&mut self, sexpr: &Sexpr, pattern: &Pattern) -> Result<(), ParseError> {
        let place = sexpr.place();
        // A pattern's arguments stand in the text as they stand in the pattern.
        let items = sexpr.list().and_then(|items| items.get(1..)).unwrap_or(&[]);
        match pattern {
            Pattern::Var(var) => self.variable(usize::from(var.0), place),
            Pattern::Leaf(Leaf { sort, value: LeafValue::Bound(index) }) => {
                self.index(*sort, *index, place)
            }
            Pattern::Leaf(_) | Pattern::Compute(..) => Ok(()),
            Pattern::Op(op, args) => {
                for (i, (item, arg)) in items.iter().zip(args).enumerate() {
                    let bound = self.language.op(*op).bound(i);
                    self.context.extend(bound.map(Some));
                    self.walk(item, arg)?;
                    if bound.is_some() {
                        self.context.pop();
                    }
                }
                Ok(())
            }
            Pattern::Function(function, args) => self.function(*function, args, items, place),
        }
    }

    fn function(
        &mut self,
        function: TermFunction,
        args: &[Pattern],
        items: &[Sexpr],
        place: Place,
    ) -> Result<(), ParseError> {
        match function {
            TermFunction::Subst => {
                self.walk(&items[1], &args[1])?;
                self.context.push(Some(args[1].sort(self.language, self.variables)));
                self.walk(&items[0], &args[0])?;
                self.context.pop();
            }
            TermFunction::Raise => {
                let Some(innermost) = self.context.pop() else {
                    let message = "(raise …) stands under no binder of the rule here";
                    return Err(ParseError::new(place, message));
                };
                self.walk(&items[0], &args[0])?;
                self.context.push(innermost);
            }
            TermFunction::Lower => {
                self.context.push(None);
                self.walk(&items[0], &args[0])?;
                self.context.pop();
            }
        }
        Ok(())
    }

    fn variable(&mut self, var: usize, place: Place) -> Result<(), ParseError> {
        let Some(known) = &self.known[var] else {
            self.known[var] = Some(self.context.clone());
            return Ok(());
        };
        let same = |(a, b): (&Option<SortId>, &Option<SortId>)| {
            a.zip(*b).is_none_or(|(here, there)| here == there)
        };
        if known.len() == self.context.len() && known.iter().zip(&self.context).all(same) {
            return Ok(());
        }
        let name = &self.variables.names[var];
        let message = if known.len() == self.context.len() {
            format!("{name} stands under binders of other sorts elsewhere in the rule")
        } else {
            format!(
                "{name} stands under {} here, but under {} elsewhere in the rule, so that its bound \
                 variables would get other binders; (subst body argument), (raise {name}) or \
                 (lower {name}) on the right-hand side says what is meant",
                binders(self.context.len()),
                known.len()
            )
        };
        Err(ParseError::new(place, message))
    }

    fn index(&self, sort: SortId, index: u32, place: Place) -> Result<(), ParseError> {
        match self.context.iter().rev().nth(index as usize) {
            None => Err(ParseError::new(
                place,
                format!(
                    "%{index} has no binder in this rule: it stands under {}",
                    binders(self.context.len())
                ),
            )),
            Some(Some(bound)) if *bound != sort => Err(ParseError::new(
                place,
                format!(
                    "%{index} is bound with sort {} here, but sort {} is expected",
                    self.language.sort_name(*bound),
                    self.language.sort_name(sort)
                ),
            )),
            Some(_) => Ok(()),
        }
    }
}

fn binders(count: usize) -> String {
    match count {
        0 => "no binder".to_owned(),
        1 => "1 binder".to_owned(),
        more => format!("{more} binders"),
    }
}
