//! The variables of one rule, and egglog's patterns and expressions as text of a rules file.

use crate::egglog::literals::{large_number, literal, operator, towards_zero};
use crate::egglog::names::{Names, kind_of_sort};
use crate::egglog::refusal::{Refusal, Result, mistaken, refused};
use egraph::{LiteralKind, MAX_DEPTH, Place, Sexpr, did_you_mean};
use rustc_hash::FxHashMap;

/// Which side of a rule a pattern is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    /// Here expressions are computed.
    Right,
}

/// An expression over literals, and the kind of its values where that is clear.
pub(super) type Valued = (String, Option<LiteralKind>);

/// Bytes of one pattern.
const MOST_WRITTEN: usize = 1 << 16;

/// The variables of one rule.
#[derive(Default)]
pub(super) struct Scope {
    /// The sorts of variables that are arguments of constructors.
    sorts: FxHashMap<String, String>,
    /// Variables that a fact says are of the class of a pattern.
    pub patterns: FxHashMap<String, Sexpr>,
    /// Variables that a fact says are the value of an expression.
    pub values: FxHashMap<String, Valued>,
    /// Right-hand sides that an action has named.
    pub named: FxHashMap<String, String>,
    /// What integers are divided by, where it may be 0.
    pub divisors: Vec<String>,
    /// What stands here for which variable.
    written: FxHashMap<String, String>,
    unnamed: usize,
}

impl Scope {
    /// Enters the sorts of the variables of a pattern.
    pub fn note_sorts(&mut self, names: &Names, sexpr: &Sexpr) {
        let Some([head, args @ ..]) = sexpr.list() else { return };
        let sorts = head.atom().and_then(|head| names.constructors.get(head));
        for (i, arg) in args.iter().enumerate() {
            if let (Some(name), Some(sort)) = (arg.atom(), sorts.and_then(|sorts| sorts.get(i))) {
                self.sorts.insert(name.to_owned(), sort.clone());
            }
            self.note_sorts(names, arg);
        }
    }

    /// Whether a variable is an argument of a constructor on the left-hand side.
    pub fn is_matched(&self, variable: &str) -> bool {
        self.sorts.contains_key(variable)
    }

    /// The atom with which a fact says that this one is equal.
    pub fn same_as<'s>(&'s self, sexpr: &'s Sexpr) -> &'s Sexpr {
        let mut sexpr = sexpr;
        while let Some(same @ Sexpr::Atom(..)) =
            sexpr.atom().and_then(|name| self.patterns.get(name))
        {
            sexpr = same;
        }
        sexpr
    }

    /// Whether an atom is a variable that stands for terms, or a string.
    pub fn is_of_terms(&self, sexpr: &Sexpr) -> bool {
        let text = sexpr.atom().unwrap_or("");
        let sort = self.sorts.get(text);
        text.starts_with('"') || sort.is_some_and(|sort| kind_of_sort(sort).is_none())
    }

    fn is_string(&self, sexpr: &Sexpr) -> bool {
        let text = sexpr.atom().unwrap_or("");
        text.starts_with('"') || self.sorts.get(text).is_some_and(|sort| sort == "String")
    }

    /// A pattern. What stands for a variable by a fact is written in its place.
    pub fn pattern(&mut self, names: &mut Names, sexpr: &Sexpr, side: Side) -> Result<String> {
        self.part(names, sexpr, side, 0)
    }

    fn part(
        &mut self,
        names: &mut Names,
        sexpr: &Sexpr,
        side: Side,
        depth: usize,
    ) -> Result<String> {
        let at = sexpr.place();
        if depth > MAX_DEPTH {
            return Err(refused(at, "a pattern that is a part of itself, or too deep"));
        }
        let Some(items) = sexpr.list() else {
            let text = sexpr.atom().unwrap_or("");
            return match (self.patterns.get(text).cloned(), self.values.get(text), side) {
                (Some(pattern), ..) => self.part(names, &pattern, side, depth + 1),
                (None, Some((value, _)), Side::Right) => Ok(format!("(compute {value})")),
                (None, Some(_), Side::Left) => Err(refused(at, "a value in a pattern")),
                (None, None, Side::Right) if self.named.contains_key(text) => {
                    Ok(self.named[text].clone())
                }
                (None, None, _) => self.leaf(names, text, at),
            };
        };
        let (head, args) = application(items, at)?;
        if let Some(arity) = names.constructors.get(head).map(Vec::len) {
            check_arity(head, arity, args.len(), at)?;
            if args.is_empty() {
                return Ok(head.to_owned());
            }
            let mut text = format!("({head}");
            for arg in args {
                text = text + " " + &self.part(names, arg, side, depth + 1)?;
                if text.len() > MOST_WRITTEN {
                    return Err(mistaken(at, "a pattern is too large when it is written out"));
                }
            }
            return Ok(text + ")");
        }
        if let Some((number, _)) = large_number(head, args) {
            return Ok(number);
        }
        match side {
            Side::Right => Ok(format!("(compute {})", self.value(names, sexpr)?.0)),
            Side::Left => {
                names.not_refused(head, at)?;
                Err(unknown(names, head, at, "on a left-hand side"))
            }
        }
    }

    /// A literal, a string, a name of the program, or a variable.
    fn leaf(&mut self, names: &mut Names, text: &str, at: Place) -> Result<String> {
        if let Some((literal, _)) = literal(text, at)? {
            return Ok(literal);
        }
        let written = match names.term(text, at)? {
            Some(term) => term,
            None if text.starts_with('"') => text.to_owned(),
            None => return self.variable(names, text, at),
        };
        names.note_strings(&written);
        Ok(written)
    }

    fn variable(&mut self, names: &Names, text: &str, at: Place) -> Result<String> {
        names.not_refused(text, at)?;
        if text == "_" {
            self.unnamed += 1;
            return self.written_as(format!("?_{}", self.unnamed), "_", at);
        }
        self.written_as(format!("?{}", text.trim_start_matches('?')), text, at)
    }

    /// Two variables must not become one.
    fn written_as(&mut self, written: String, variable: &str, at: Place) -> Result<String> {
        let before = self.written.entry(written.clone()).or_insert_with(|| variable.to_owned());
        match before == variable {
            true => Ok(written),
            false => {
                Err(mistaken(at, format!("'{before}' and '{variable}' would both be {written}")))
            }
        }
    }

    /// An expression over literals and facts.
    pub fn value(&mut self, names: &mut Names, sexpr: &Sexpr) -> Result<Valued> {
        let at = sexpr.place();
        let Some(items) = sexpr.list() else {
            let text = sexpr.atom().unwrap_or("");
            if let Some(value) = self.values.get(text) {
                return Ok(value.clone());
            }
            if self.patterns.contains_key(text) || text.starts_with('"') {
                return Err(not_a_number(at));
            }
            if let Some((literal, kind)) = literal(text, at)? {
                return Ok((literal, Some(kind)));
            }
            let kind = self.sorts.get(text).and_then(|sort| kind_of_sort(sort));
            return Ok((self.leaf(names, text, at)?, kind));
        };
        let (head, args) = application(items, at)?;
        if let Some(values) = names.analyses.get(head).cloned() {
            return Ok((self.fact(names, head, args, at)?, kind_of_sort(&values)));
        }
        if names.constructors.contains_key(head) {
            return Err(not_a_number(at));
        }
        if let Some((number, kind)) = large_number(head, args) {
            return Ok((number, Some(kind)));
        }
        names.not_refused(head, at)?;
        if let ("!=", [a, b]) = (head, args)
            && self.is_string(a)
            && self.is_string(b)
        {
            let [a, b] = [self.pattern(names, a, Side::Left)?, self.pattern(names, b, Side::Left)?]
                .map(|string| names.number_of_string(&string));
            return Ok((format!("(!= {a} {b})"), Some(LiteralKind::Bool)));
        }
        let all: Vec<Valued> =
            args.iter().map(|arg| self.value(names, arg)).collect::<Result<_>>()?;
        match (head, &all[..]) {
            ("guard", [(test, _)]) => return Ok((test.clone(), Some(LiteralKind::Bool))),
            ("=>", [(a, _), (b, _)]) => {
                return Ok((format!("(|| (! {a}) {b})"), Some(LiteralKind::Bool)));
            }
            _ => {}
        }
        let of = all.iter().find_map(|(_, kind)| *kind);
        if let ("/" | "%", Some(LiteralKind::I64), [(a, _), (b, _)]) = (head, of, &all[..]) {
            if b.parse() == Ok(0) {
                return Err(mistaken(at, "a division by 0"));
            }
            if b.parse::<i64>().is_err() {
                self.divisors.push(b.clone());
            }
            return Ok((towards_zero(head, a, b), of));
        }
        let Some((operator, kind)) = operator(head, of, at)? else {
            return Err(refused(at, &format!("'{head}' in a computation")));
        };
        match &all[..] {
            [(a, _)] => Ok((format!("({operator} {a})"), kind)),
            [(a, _), (b, _)] => Ok((format!("({operator} {a} {b})"), kind)),
            _ => Err(refused(at, &format!("'{head}' of {} arguments", all.len()))),
        }
    }

    /// What an analysis knows of a variable.
    fn fact(
        &mut self,
        names: &mut Names,
        analysis: &str,
        args: &[Sexpr],
        at: Place,
    ) -> Result<String> {
        let [of] = args else { return Err(mistaken(at, format!("'{analysis}' is of one term"))) };
        let of = self.same_as(of).clone();
        let variable = of.atom().filter(|name| {
            !self.patterns.contains_key(*name) && !names.is_term(name) && !name.starts_with('"')
        });
        match variable {
            Some(name) => Ok(format!("({analysis} {})", self.variable(names, name, of.place())?)),
            None => Err(refused(at, "a fact of what is no variable")),
        }
    }
}

/// A term without variables.
pub(super) fn term(names: &mut Names, sexpr: &Sexpr) -> Result<String> {
    let at = sexpr.place();
    let Some(items) = sexpr.list() else {
        let text = sexpr.atom().unwrap_or("");
        if let Some((literal, _)) = literal(text, at)? {
            return Ok(literal);
        }
        names.not_refused(text, at)?;
        return match names.term(text, at)? {
            Some(term) => Ok(term),
            None if text.starts_with('"') => Ok(text.to_owned()),
            None => Err(names.unknown(text, at, format!("unknown name '{text}'"))),
        };
    };
    let (head, args) = application(items, at)?;
    let Some(arity) = names.constructors.get(head).map(Vec::len) else {
        if let Some((number, _)) = large_number(head, args) {
            return Ok(number);
        }
        names.not_refused(head, at)?;
        return Err(unknown(names, head, at, "in a term"));
    };
    check_arity(head, arity, args.len(), at)?;
    if args.is_empty() {
        return Ok(head.to_owned());
    }
    let mut text = format!("({head}");
    for arg in args {
        text = text + " " + &term(names, arg)?;
    }
    Ok(text + ")")
}

/// The head and the arguments of an application.
fn application(items: &[Sexpr], at: Place) -> Result<(&str, &[Sexpr])> {
    let head = items.first().and_then(Sexpr::atom);
    Ok((head.ok_or_else(|| mistaken(at, "expected a constructor"))?, &items[1..]))
}

fn check_arity(head: &str, arity: usize, args: usize, at: Place) -> Result<()> {
    match arity == args {
        true => Ok(()),
        false => Err(mistaken(at, format!("'{head}' takes {arity} arguments, found {args}"))),
    }
}

fn unknown(names: &Names, head: &str, at: Place, stands: &str) -> Refusal {
    let meant = did_you_mean(head, names.constructors.keys().map(String::as_str));
    let message =
        format!("'{head}' {stands} can't be imported: a rules file has no such thing{meant}");
    names.unknown(head, at, message)
}

fn not_a_number(at: Place) -> Refusal {
    refused(at, "a condition that does not compare numbers")
}
