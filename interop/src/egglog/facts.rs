//! What the facts of a rule say: which pattern a variable stands for, which value, and what must be true. So one
//! pattern is left for the left-hand side, or the rule is refused.

use crate::egglog::literals::literal;
use crate::egglog::names::Names;
use crate::egglog::refusal::{Result, refused};
use crate::egglog::scope::{Scope, Side, Valued};
use egraph::{LiteralKind, Sexpr};

/// Tests that stand as facts.
const TESTS: [&str; 6] = ["!=", "<", "<=", ">", ">=", "guard"];

/// In how many ways the facts of a rule may hold: it is written once for each.
const MOST_WAYS: usize = 64;

/// What facts say.
#[derive(Default)]
pub(super) struct Facts {
    pub scope: Scope,
    /// Patterns that there must be, each of which must be a part of the left-hand side.
    patterns: Vec<Sexpr>,
    conditions: Vec<String>,
    /// Of each, one must hold: all of its conditions.
    alternatives: Vec<Vec<Vec<String>>>,
    /// Values that facts have named.
    values: Vec<Valued>,
}

impl Facts {
    pub fn read(&mut self, names: &mut Names, facts: &[Sexpr]) -> Result<()> {
        for fact in facts {
            self.scope.note_sorts(names, fact);
        }
        // Values speak of what patterns bind, wherever these stand.
        let mut others = Vec::new();
        for fact in facts {
            match fact.list() {
                Some([equal, a, b]) if equal.atom() == Some("=") => {
                    match (is_pattern(names, a)?, is_pattern(names, b)?) {
                        (true, true) => {
                            return Err(refused(fact.place(), "a rule of several patterns"));
                        }
                        (false, true) => self.names_pattern(names, a, b)?,
                        (true, false) => self.names_pattern(names, b, a)?,
                        (false, false) if self.are_of_terms(names, a, b)? => self.are_same(a, b)?,
                        (false, false) => others.push(fact),
                    }
                }
                _ if is_pattern(names, fact)? => self.patterns.push(fact.clone()),
                _ => others.push(fact),
            }
        }
        others.into_iter().try_for_each(|fact| self.condition(names, fact))
    }

    /// Whether one of two atoms is a variable for terms or a string, and the other, too, or a further name for it.
    fn are_of_terms(&self, names: &Names, a: &Sexpr, b: &Sexpr) -> Result<bool> {
        let is = [a, b].map(|side| self.scope.is_of_terms(self.scope.same_as(side)));
        let may_be = |side: &Sexpr, is: bool| Ok(is || self.unbound(names, side)?.is_some());
        Ok((is[0] || is[1]) && may_be(a, is[0])? && may_be(b, is[1])?)
    }

    /// `(= x y)` of terms: one variable stands for both.
    fn are_same(&mut self, a: &Sexpr, b: &Sexpr) -> Result<()> {
        let [one, other] = [self.scope.same_as(a), self.scope.same_as(b)].map(Sexpr::clone);
        let names = [&one, &other].map(|side| side.atom().unwrap_or("").to_owned());
        if names[0] == names[1] {
            return Ok(());
        }
        let is_free =
            |name: &str| !name.starts_with('"') && !self.scope.patterns.contains_key(name);
        let (name, same) = match names {
            [name, _] if is_free(&name) => (name, other),
            [_, name] if is_free(&name) => (name, one),
            _ => return Err(refused(a.place(), "a rule of several patterns")),
        };
        self.scope.patterns.insert(name, same);
        Ok(())
    }

    /// `(= x (Op …))`: the variable stands for the pattern.
    fn names_pattern(&mut self, names: &Names, name: &Sexpr, pattern: &Sexpr) -> Result<()> {
        let name = &self.scope.same_as(name).clone();
        let at = name.place();
        let head = name.list().and_then(|items| items.first()).unwrap_or(name);
        names.not_refused(head.atom().unwrap_or(""), at)?;
        let variable = match name.atom() {
            Some(text) if !names.is_term(text) && literal(text, at)?.is_none() => text,
            _ => return Err(refused(at, "a condition that does not compare numbers")),
        };
        if self.scope.patterns.insert(variable.to_owned(), pattern.clone()).is_some() {
            return Err(refused(at, "a rule of several patterns"));
        }
        self.patterns.push(pattern.clone());
        Ok(())
    }

    /// A fact about values: a name for one, or a test.
    fn condition(&mut self, names: &mut Names, fact: &Sexpr) -> Result<()> {
        let at = fact.place();
        let items = fact.list().unwrap_or(&[]);
        let head = items.first().and_then(Sexpr::atom).unwrap_or("");
        let test = match (head, &items[items.len().min(1)..]) {
            ("=", [a, b]) => {
                for (name, value) in [(a, b), (b, a)] {
                    if let Some(name) = self.unbound(names, name)? {
                        let value = self.scope.value(names, value)?;
                        // A number needs no premise.
                        if value.0.starts_with('(') {
                            self.values.push(value.clone());
                        }
                        self.scope.values.insert(name, value);
                        return Ok(());
                    }
                }
                let ((a, kind), (b, other)) =
                    (self.scope.value(names, a)?, self.scope.value(names, b)?);
                match (kind.or(other), a.as_str(), b.as_str()) {
                    (Some(LiteralKind::Bool), "1", test) | (Some(LiteralKind::Bool), test, "1") => {
                        test.to_owned()
                    }
                    (Some(LiteralKind::Bool), "0", test) | (Some(LiteralKind::Bool), test, "0") => {
                        format!("(! {test})")
                    }
                    _ => format!("(== {a} {b})"),
                }
            }
            (head, _) if TESTS.contains(&head) => self.scope.value(names, fact)?.0,
            (head, [of]) if names.relations.contains(head) => {
                match (of, names.derived.get(head).cloned()) {
                    (Sexpr::List(..), _) => return self.said_of(names, head, of),
                    (_, None) => self.scope.value(names, fact)?.0,
                    (_, Some(derived)) => {
                        let it = self.scope.pattern(names, of, Side::Left)?;
                        let named = |text: &String| renamed(text, &[(IT, &it)]);
                        let mut ways: Vec<Vec<String>> =
                            derived.iter().map(|all| all.iter().map(named).collect()).collect();
                        if names.asserted.contains(head) {
                            ways.push(vec![self.scope.value(names, fact)?.0]);
                        }
                        self.alternatives.push(ways);
                        if self.alternatives.iter().map(Vec::len).product::<usize>() > MOST_WAYS {
                            return Err(refused(at, "a rule whose facts may hold in so many ways"));
                        }
                        return Ok(());
                    }
                }
            }
            (head, [_]) if names.analyses.contains_key(head) => {
                is_known(&self.scope.value(names, fact)?)
            }
            (head, _) => {
                names.not_refused(head, at)?;
                return Err(refused(at, "a condition that does not compare numbers"));
            }
        };
        // A condition is an application.
        self.conditions.push(if test.starts_with('(') { test } else { format!("(! (! {test}))") });
        Ok(())
    }

    /// `(relation (Op x …))`: what the program said of the operator before.
    fn said_of(&mut self, names: &mut Names, relation: &str, of: &Sexpr) -> Result<()> {
        let unknown = || refused(of.place(), "a fact of what is no variable");
        let [head, args @ ..] = of.list().unwrap_or(&[]) else { return Err(unknown()) };
        let key = (relation.to_owned(), head.atom().unwrap_or("").to_owned());
        let Some([(variables, condition)]) = names.said.get(&key).map(|said| &said[..]) else {
            return Err(unknown());
        };
        let (variables, condition) = (variables.clone(), condition.clone());
        let args = args.iter().map(|arg| self.scope.pattern(names, arg, Side::Left));
        let args = args.collect::<Result<Vec<String>>>()?;
        let pairs: Vec<(&str, &str)> =
            variables.iter().map(String::as_str).zip(args.iter().map(String::as_str)).collect();
        if condition != TRUE {
            self.conditions.push(renamed(&condition, &pairs));
        }
        self.patterns.push(of.clone());
        Ok(())
    }

    /// Whether facts speak of no pattern.
    pub fn are_conditions(&self) -> bool {
        self.patterns.is_empty()
    }

    /// A variable that nothing has bound yet.
    fn unbound(&self, names: &Names, sexpr: &Sexpr) -> Result<Option<String>> {
        let Some(text) = sexpr.atom() else { return Ok(None) };
        let bound = self.scope.is_matched(text)
            || self.scope.values.contains_key(text)
            || self.scope.patterns.contains_key(text)
            || names.is_term(text)
            || text.starts_with('"')
            || literal(text, sexpr.place())?.is_some();
        Ok((!bound).then(|| text.to_owned()))
    }

    /// A left-hand side, of which all patterns of the facts are parts.
    pub fn whole_pattern(&mut self, names: &mut Names, left: &Sexpr) -> Result<String> {
        let lhs = self.scope.pattern(names, left, Side::Left)?;
        for pattern in self.patterns.clone() {
            let part = self.scope.pattern(names, &pattern, Side::Left)?;
            let whole = |at: usize| {
                part.starts_with('(')
                    || lhs[at + part.len()..].starts_with([' ', ')']) && lhs[..at].ends_with(' ')
            };
            if lhs != part && !lhs.match_indices(&part).any(|(at, _)| whole(at)) {
                return Err(refused(pattern.place(), "a rule of several patterns"));
            }
        }
        Ok(lhs)
    }

    /// Whether there is a left-hand side wherever the facts hold. Of a variable some fact must say what it is.
    pub fn ask_for(&mut self, names: &mut Names, lhs: &str) -> bool {
        let patterns = self.patterns.clone();
        if patterns.is_empty() {
            return lhs.starts_with('?') && self.premises("").iter().all(|way| !way.is_empty());
        }
        let mut texts = patterns.iter().map(|one| self.scope.pattern(names, one, Side::Left));
        texts.any(|text| text.is_ok_and(|text| text == lhs))
    }

    /// The conditions, and that there are the values that facts have named, where neither these nor what
    /// follows computes with them; in each way in which the facts may hold.
    pub fn premises(&self, follows: &str) -> Vec<Vec<String>> {
        let mut premises = self.conditions.clone();
        premises.retain(|test| !is_true_of(test, follows));
        premises.extend(self.scope.divisors.iter().map(|divisor| format!("(!= {divisor} 0)")));
        for value in &self.values {
            if !follows.contains(&value.0) && !premises.iter().any(|all| all.contains(&value.0)) {
                premises.push(is_known(value));
            }
        }
        self.alternatives.iter().fold(vec![premises], |all, ways| {
            let with = |before: &Vec<String>| {
                ways.iter().map(|way| [&before[..], way].concat()).collect::<Vec<_>>()
            };
            all.iter().flat_map(with).collect()
        })
    }
}

/// The variable that conditions speak of from which a relation follows.
pub(super) const IT: &str = "?it";
/// What is always so.
pub(super) const TRUE: &str = "1";

/// The atoms of a text, with what stands between them.
fn atoms(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '(' | ')')).flat_map(|part| {
        let end =
            part.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')')).len();
        [&part[..end], &part[end..]]
    })
}

/// The text with other names for variables.
pub(super) fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    let other = |atom: &&str| names.iter().find(|(name, _)| name == atom).map(|(_, new)| *new);
    atoms(text).map(|atom| other(&atom).unwrap_or(atom)).collect()
}

/// The variables in a text.
pub(super) fn variables(text: &str) -> impl Iterator<Item = &str> {
    atoms(text).filter(|atom| atom.starts_with('?'))
}

/// Whether a test compares a value with itself that what follows needs as well.
fn is_true_of(test: &str, follows: &str) -> bool {
    let mut all = atoms(test).filter(|part| !part.trim().is_empty());
    let parts: [Option<&str>; 5] = std::array::from_fn(|_| all.next());
    match (parts, all.next()) {
        ([Some("("), Some("<=" | ">=" | "=="), Some(a), Some(b), Some(")")], None) => {
            a == b && atoms(follows).any(|atom| atom == a)
        }
        _ => false,
    }
}

/// That an expression has a value.
fn is_known((value, kind): &Valued) -> String {
    match kind {
        Some(LiteralKind::Bool) => format!("(|| {value} (! {value}))"),
        _ => format!("(== {value} {value})"),
    }
}

/// Whether an expression is a pattern of terms, and no value.
fn is_pattern(names: &Names, sexpr: &Sexpr) -> Result<bool> {
    match sexpr {
        Sexpr::Atom(text, at) => Ok(names.is_term(text) && literal(text, *at)?.is_none()),
        Sexpr::List(items, _) => {
            let head = items.first().and_then(Sexpr::atom).unwrap_or("");
            Ok(names.constructors.contains_key(head))
        }
    }
}
