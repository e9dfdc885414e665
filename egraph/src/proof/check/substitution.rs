//! Functions on terms as the kernel understands them: computed anew from the rule and the terms of a
//! step, with no code of the engine's.
//!
//! What is computed need not be in the bank; then it is no term of the proof, and has a number of its
//! own.

use crate::rules::pattern::Pattern;
use crate::rules::pattern::TermFunction;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Language, Leaf, LeafValue, OpId};
use crate::term::leaves::Node;
use rustc_hash::FxHashMap;

/// The term that `pattern` stands for under a substitution, if it is in the bank.
pub(super) fn value(bank: &TermBank, pattern: &Pattern, substitution: &[TermId]) -> Option<TermId> {
    let mut terms = Computed { bank, own: Vec::new(), numbers: FxHashMap::default() };
    match terms.of_pattern(pattern, substitution)? {
        Term::Known(t) => Some(t),
        Term::Own(_) => None,
    }
}

/// A term, of which there is one for each that differs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Term {
    /// Of the bank.
    Known(TermId),
    /// Not in the bank.
    Own(usize),
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Root {
    Op(OpId),
    Leaf(Leaf),
}

struct Computed<'b> {
    bank: &'b TermBank,
    own: Vec<(Root, Vec<Term>)>,
    numbers: FxHashMap<(Root, Vec<Term>), usize>,
}

/// What is still to be done with a term that is rewritten.
enum Todo {
    /// At a term under so many binders.
    Look(Term, u32),
    /// To a term whose arguments are done.
    Join(Term, u32, OpId, usize),
}

impl Computed<'_> {
    fn of_pattern(&mut self, pattern: &Pattern, substitution: &[TermId]) -> Option<Term> {
        match pattern {
            Pattern::Var(var) => Some(Term::Known(substitution[usize::from(var.0)])),
            Pattern::Leaf(leaf) => Some(self.make(Root::Leaf(leaf.clone()), Vec::new())),
            Pattern::Op(op, args) => {
                let args = args.iter().map(|arg| self.of_pattern(arg, substitution));
                let args = args.collect::<Option<Vec<Term>>>()?;
                Some(self.make(Root::Op(*op), args))
            }
            Pattern::Compute(expr, sort) => {
                let literal = |var: VarId| self.bank.literal(substitution[usize::from(var.0)]);
                let value = LeafValue::Literal(expr.eval(&literal)?);
                Some(self.make(Root::Leaf(Leaf { sort: *sort, value }), Vec::new()))
            }
            Pattern::Function(TermFunction::Subst, args) => {
                let body = self.of_pattern(&args[0], substitution)?;
                let argument = self.of_pattern(&args[1], substitution)?;
                self.substitute(body, argument)
            }
            Pattern::Function(TermFunction::Raise, args) => {
                let t = self.of_pattern(&args[0], substitution)?;
                self.shift(t, 1)
            }
            Pattern::Function(TermFunction::Lower, args) => {
                let t = self.of_pattern(&args[0], substitution)?;
                self.each_leaf(t, &mut |index, depth| match index.cmp(&depth) {
                    std::cmp::Ordering::Less => Some(Becomes::Index(index)),
                    std::cmp::Ordering::Equal => None,
                    std::cmp::Ordering::Greater => Some(Becomes::Index(index - 1)),
                })
            }
        }
    }

    fn substitute(&mut self, body: Term, argument: Term) -> Option<Term> {
        self.each_leaf(body, &mut |index, depth| {
            Some(match index.checked_sub(depth) {
                None => Becomes::Index(index),
                Some(0) => Becomes::Term(argument, depth),
                Some(_) => Becomes::Index(index - 1),
            })
        })
    }

    /// `by` more in the loose indices of `t`.
    fn shift(&mut self, t: Term, by: u32) -> Option<Term> {
        self.each_leaf(t, &mut |index, depth| {
            let shifted = if index < depth { index } else { index.checked_add(by)? };
            Some(Becomes::Index(shifted))
        })
    }

    /// The term with each of its bound variables, of this index and under so many binders of the
    /// term, replaced as `f` says. No value where `f` gives none.
    fn each_leaf(
        &mut self,
        t: Term,
        f: &mut dyn FnMut(u32, u32) -> Option<Becomes>,
    ) -> Option<Term> {
        let mut known: FxHashMap<(Term, u32), Term> = FxHashMap::default();
        let mut results: Vec<Term> = Vec::new();
        let mut todo = vec![Todo::Look(t, 0)];
        while let Some(next) = todo.pop() {
            let (t, depth, new) = match next {
                Todo::Look(t, depth) => {
                    if let Some(&done) = known.get(&(t, depth)) {
                        results.push(done);
                        continue;
                    }
                    match self.root(t) {
                        Root::Op(op) => {
                            let arguments = self.arguments(t);
                            todo.push(Todo::Join(t, depth, op, arguments.len()));
                            let language: &Language = self.bank.language();
                            for (i, argument) in arguments.into_iter().enumerate().rev() {
                                let binds = language.op(op).bound(i).is_some();
                                todo.push(Todo::Look(argument, depth + u32::from(binds)));
                            }
                            continue;
                        }
                        Root::Leaf(leaf) => (t, depth, self.of_leaf(t, leaf, depth, f)?),
                    }
                }
                Todo::Join(t, depth, op, arity) => {
                    let arguments = results.split_off(results.len() - arity);
                    (t, depth, self.make(Root::Op(op), arguments))
                }
            };
            known.insert((t, depth), new);
            results.push(new);
        }
        results.pop()
    }

    fn of_leaf(
        &mut self,
        t: Term,
        leaf: Leaf,
        depth: u32,
        f: &mut dyn FnMut(u32, u32) -> Option<Becomes>,
    ) -> Option<Term> {
        let LeafValue::Bound(index) = leaf.value else { return Some(t) };
        match f(index, depth)? {
            Becomes::Index(index) => {
                let leaf = Leaf { value: LeafValue::Bound(index), ..leaf };
                Some(self.make(Root::Leaf(leaf), Vec::new()))
            }
            Becomes::Term(argument, by) if self.sort(argument) == leaf.sort => {
                self.shift(argument, by)
            }
            Becomes::Term(..) => None,
        }
    }

    fn make(&mut self, root: Root, arguments: Vec<Term>) -> Term {
        let in_bank = |term: &Term| match term {
            Term::Known(t) => Some(*t),
            Term::Own(_) => None,
        };
        let known = arguments.iter().map(in_bank).collect::<Option<Vec<TermId>>>();
        let known = known.and_then(|arguments| match &root {
            Root::Op(op) => self.bank.find((*op).into(), &arguments),
            Root::Leaf(leaf) => self.bank.find_leaf(leaf),
        });
        if let Some(t) = known {
            return Term::Known(t);
        }
        let next = self.own.len();
        let number = *self.numbers.entry((root.clone(), arguments.clone())).or_insert(next);
        if number == next {
            self.own.push((root, arguments));
        }
        Term::Own(number)
    }

    fn root(&self, t: Term) -> Root {
        match t {
            Term::Known(t) => match self.bank.node(t) {
                Node::Op(op) => Root::Op(op),
                Node::Leaf(leaf) => Root::Leaf(leaf.clone()),
            },
            Term::Own(number) => self.own[number].0.clone(),
        }
    }

    fn arguments(&self, t: Term) -> Vec<Term> {
        match t {
            Term::Known(t) => self.bank.children(t).iter().map(|&c| Term::Known(c)).collect(),
            Term::Own(number) => self.own[number].1.clone(),
        }
    }

    fn sort(&self, t: Term) -> crate::term::language::SortId {
        match self.root(t) {
            Root::Op(op) => self.bank.language().op(op).result,
            Root::Leaf(leaf) => leaf.sort,
        }
    }
}

/// What a bound variable becomes.
enum Becomes {
    /// Another of its sort.
    Index(u32),
    /// A term, shifted by this much.
    Term(Term, u32),
}
