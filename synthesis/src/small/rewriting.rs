//! What rules make of a term, where they make it smaller in the order of terms: a term that some rule makes smaller
//! says nothing new.

use crate::language::Language;
use crate::small::matching::{Bindings, MOST_VARIABLES, matched};
use crate::small::order::compare_bound;
use crate::small::terms::{Node, Term, Terms};
use crate::values::conditions::Guard;
use egraph::{LeafValue, Pattern, Rule};
use std::cmp::Ordering;

/// Whether a condition is known to hold of terms that stand for its variables.
pub type Assumed<'a> = dyn Fn(&Guard, &[Term]) -> bool + Sync + 'a;

/// Nothing is known of any term.
pub fn nothing(_: &Guard, _: &[Term]) -> bool {
    false
}

/// A rule in one direction.
#[derive(Clone, Debug)]
struct Direction {
    left: Term,
    right: Term,
    /// The condition, with its variables as those of the rule.
    guard: Option<(Guard, Vec<u8>)>,
}

/// Rules, by the operator that their left-hand side begins with.
#[derive(Clone, Debug)]
pub struct Rewriting {
    by_operator: Vec<Vec<Direction>>,
}

impl Rewriting {
    /// None yet.
    pub fn new(language: &Language) -> Rewriting {
        Rewriting { by_operator: vec![Vec::new(); language.operators.len()] }
    }

    /// One more rule, in both directions as far as variables allow. What it can't say here is left to e-graphs: computed
    /// literals, conditions of other forms.
    pub fn learn(&mut self, language: &Language, terms: &mut Terms, rule: &Rule) {
        let guard = match &rule.conditions[..] {
            [] => None,
            conditions => match Guard::of_rule(rule, conditions) {
                Some(guard) => Some(guard),
                None => return,
            },
        };
        if rule.variables.names.len() > MOST_VARIABLES {
            return;
        }
        let (Some(left), Some(right)) =
            (side(language, terms, &rule.lhs), side(language, terms, &rule.rhs))
        else {
            return;
        };
        let read: u32 = guard.iter().flat_map(|(_, variables)| variables).map(|v| 1 << v).sum();
        for (left, right) in [(left, right), (right, left)] {
            let bound = terms.shape(left).variables;
            if let Node::Apply(op, _) = terms.node(left)
                && (terms.shape(right).variables | read) & !bound == 0
            {
                let direction = Direction { left, right, guard: guard.clone() };
                let directions = &mut self.by_operator[usize::from(op)];
                directions.push(direction);
                // Those that take nodes away come before those that sort.
                let more = |side| i32::from(terms.shape(side).size);
                directions.sort_by_key(|rule| more(rule.right) - more(rule.left));
            }
        }
    }

    /// The right-hand side, and what its variables stand for, of a rule that makes the term with a node smaller.
    fn smaller(
        &self,
        terms: &Terms,
        node: Node,
        assumed: &Assumed<'_>,
    ) -> Option<(Term, Bindings)> {
        let Node::Apply(op, _) = node else { return None };
        let size = terms.shape_of(node).size;
        self.by_operator[usize::from(op)].iter().find_map(|direction| {
            let bound = matched(terms, direction.left, node)?;
            let order = size_of(terms, direction.right, &bound).cmp(&size);
            let order = order.then_with(|| compare_bound(terms, direction.right, &bound, node));
            let holds = || {
                direction.guard.as_ref().is_none_or(|(guard, variables)| {
                    let stand: Option<Vec<Term>> =
                        variables.iter().map(|v| bound.get(*v)).collect();
                    stand.is_some_and(|stand| assumed(guard, &stand))
                })
            };
            (order == Ordering::Less && holds()).then_some((direction.right, bound))
        })
    }

    /// Whether some rule makes the term with a node smaller, at its root.
    pub fn reduces(&self, terms: &Terms, node: Node, assumed: &Assumed<'_>) -> bool {
        self.smaller(terms, node, assumed).is_some()
    }

    /// Whether some rule makes a term smaller, anywhere.
    pub fn reduces_within(&self, terms: &Terms, term: Term, assumed: &Assumed<'_>) -> bool {
        let node = terms.node(term);
        self.reduces(terms, node, assumed)
            || terms.args(&node).iter().any(|&arg| self.reduces_within(terms, arg, assumed))
    }

    /// What a term is after all rules that make it smaller.
    pub fn normal(&self, terms: &mut Terms, term: Term) -> Term {
        let node = terms.node(term);
        let node = match node {
            Node::Apply(op, args) => {
                terms.rebuilt((op, args), |terms, arg| self.normal(terms, arg))
            }
            leaf => leaf,
        };
        match self.smaller(terms, node, &nothing) {
            Some((right, bound)) => {
                let next = instance(terms, right, &bound);
                self.normal(terms, next)
            }
            None => terms.enter(node),
        }
    }
}

/// The side of a rule whose variables stand for terms.
fn instance(terms: &mut Terms, side: Term, bound: &Bindings) -> Term {
    match terms.node(side) {
        Node::Variable(variable) => bound.get(variable).unwrap_or(side),
        Node::Literal(_) => side,
        Node::Apply(op, args) => {
            let node = terms.rebuilt((op, args), |terms, arg| instance(terms, arg, bound));
            terms.enter(node)
        }
    }
}

/// The size of that.
fn size_of(terms: &Terms, side: Term, bound: &Bindings) -> u16 {
    let node = terms.node(side);
    match node {
        Node::Variable(variable) => bound.get(variable).map_or(1, |term| terms.shape(term).size),
        _ => terms
            .args(&node)
            .iter()
            .fold(1, |sum: u16, &arg| sum.saturating_add(size_of(terms, arg, bound))),
    }
}

/// The side of a rule as a term, whose variables are numbered as in the rule.
pub fn side(language: &Language, terms: &mut Terms, pattern: &Pattern) -> Option<Term> {
    match pattern {
        Pattern::Var(var) => Some(terms.enter(Node::Variable(var.0 as u8))),
        Pattern::Leaf(leaf) => match leaf.value {
            LeafValue::Literal(value) => Some(terms.literal(leaf.sort, value)),
            _ => None,
        },
        Pattern::Op(op, args) => {
            let op = language.operators.iter().position(|known| known.op == *op)?;
            let args: Vec<Term> =
                args.iter().map(|arg| side(language, terms, arg)).collect::<Option<_>>()?;
            Some(terms.enter(Terms::apply(op as u8, &args)))
        }
        Pattern::Compute(..) | Pattern::Function(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    const LANGUAGE: &str = "(sort W) (op + (W W) W) (op ~ (W) W) (literal (bits 8) W) (variable W)";
    const RULES: &str = "(rewrite (+ ?a ?b) (+ ?b ?a)) (rewrite (+ ?a (+ ?b ?c)) (+ ?b (+ ?a ?c)))
        (rewrite (~ (~ ?a)) ?a) (rewrite (+ ?a 0) ?a)";

    fn normal(text: &str) -> String {
        let language = Language::read(("", LANGUAGE), None, 3, None).unwrap();
        let mut terms = Terms::new(&language);
        let mut rewriting = Rewriting::new(&language);
        let system = System::parse(&format!("{LANGUAGE} {RULES}")).unwrap();
        system.rules.iter().for_each(|rule| rewriting.learn(&language, &mut terms, rule));
        // A rule's variables are numbered as they come, so that those of this one have to come in their order.
        let one = System::parse(&format!("{LANGUAGE} (rewrite {text} {text})")).unwrap();
        let term = side(&language, &mut terms, &one.rules[0].lhs).unwrap();
        let normal = rewriting.normal(&mut terms, term);
        terms.text(&language, normal, "?")
    }

    #[test]
    fn rules_make_terms_smaller_and_sort_them() {
        assert_eq!(normal("(+ (+ ?a ?b) (~ (~ ?c)))"), "(+ ?a (+ ?b ?c))");
        assert_eq!(normal("(+ (+ (~ ?a) 0) ?b)"), "(+ ?b (~ ?a))");
        assert_eq!(normal("(+ ?a (+ 1 0))"), "(+ ?a 1)");
    }
}
