//! Functions on terms as the kernel understands them: computed anew from the rule and the terms of a
//! step, with no code of the engine's.
//!
//! A step says what a function gives, so that is in the bank with all of its subterms: the first node
//! that is not there refuses the step. Only what a function is given, where that is computed too, need
//! not be in the bank; then it has a number of its own, and there are at most [`MOST_OWN`] of them. What
//! no index of a term speaks of is not walked, and a subterm is walked once for all depths at which the
//! same becomes of it. So a step costs about as much as the terms that it speaks of, however many
//! binders are around them.

use crate::rules::pattern::Pattern;
use crate::rules::pattern::TermFunction;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Leaf, LeafValue, OpId};
use crate::term::leaves::Node;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Nodes that one step may compute and that are no terms of the proof.
const MOST_OWN: usize = 1 << 16;

/// One more than the largest loose index of a term, 0 where it has none: of those terms of the bank that
/// were looked at so far.
pub(super) type Loose = FxHashMap<TermId, u32>;

/// The term that a function of a rule's right-hand side stands for under a substitution, if it is in the
/// bank.
pub(super) fn value(
    bank: &TermBank,
    loose: &mut Loose,
    (function, args): (TermFunction, &[Pattern]),
    substitution: &[TermId],
) -> Option<TermId> {
    let mut terms =
        Computed { bank, loose, own: Vec::new(), numbers: FxHashMap::default(), in_bank: false };
    let args = args.iter().map(|arg| terms.of_pattern(arg, substitution));
    let args = args.collect::<Option<Vec<Term>>>()?;
    terms.in_bank = true;
    match terms.apply(function, &args)? {
        Term::Known(t) => Some(t),
        Term::Own(_) => None,
    }
}

/// A term, of which there is one for each that differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    loose: &'b mut Loose,
    own: Vec<Own>,
    numbers: FxHashMap<(Root, Vec<Term>), usize>,
    /// What is made must be in the bank.
    in_bank: bool,
}

/// A term that is not in the bank.
struct Own {
    root: Root,
    arguments: Vec<Term>,
    /// One more than its largest loose index.
    loose: u32,
}

/// What is still to be done with a term that is rewritten.
enum Todo {
    /// At a term under so many binders.
    Look(Term, u32),
    /// To a term whose arguments are done.
    Join(Term, OpId, usize),
}

/// What becomes of a term under so many binders, from the least to the most for which it is the same.
#[derive(Clone, Copy)]
struct Rewritten {
    to: Term,
    least: u32,
    most: u32,
}

impl Computed<'_> {
    fn of_pattern(&mut self, pattern: &Pattern, substitution: &[TermId]) -> Option<Term> {
        match pattern {
            Pattern::Var(var) => Some(Term::Known(substitution[usize::from(var.0)])),
            Pattern::Leaf(leaf) => self.make(Root::Leaf(leaf.clone()), Vec::new()),
            Pattern::Op(op, args) => {
                let args = args.iter().map(|arg| self.of_pattern(arg, substitution));
                let args = args.collect::<Option<Vec<Term>>>()?;
                self.make(Root::Op(*op), args)
            }
            Pattern::Compute(expr, sort) => {
                let literal = |var: VarId| self.bank.literal(substitution[usize::from(var.0)]);
                let value = LeafValue::Literal(expr.eval(&literal)?);
                self.make(Root::Leaf(Leaf { sort: *sort, value }), Vec::new())
            }
            Pattern::Function(function, args) => {
                let args = args.iter().map(|arg| self.of_pattern(arg, substitution));
                let args = args.collect::<Option<Vec<Term>>>()?;
                self.apply(*function, &args)
            }
        }
    }

    fn apply(&mut self, function: TermFunction, args: &[Term]) -> Option<Term> {
        match (function, args) {
            (TermFunction::Subst, &[body, argument]) => {
                self.each_leaf(body, &mut |index, depth| {
                    Some(match index.checked_sub(depth) {
                        None => Becomes::Index(index),
                        Some(0) => Becomes::Term(argument, depth),
                        Some(_) => Becomes::Index(index - 1),
                    })
                })
            }
            (TermFunction::Raise, &[t]) => self.shift(t, 1),
            (TermFunction::Lower, &[t]) => {
                self.each_leaf(t, &mut |index, depth| match index.cmp(&depth) {
                    Ordering::Less => Some(Becomes::Index(index)),
                    Ordering::Equal => None,
                    Ordering::Greater => Some(Becomes::Index(index - 1)),
                })
            }
            _ => None,
        }
    }

    /// `by` more in the loose indices of `t`.
    fn shift(&mut self, t: Term, by: u32) -> Option<Term> {
        if by == 0 {
            return Some(t);
        }
        self.each_leaf(t, &mut |index, depth| {
            let shifted = if index < depth { index } else { index.checked_add(by)? };
            Some(Becomes::Index(shifted))
        })
    }

    /// The term with each of its bound variables, of this index and under so many binders of the
    /// term, replaced as `f` says. No value where `f` gives none. `f` leaves an index alone that is less than
    /// the depth, and says the same of all depths below an index, and of all above.
    fn each_leaf(
        &mut self,
        t: Term,
        f: &mut dyn FnMut(u32, u32) -> Option<Becomes>,
    ) -> Option<Term> {
        // By term and the least depth: the depths of which the same holds are apart from each other.
        let mut known: BTreeMap<(Term, u32), Rewritten> = BTreeMap::new();
        let mut results: Vec<Rewritten> = Vec::new();
        let mut todo = vec![Todo::Look(t, 0)];
        while let Some(next) = todo.pop() {
            let (t, new) = match next {
                Todo::Look(t, depth) => {
                    let loose = self.loose(t);
                    if loose <= depth {
                        results.push(Rewritten { to: t, least: loose, most: u32::MAX });
                        continue;
                    }
                    let below = known.range((t, 0)..=(t, depth)).next_back();
                    if let Some((_, &done)) = below.filter(|(_, done)| depth <= done.most) {
                        results.push(done);
                        continue;
                    }
                    match self.root(t) {
                        Root::Op(op) => {
                            let arguments = self.arguments(t);
                            todo.push(Todo::Join(t, op, arguments.len()));
                            for (i, argument) in arguments.into_iter().enumerate().rev() {
                                todo.push(Todo::Look(argument, depth + self.binds(op, i)));
                            }
                            continue;
                        }
                        Root::Leaf(leaf) => (t, self.of_leaf(t, leaf, depth, f)?),
                    }
                }
                Todo::Join(t, op, arity) => {
                    let arguments = results.split_off(results.len() - arity);
                    let (mut least, mut most) = (0, u32::MAX);
                    for (i, argument) in arguments.iter().enumerate() {
                        let binds = self.binds(op, i);
                        least = least.max(argument.least.saturating_sub(binds));
                        if argument.most < u32::MAX {
                            most = most.min(argument.most.saturating_sub(binds));
                        }
                    }
                    let arguments = arguments.into_iter().map(|argument| argument.to).collect();
                    (t, Rewritten { to: self.make(Root::Op(op), arguments)?, least, most })
                }
            };
            known.insert((t, new.least), new);
            results.push(new);
        }
        Some(results.pop()?.to)
    }

    fn of_leaf(
        &mut self,
        t: Term,
        leaf: Leaf,
        depth: u32,
        f: &mut dyn FnMut(u32, u32) -> Option<Becomes>,
    ) -> Option<Rewritten> {
        let LeafValue::Bound(index) = leaf.value else {
            return Some(Rewritten { to: t, least: 0, most: u32::MAX });
        };
        // The depths of which the same is said.
        let (least, most) = match index.cmp(&depth) {
            Ordering::Less => (index + 1, u32::MAX),
            Ordering::Equal => (index, index),
            Ordering::Greater => (0, index - 1),
        };
        let to = match f(index, depth)? {
            Becomes::Index(index) => {
                let leaf = Leaf { value: LeafValue::Bound(index), ..leaf };
                self.make(Root::Leaf(leaf), Vec::new())?
            }
            Becomes::Term(argument, by) if self.sort(argument) == leaf.sort => {
                self.shift(argument, by)?
            }
            Becomes::Term(..) => return None,
        };
        Some(Rewritten { to, least, most })
    }

    /// Whether an operator binds a variable in its argument number `i`, as a number of binders.
    fn binds(&self, op: OpId, i: usize) -> u32 {
        u32::from(self.bank.language().op(op).bound(i).is_some())
    }

    /// One more than the largest loose index of a term with this operator, from those of its arguments.
    fn loose_of(&self, op: OpId, arguments: impl IntoIterator<Item = u32>) -> u32 {
        let outside = |(i, loose): (usize, u32)| loose.saturating_sub(self.binds(op, i));
        arguments.into_iter().enumerate().map(outside).max().unwrap_or(0)
    }

    /// One more than the largest loose index of a term.
    fn loose(&mut self, t: Term) -> u32 {
        let t = match t {
            Term::Own(number) => return self.own[number].loose,
            Term::Known(t) => t,
        };
        let mut todo = vec![t];
        while let Some(&t) = todo.last() {
            if self.loose.contains_key(&t) {
                todo.pop();
                continue;
            }
            let children = self.bank.children(t);
            let waiting = todo.len();
            todo.extend(children.iter().filter(|child| !self.loose.contains_key(child)));
            if todo.len() > waiting {
                continue;
            }
            todo.pop();
            let found = match self.bank.node(t) {
                Node::Leaf(leaf) => loose_of_leaf(leaf),
                Node::Op(op) => self.loose_of(op, children.iter().map(|child| self.loose[child])),
            };
            self.loose.insert(t, found);
        }
        self.loose[&t]
    }

    /// The term with this root; none where it must be in the bank and is not, or there are too many.
    fn make(&mut self, root: Root, arguments: Vec<Term>) -> Option<Term> {
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
            return Some(Term::Known(t));
        }
        let next = self.own.len();
        if self.in_bank || next == MOST_OWN {
            return None;
        }
        let number = *self.numbers.entry((root.clone(), arguments.clone())).or_insert(next);
        if number == next {
            let loose = match &root {
                Root::Leaf(leaf) => loose_of_leaf(leaf),
                Root::Op(op) => {
                    let loose: Vec<u32> = arguments.iter().map(|&t| self.loose(t)).collect();
                    self.loose_of(*op, loose)
                }
            };
            self.own.push(Own { root, arguments, loose });
        }
        Some(Term::Own(number))
    }

    fn root(&self, t: Term) -> Root {
        match t {
            Term::Known(t) => match self.bank.node(t) {
                Node::Op(op) => Root::Op(op),
                Node::Leaf(leaf) => Root::Leaf(leaf.clone()),
            },
            Term::Own(number) => self.own[number].root.clone(),
        }
    }

    fn arguments(&self, t: Term) -> Vec<Term> {
        match t {
            Term::Known(t) => self.bank.children(t).iter().map(|&c| Term::Known(c)).collect(),
            Term::Own(number) => self.own[number].arguments.clone(),
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

/// One more than the index of a bound variable, 0 for any other leaf.
fn loose_of_leaf(leaf: &Leaf) -> u32 {
    match leaf.value {
        LeafValue::Bound(index) => index.saturating_add(1),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::system::System;
    use crate::term::language::SortId;
    use proptest::prelude::*;

    const LAMBDA: &str = "(sort E) (variable E) (op lam ((bind E E)) E) (op p (E E) E)";

    fn bank() -> (TermBank, SortId) {
        let language = System::parse(LAMBDA).unwrap().language;
        let sort = language.sort("E").unwrap();
        (TermBank::new(language), sort)
    }

    fn index(bank: &mut TermBank, index: u32) -> TermId {
        let sort = bank.language().sort("E").unwrap();
        bank.leaf(&Leaf { sort, value: LeafValue::Bound(index) })
    }

    fn op(bank: &mut TermBank, name: &str, arguments: &[TermId]) -> TermId {
        let op = bank.language().operator(name).unwrap();
        bank.apply(op, arguments)
    }

    /// `function` as docs/systems.md says it, a subterm at a time, in a bank that grows.
    fn plainly(
        bank: &mut TermBank,
        function: TermFunction,
        t: TermId,
        argument: TermId,
        depth: u32,
    ) -> Option<TermId> {
        let bound = match bank.node(t) {
            Node::Leaf(Leaf { value: LeafValue::Bound(i), .. }) => Some(*i),
            _ => None,
        };
        match bound {
            Some(i) if i < depth => Some(t),
            Some(i) if function == TermFunction::Raise => Some(index(bank, i + 1)),
            Some(i) if i > depth => Some(index(bank, i - 1)),
            Some(_) if function == TermFunction::Lower => None,
            Some(_) => {
                let mut raised = argument;
                for _ in 0..depth {
                    raised = plainly(bank, TermFunction::Raise, raised, argument, 0)?;
                }
                Some(raised)
            }
            None => {
                let Node::Op(op) = bank.node(t) else { return Some(t) };
                let mut children = bank.children(t).to_vec();
                for (i, child) in children.iter_mut().enumerate() {
                    let binds = u32::from(bank.language().op(op).bound(i).is_some());
                    *child = plainly(bank, function, *child, argument, depth + binds)?;
                }
                Some(bank.apply(op, &children))
            }
        }
    }

    /// What the kernel computes of the function, of two terms that stand for its pattern variables.
    fn by_the_kernel(
        bank: &TermBank,
        function: TermFunction,
        terms: [TermId; 2],
    ) -> Option<TermId> {
        let args = [Pattern::Var(VarId(0)), Pattern::Var(VarId(1))];
        let args = if function == TermFunction::Subst { &args[..] } else { &args[..1] };
        value(bank, &mut Loose::default(), (function, args), &terms)
    }

    proptest! {
        /// Each number makes a term of earlier ones, which are so shared at many depths.
        #[test]
        fn is_what_the_definition_says(made in prop::collection::vec((0u8..4, 0usize..64, 0usize..64), 1..40)) {
            let (mut bank, _) = bank();
            let mut terms = vec![index(&mut bank, 0), bank.parse("x", None).unwrap()];
            for (kind, a, b) in made {
                let [a, b] = [a, b].map(|i| terms[i % terms.len()]);
                terms.push(match kind {
                    0 => index(&mut bank, (terms.len() % 5) as u32),
                    1 => op(&mut bank, "lam", &[a]),
                    _ => op(&mut bank, "p", &[a, b]),
                });
            }
            let argument = terms[terms.len() / 2];
            for function in [TermFunction::Subst, TermFunction::Raise, TermFunction::Lower] {
                for &t in terms.iter().rev().take(4).filter(|&&t| bank.size(t) < 3_000) {
                    let before = bank.len();
                    let expected = plainly(&mut bank.clone(), function, t, argument, 0);
                    let known = expected.filter(|t| (t.0 as usize) < before);
                    prop_assert_eq!(by_the_kernel(&bank, function, [t, argument]), known);
                    let mut bank = bank.clone();
                    let expected = plainly(&mut bank, function, t, argument, 0);
                    prop_assert_eq!(by_the_kernel(&bank, function, [t, argument]), expected);
                }
            }
        }
    }

    /// Many binders around occurrences of the variable, and an argument whose every node speaks of a variable:
    /// what each occurrence becomes would be as large as the argument. It is not there, so the first node of it
    /// refuses the step. Where the argument is closed, it is the same everywhere.
    #[test]
    fn many_binders_and_a_large_argument_cost_their_sum() {
        let (mut bank, _) = bank();
        const MANY: u32 = 20_000;
        let mut body = index(&mut bank, MANY);
        for depth in (0..MANY).rev() {
            let occurrence = index(&mut bank, depth);
            body = op(&mut bank, "p", &[occurrence, body]);
            body = if depth > 0 { op(&mut bank, "lam", &[body]) } else { body };
        }
        let x = bank.parse("x", None).unwrap();
        let [mut open, mut closed] = [index(&mut bank, 3), x];
        for _ in 0..MANY {
            open = op(&mut bank, "p", &[x, open]);
            closed = op(&mut bank, "p", &[closed, x]);
        }
        assert_eq!(by_the_kernel(&bank, TermFunction::Subst, [body, open]), None);
        let mut loose = Loose::default();
        let args = [Pattern::Var(VarId(0)), Pattern::Var(VarId(1))];
        let of = (TermFunction::Subst, &args[..]);
        assert_eq!(value(&bank, &mut loose, of, &[body, closed]), None);
        let mut expected = index(&mut bank, MANY - 1);
        for depth in (0..MANY).rev() {
            expected = op(&mut bank, "p", &[closed, expected]);
            expected = if depth > 0 { op(&mut bank, "lam", &[expected]) } else { expected };
        }
        assert_eq!(value(&bank, &mut loose, of, &[body, closed]), Some(expected));
    }

    /// A subterm that stands under many binders and speaks only of what is outside of them becomes the same
    /// everywhere, and is walked once.
    #[test]
    fn what_becomes_the_same_at_many_depths_is_walked_once() {
        let (mut bank, _) = bank();
        const MANY: u32 = 20_000;
        let (mut far, mut lowered) = (index(&mut bank, 3 * MANY), index(&mut bank, 3 * MANY - 1));
        let x = bank.parse("x", None).unwrap();
        for _ in 0..MANY {
            far = op(&mut bank, "p", &[x, far]);
            lowered = op(&mut bank, "p", &[x, lowered]);
        }
        let (mut t, mut expected) = (far, lowered);
        for _ in 0..MANY {
            let pairs = [(t, far), (expected, lowered)];
            [t, expected] = pairs.map(|(t, far)| {
                let t = op(&mut bank, "lam", &[t]);
                op(&mut bank, "p", &[far, t])
            });
        }
        assert_eq!(by_the_kernel(&bank, TermFunction::Lower, [t, x]), Some(expected));
    }
}
