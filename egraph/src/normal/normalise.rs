//! The normal form of a term, with its proof.

use crate::bounds::count_step;
use crate::building::on_terms::{folded, instance, matched};
use crate::normal::order::TermOrder;
use crate::proof::dag::{How, Proof, StepRef, Steps};
use crate::rules::pattern::Pattern;
use crate::rules::rule::{Rule, RuleId};
use crate::rules::system::System;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::OpId;
use crate::term::leaves::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

/// What a term was rewritten to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalForm {
    /// The term to which no rule applies any more, or the one reached with the last step.
    pub term: TermId,
    /// The proof that the term that was asked about equals it.
    pub proof: Proof,
    /// Whether no rule applies any more.
    pub complete: bool,
    /// Rule steps that were made, each once wherever its term stands.
    pub steps: u64,
}

/// Rewrites a term with the rules of the system's normal form, from left to right, arguments before what they
/// are arguments of, and the first rule of the file first; literals are folded if the system says so. A rule
/// that only moves arguments about (commutativity) is applied where what its variables stand for, from left to
/// right, then comes earlier in a fixed order of terms. It ends after `most` rule steps, so that rules without an
/// end do no harm. `None` if the system declares no normal form.
pub fn normalise(
    system: &System,
    bank: &mut TermBank,
    term: TermId,
    most: u64,
) -> Option<NormalForm> {
    let ruleset = system.normal_form?;
    let mut by_root: FxHashMap<OpId, Vec<Directed>> = FxHashMap::default();
    for (number, rule) in (0..).zip(&system.rules) {
        if let (Pattern::Op(op, _), true) = (&rule.lhs, rule.ruleset == Some(ruleset)) {
            let directed = Directed { rule: RuleId(number), moved: moved(rule) };
            by_root.entry(*op).or_default().push(directed);
        }
    }
    let mut rewriter = Rewriter {
        system,
        by_root,
        order: TermOrder::default(),
        forms: FxHashMap::default(),
        next: FxHashMap::default(),
        steps: Steps::default(),
        left: most,
        complete: true,
    };
    rewriter.rewrite(bank, term);
    let Form { term: form, step } = rewriter.forms[&term];
    let Rewriter { mut steps, complete, left, .. } = rewriter;
    let root = step.unwrap_or_else(|| steps.push(term, form, How::Chain(&[])));
    Some(NormalForm { term: form, proof: Proof { steps, root }, complete, steps: most - left })
}

/// If the two sides of a rule differ only in where which variable stands: the variables of both from left to right.
fn moved(rule: &Rule) -> Option<[Vec<VarId>; 2]> {
    fn same_shape(a: &Pattern, b: &Pattern) -> bool {
        match (a, b) {
            (Pattern::Var(_), Pattern::Var(_)) => true,
            (Pattern::Leaf(a), Pattern::Leaf(b)) => a == b,
            (Pattern::Op(op, a), Pattern::Op(other, b)) => {
                op == other && a.iter().zip(b).all(|(a, b)| same_shape(a, b))
            }
            _ => false,
        }
    }
    let sides = [&rule.lhs, &rule.rhs].map(|side| {
        let mut variables = Vec::new();
        side.each_var(&mut |var| variables.push(var));
        variables
    });
    let [mut before, mut after] = sides.clone();
    before.sort_unstable();
    after.sort_unstable();
    (same_shape(&rule.lhs, &rule.rhs) && before == after).then_some(sides)
}

/// The normal form of a term, and the step that proves it; none if it is the term.
#[derive(Clone, Copy)]
struct Form {
    term: TermId,
    step: Option<StepRef>,
}

/// A rule of the normal form.
struct Directed {
    rule: RuleId,
    /// See [`moved`].
    moved: Option<[Vec<VarId>; 2]>,
}

struct Rewriter<'a> {
    system: &'a System,
    /// By the operator at the root of the left side.
    by_root: FxHashMap<OpId, Vec<Directed>>,
    order: TermOrder,
    /// Normal forms that are known.
    forms: FxHashMap<TermId, Form>,
    /// What terms whose normal forms are not known yet were rewritten to.
    next: FxHashMap<TermId, (TermId, StepRef)>,
    steps: Steps,
    /// Rule steps that may still be made.
    left: u64,
    /// Whether no rule applies to any of the normal forms.
    complete: bool,
}

impl Rewriter<'_> {
    /// Finds the normal forms of a term and of all that it takes. On a stack of its own: terms may be deep.
    fn rewrite(&mut self, bank: &mut TermBank, term: TermId) {
        let mut stack = vec![term];
        // Those on the stack that wait for others on it.
        let mut open: FxHashSet<TermId> = FxHashSet::default();
        while let Some(&at) = stack.last() {
            count_step();
            if self.forms.contains_key(&at) {
                stack.pop();
                continue;
            }
            open.insert(at);
            let wanted = self.wanted(bank, at);
            if wanted.is_empty() {
                let form = self.form(at);
                self.forms.insert(at, form);
                open.remove(&at);
                stack.pop();
            }
            for other in wanted {
                match open.contains(&other) {
                    // The rules go round.
                    true => {
                        self.complete = false;
                        self.forms.insert(other, Form { term: other, step: None });
                    }
                    false => stack.push(other),
                }
            }
        }
    }

    /// The terms whose normal forms must be known before that of `at` is: first its arguments, then what it is
    /// rewritten to.
    fn wanted(&mut self, bank: &mut TermBank, at: TermId) -> Vec<TermId> {
        let unknown = |forms: &FxHashMap<TermId, Form>, t: &TermId| !forms.contains_key(t);
        if !self.next.contains_key(&at) {
            let children = bank.children(at).iter().copied();
            let wanted: Vec<TermId> = children.filter(|t| unknown(&self.forms, t)).collect();
            if !wanted.is_empty() {
                return wanted;
            }
            let Some(next) = self.step(bank, at) else { return Vec::new() };
            self.next.insert(at, next);
        }
        let next = self.next[&at].0;
        if unknown(&self.forms, &next) { vec![next] } else { Vec::new() }
    }

    /// The normal form of a term for which all is known that is wanted.
    fn form(&mut self, at: TermId) -> Form {
        let Some(&(next, step)) = self.next.get(&at) else { return Form { term: at, step: None } };
        let Form { term, step: rest } = self.forms[&next];
        let step = rest.map_or(step, |rest| self.steps.push(at, term, How::Chain(&[step, rest])));
        Form { term, step: Some(step) }
    }

    /// One step from a term whose arguments' normal forms are known: to these, or by folding, or by a rule.
    fn step(&mut self, bank: &mut TermBank, at: TermId) -> Option<(TermId, StepRef)> {
        let Node::Op(op) = bank.node(at) else { return None };
        let forms: Vec<Form> = bank.children(at).iter().map(|child| self.forms[child]).collect();
        if forms.iter().any(|form| form.step.is_some()) {
            let children: Vec<TermId> = forms.iter().map(|form| form.term).collect();
            let proofs: Vec<Option<StepRef>> = forms.iter().map(|form| form.step).collect();
            let next = bank.apply(op, &children);
            return Some((next, self.steps.push(at, next, How::Congruence(&proofs))));
        }
        if self.left == 0 {
            self.complete = false;
            return None;
        }
        if let Some(value) = folded(&self.system.language, bank, at) {
            self.left -= 1;
            return Some((value, self.steps.push(at, value, How::Fold)));
        }
        for Directed { rule: id, moved } in self.by_root.get(&op)? {
            let rule = self.system.rule(*id);
            let Some(bound) = matched(bank, rule, &rule.lhs, at) else { continue };
            if let Some(sides) = moved {
                let [before, after] =
                    sides.each_ref().map(|side| side.iter().map(|var| bound[usize::from(var.0)]));
                if self.order.compare_all(bank, after, before) != Ordering::Less {
                    continue;
                }
            }
            let Some(next) = instance(bank, &rule.rhs, &bound) else { continue };
            if next != at {
                self.left -= 1;
                return Some((next, self.steps.push(at, next, How::Rule(*id, &bound))));
            }
        }
        None
    }
}
