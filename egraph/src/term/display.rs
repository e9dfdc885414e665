//! Terms as text, in whole or in part.

use crate::term::bank::{TermBank, TermId};
use crate::term::bound::write_named;
use crate::term::language::{Leaf, LeafValue};
use crate::term::leaves::Node;
use smallvec::SmallVec;
use std::fmt;

/// Displays a term as an s-expression.
pub struct DisplayTerm<'a> {
    pub(crate) bank: &'a TermBank,
    pub(crate) term: TermId,
    /// Nodes that are shown.
    pub(crate) limit: u64,
}

impl fmt::Display for DisplayTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl DisplayTerm<'_> {
    /// To a string this is faster than through a formatter.
    pub(crate) fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
        if self.bank.language().has_binders() {
            return write_named(self, out);
        }
        // An explicit stack: a term from an e-graph may be deeper than the thread's stack.
        enum Todo {
            Term(TermId),
            Text(char),
        }
        let mut todo = SmallVec::<[Todo; 32]>::new();
        todo.push(Todo::Term(self.term));
        let mut left = self.limit;
        while let Some(next) = todo.pop() {
            let t = match next {
                Todo::Text(text) => {
                    out.write_char(text)?;
                    continue;
                }
                Todo::Term(t) => t,
            };
            if left == 0 {
                out.write_char('…')?;
                continue;
            }
            left -= 1;
            match self.bank.node(t) {
                Node::Leaf(Leaf { value: LeafValue::Variable(name), .. }) => out.write_str(name)?,
                Node::Leaf(leaf) => write!(out, "{leaf}")?,
                Node::Op(op) => {
                    let name = &self.bank.language().op(op).name;
                    let children = self.bank.children(t);
                    if children.is_empty() {
                        out.write_str(name)?;
                        continue;
                    }
                    out.write_char('(')?;
                    out.write_str(name)?;
                    todo.push(Todo::Text(')'));
                    for &c in children.iter().rev() {
                        todo.push(Todo::Term(c));
                        todo.push(Todo::Text(' '));
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_may_be_shown_in_part() {
        let text = "(sort I) (variable I) (op + (I I) I) (op f (I) I)";
        let system = crate::System::parse(text).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let t = bank.parse("(+ (f a) (+ b (f c)))", None).unwrap();
        let part = |limit| bank.display_part(t, limit).to_string();
        assert_eq!(part(7), bank.text(t));
        assert_eq!(part(4), "(+ (f a) (+ … …))");
        assert_eq!(part(0), "…");
    }
}
