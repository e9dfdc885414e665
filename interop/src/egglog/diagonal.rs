//! What rules say of a relation of two terms where both are one term.
//!
//! A rules file knows facts of single terms, so of `(leq a b)` only `(leq a a)` can be taken over, as `(leq a)`: of each rule
//! the instances in which such relations are asked, and said, of a term and itself. They are found by unification, as
//! `(leq e (Num n))` is `(leq (Num n))`. They prove less than the rule, and nothing false.

use crate::egglog::literals::literal;
use crate::egglog::names::Names;
use crate::egglog::refusal::{Refusal, Result};
use egraph::{MAX_DEPTH, Place, Sexpr};
use rustc_hash::FxHashMap;

/// Atoms of all that variables stand for.
const MOST_ATOMS: usize = 4_096;

/// The facts and actions of such instances of a rule; none if the rule speaks of no relation of two terms.
pub(super) fn on_diagonal(
    names: &Names,
    facts: &[Sexpr],
    actions: &[Sexpr],
) -> Result<Option<[Vec<Sexpr>; 2]>> {
    let all = || facts.iter().chain(actions);
    let Some(first) = all().find(|atom| pair(names, atom).is_some()) else { return Ok(None) };
    let mut unifier = Unifier { names, bound: FxHashMap::default() };
    let nothing = || {
        let relation = first.list().and_then(|items| items[0].atom()).unwrap_or("");
        Refusal::Follows(first.place(), relation.to_owned())
    };
    for [a, b] in all().filter_map(|atom| pair(names, atom)) {
        unifier.unify(a, b, 0).ok_or_else(nothing)?;
    }
    // What has one name is one term, until nothing more is one.
    loop {
        let before = unifier.bound.len();
        let mut named: Vec<(Sexpr, &Sexpr)> = Vec::new();
        for [a, b] in facts.iter().filter_map(|fact| equality(fact)) {
            let (name, pattern) = if a.atom().is_some() { (a, b) } else { (b, a) };
            let name = unifier.apply(name);
            match named.iter().find(|(known, _)| same(known, &name)) {
                Some((_, known))
                    if is_application(names, known) && is_application(names, pattern) =>
                {
                    unifier.unify(known, pattern, 0).ok_or_else(nothing)?;
                }
                _ => named.push((name, pattern)),
            }
        }
        if unifier.bound.len() == before {
            break;
        }
    }
    let of_one = |atom: &Sexpr| match (pair(names, atom), atom) {
        (Some([of, _]), Sexpr::List(items, at)) => {
            Sexpr::List(vec![items[0].clone(), unifier.apply(of)], *at)
        }
        _ => unifier.apply(atom),
    };
    let mut found: [Vec<Sexpr>; 2] = [Vec::new(), Vec::new()];
    for fact in facts.iter().map(&of_one) {
        let says_nothing = equality(&fact).is_some_and(|[a, b]| same(a, b));
        if !says_nothing && !found[0].iter().any(|known| same(known, &fact)) {
            found[0].push(fact);
        }
    }
    // What a rule asks it need not say.
    let said = actions.iter().map(of_one);
    found[1] = said.filter(|action| !found[0].iter().any(|fact| same(fact, action))).collect();
    Ok(Some(found))
}

/// The two terms of which an atom of a rule speaks, if its relation is one of two.
fn pair<'s>(names: &Names, atom: &'s Sexpr) -> Option<[&'s Sexpr; 2]> {
    match atom.list()? {
        [head, a, b] if names.pairs.contains(head.atom()?) => Some([a, b]),
        _ => None,
    }
}

fn equality(fact: &Sexpr) -> Option<[&Sexpr; 2]> {
    match fact.list()? {
        [head, a, b] if head.atom() == Some("=") => Some([a, b]),
        _ => None,
    }
}

fn is_application(names: &Names, sexpr: &Sexpr) -> bool {
    let head = sexpr.list().and_then(|items| items.first()).and_then(Sexpr::atom);
    head.is_some_and(|head| names.constructors.contains_key(head))
}

/// Whether two parts are the same text.
fn same(a: &Sexpr, b: &Sexpr) -> bool {
    match (a, b) {
        (Sexpr::Atom(a, _), Sexpr::Atom(b, _)) => a == b,
        (Sexpr::List(a, _), Sexpr::List(b, _)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => false,
    }
}

struct Unifier<'a> {
    names: &'a Names,
    bound: FxHashMap<String, Sexpr>,
}

impl Unifier<'_> {
    /// None if no instances of the two are equal, or they are too deep.
    fn unify(&mut self, a: &Sexpr, b: &Sexpr, depth: usize) -> Option<()> {
        let (a, b) = (self.apply(a), self.apply(b));
        if same(&a, &b) {
            return Some(());
        }
        match (self.variable(&a), self.variable(&b)) {
            (Some(name), _) => self.bind(name, &b),
            (None, Some(name)) => self.bind(name, &a),
            (None, None) => {
                let (Some([head, a @ ..]), Some([other, b @ ..])) = (a.list(), b.list()) else {
                    return None;
                };
                if !same(head, other) || a.len() != b.len() || depth > MAX_DEPTH {
                    return None;
                }
                a.iter().zip(b).try_for_each(|(a, b)| self.unify(a, b, depth + 1))
            }
        }
    }

    /// A variable that occurs in what it would stand for stands for nothing.
    fn bind(&mut self, name: String, to: &Sexpr) -> Option<()> {
        let mut occurs = false;
        each_atom(to, &mut |atom| occurs |= atom == name);
        if occurs {
            return None;
        }
        let bound = FxHashMap::from_iter([(name.clone(), to.clone())]);
        let only = Unifier { names: self.names, bound };
        let mut atoms = 0;
        for bound in self.bound.values_mut() {
            *bound = only.apply(bound);
            each_atom(bound, &mut |_| atoms += 1);
        }
        self.bound.insert(name, to.clone());
        (atoms <= MOST_ATOMS).then_some(())
    }

    fn variable(&self, sexpr: &Sexpr) -> Option<String> {
        let is_literal =
            |text: &str| !matches!(literal(text, Place { line: 1, column: 1 }), Ok(None));
        let text = sexpr.atom()?;
        let is_variable = !self.names.is_term(text) && !text.starts_with('"') && !is_literal(text);
        is_variable.then(|| text.to_owned())
    }

    fn apply(&self, sexpr: &Sexpr) -> Sexpr {
        match sexpr {
            Sexpr::Atom(text, _) => self.bound.get(text).unwrap_or(sexpr).clone(),
            Sexpr::List(items, at) => {
                // The head is no variable.
                let rest = items.iter().skip(1).map(|item| self.apply(item));
                Sexpr::List(items.iter().take(1).cloned().chain(rest).collect(), *at)
            }
        }
    }
}

fn each_atom(sexpr: &Sexpr, f: &mut impl FnMut(&str)) {
    match sexpr {
        Sexpr::Atom(text, _) => f(text),
        Sexpr::List(items, _) => items.iter().for_each(|item| each_atom(item, f)),
    }
}
