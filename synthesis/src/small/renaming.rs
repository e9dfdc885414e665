//! Names of variables in the order in which they occur: two rules that differ in names only become one.

use crate::language::Language;
use crate::small::terms::{Node, Term, Terms};
use egraph::Value;

/// What each variable is called instead, by its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Renaming(Vec<u8>);

impl Renaming {
    /// Names the variables of two terms in the order of their first occurrences, and all others after them.
    pub fn of(language: &Language, terms: &Terms, (left, right): (Term, Term)) -> Renaming {
        let mut order: Vec<u8> = Vec::new();
        for term in [left, right] {
            occurrences(terms, term, &mut order);
        }
        for variable in 0..language.variables.len() as u8 {
            if !order.contains(&variable) {
                order.push(variable);
            }
        }
        let sort = |v: u8| language.variables[usize::from(v)].sort;
        let mut names = vec![0; order.len()];
        for (i, &variable) in order.iter().enumerate() {
            let before = order[..i].iter().filter(|&&v| sort(v) == sort(variable)).count();
            let of_sort = (0..order.len() as u8).filter(|&v| sort(v) == sort(variable));
            names[usize::from(variable)] = of_sort.skip(before).min().unwrap_or(variable);
        }
        Renaming(names)
    }

    /// The new number of a variable.
    pub fn variable(&self, variable: u8) -> u8 {
        self.0[usize::from(variable)]
    }

    /// A term with the new names.
    pub fn term(&self, terms: &mut Terms, term: Term) -> Term {
        match terms.node(term) {
            Node::Variable(variable) => terms.enter(Node::Variable(self.variable(variable))),
            Node::Literal(_) => term,
            Node::Apply(op, args) => {
                let node = terms.rebuilt((op, args), |terms, arg| self.term(terms, arg));
                terms.enter(node)
            }
        }
    }

    /// The input of the old names that an input of the new ones is.
    pub fn back(&self, input: &[Value]) -> Vec<Value> {
        self.0.iter().map(|&new| input[usize::from(new)]).collect()
    }
}

fn occurrences(terms: &Terms, term: Term, found: &mut Vec<u8>) {
    let node = terms.node(term);
    if let Node::Variable(variable) = node
        && !found.contains(&variable)
    {
        found.push(variable);
    }
    terms.args(&node).iter().for_each(|&arg| occurrences(terms, arg, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_named_as_they_come_within_their_sort() {
        let text = "(sort Int) (sort Bool) (op < (Int Int) Bool) (op && (Bool Bool) Bool)
            (literal i64 Int) (literal bool Bool)";
        let language = Language::read(("", text), None, 2, None).unwrap();
        let mut terms = Terms::new(&language);
        let [a, b, c, d] = [0, 1, 2, 3].map(|v| terms.enter(Node::Variable(v)));
        let less = terms.enter(Terms::apply(0, &[b, a]));
        let both = terms.enter(Terms::apply(1, &[d, less]));
        let renaming = Renaming::of(&language, &terms, (both, c));
        let renamed = renaming.term(&mut terms, both);
        assert_eq!(terms.text(&language, renamed, ""), "(&& c (< a b))");
        assert_eq!(renaming.term(&mut terms, c), d);
        let input = [1, 2, 3, 4].map(Value::Int);
        assert_eq!(renaming.back(&input), [2, 1, 4, 3].map(Value::Int));
    }
}
