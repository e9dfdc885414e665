//! Declarations of rules.

use super::Reader;
use crate::rules::binding::check_binding;
use crate::rules::options::{expect_atom, find_atom, pairs, text, unexpected};
use crate::rules::pattern::Pattern;
use crate::rules::read::expressions::read_condition;
use crate::rules::read::patterns::{Side, read_pattern};
use crate::rules::rule::{Rule, RulesetId};
use crate::rules::variables::Variables;
use crate::text::sexpr::{ParseError, Place, Sexpr};

/// A rule of one direction, as it is declared.
#[derive(Clone, Copy)]
struct OneWay<'a> {
    left: &'a Sexpr,
    right: &'a Sexpr,
    when: &'a [Sexpr],
    ruleset: Option<RulesetId>,
    place: Place,
}

impl Reader {
    pub(super) fn rewrite(
        &mut self,
        args: &[Sexpr],
        place: Place,
        both: bool,
    ) -> Result<(), ParseError> {
        let [left, right, options @ ..] = args else {
            return Err(ParseError::new(
                place,
                "expected (rewrite left right :name … :when (…) :ruleset …)",
            ));
        };
        let mut name = None;
        let mut ruleset = None;
        let mut when: &[Sexpr] = &[];
        for (key, at, value) in pairs(options)? {
            match key {
                ":name" => name = Some(expect_atom(value, "a name")?),
                ":ruleset" => {
                    let wanted = expect_atom(value, "the name of a ruleset")?;
                    ruleset = Some(self.known_ruleset(wanted, value.place())?);
                }
                ":when" => {
                    when = value.list().ok_or_else(|| {
                        ParseError::new(
                            value.place(),
                            "expected a list of conditions in parentheses",
                        )
                    })?;
                }
                _ => {
                    let known = [":name", ":when", ":ruleset"];
                    return Err(unexpected(":name, :when or :ruleset", &known, key, at));
                }
            }
        }
        let base = match name {
            Some(name) => name.to_owned(),
            None => self.unsaid_name(place),
        };
        let there = OneWay { left, right, when, ruleset, place };
        self.rule(base.clone(), there, &[])?;
        if both {
            self.rule(format!("{base}-rev"), OneWay { left: right, right: left, ..there }, &[])?;
        }
        Ok(())
    }

    /// What a rule is called that has no name: after its line, and after its place in it if it is not the first one there.
    pub(super) fn unsaid_name(&self, place: Place) -> String {
        let name = format!("rule-{}", place.line);
        let before = self.system.rules.iter().zip(&self.places.rules).rev();
        let is_taken = before
            .take_while(|(_, there)| there.line == place.line)
            .any(|(rule, _)| rule.name.starts_with(&name));
        if is_taken { format!("{name}-{}", place.column) } else { name }
    }

    /// The rule, with what stands for some variables of its right-hand side; where that has others that the
    /// left-hand side does not bind, one for each term of their pool.
    fn rule(
        &mut self,
        name: String,
        declared: OneWay<'_>,
        introduced: &[(String, Pattern)],
    ) -> Result<(), ParseError> {
        let OneWay { left, right, when, ruleset, place } = declared;
        let language = &self.system.language;
        let mut variables = Variables::default();
        // A bare variable takes its sort from the other side.
        let sort = match left.atom() {
            Some(atom) if atom.starts_with('?') => {
                let mut of_right = Variables::default();
                let rhs = read_pattern(language, &mut of_right, right, None, Side::Right(&[]))?;
                Some(rhs.sort(language, &of_right))
            }
            _ => None,
        };
        let lhs = read_pattern(language, &mut variables, left, sort, Side::Left)?;
        let bound = variables.names.len();
        let sort = lhs.sort(language, &variables);
        let side = Side::Right(introduced);
        let rhs = read_pattern(language, &mut variables, right, Some(sort), side)?;
        let entered = (bound..variables.names.len()).find(|&v| variables.names[v].starts_with('?'));
        if let Some(unbound) = entered {
            let (variable, sort) = (&variables.names[unbound], variables.sorts[unbound]);
            let Some(pool) = self.pools.get(&sort).cloned() else {
                let place = find_atom(right, variable).unwrap_or(right.place());
                return Err(ParseError::new(
                    place,
                    format!(
                        "{variable} is not bound: it does not occur on the left-hand side {}",
                        text(left)
                    ),
                ));
            };
            // They are told apart by the places of the terms.
            for (number, term) in (1..).zip(pool) {
                let with = [introduced, &[(variable.clone(), term)]].concat();
                self.rule(format!("{name}@{number}"), declared, &with)?;
            }
            return Ok(());
        }
        check_binding(language, &variables, (left, &lhs), (right, &rhs))?;
        if rhs.has_functions() && !variables.facts.is_empty() {
            let message = "what is computed beside a function on terms can't read facts";
            return Err(ParseError::new(right.place(), message));
        }
        let conditions = when
            .iter()
            .map(|c| read_condition(language, &mut variables, c))
            .collect::<Result<_, _>>()?;
        if ruleset.is_some() && ruleset == self.system.normal_form {
            let refuse =
                |what| Err(ParseError::new(place, format!("a rule of the normal form {what}")));
            if !variables.facts.is_empty() {
                return refuse("can't read facts");
            }
            if language.has_binders() {
                return refuse("can't be applied under binders: this language has some");
            }
            if !matches!(lhs, Pattern::Op(..)) {
                return refuse("must have an operator at the root of its left-hand side");
            }
        }
        let rule = Rule { name, lhs, rhs, conditions, variables, ruleset };
        self.add(rule, place)
    }
}
