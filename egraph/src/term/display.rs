//! Terms as text, in whole or in part.

use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Language, Leaf, LeafValue};
use crate::term::leaves::Node;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::fmt;

impl TermBank {
    /// The term as an s-expression.
    pub fn display(&self, t: TermId) -> DisplayTerm<'_> {
        DisplayTerm { bank: self, term: t, limit: u64::MAX }
    }

    /// The term as an s-expression in which `…` stands for every subterm after the first `limit`
    /// nodes, from left to right. A term that shares its subterms may have more nodes than any
    /// memory holds.
    pub fn display_part(&self, t: TermId, limit: u64) -> DisplayTerm<'_> {
        DisplayTerm { bank: self, term: t, limit }
    }

    /// The term as text.
    pub fn text(&self, t: TermId) -> String {
        let mut text = String::new();
        self.display(t).write(&mut text).expect("a string takes any text");
        text
    }
}

/// Displays a term as an s-expression.
pub struct DisplayTerm<'a> {
    bank: &'a TermBank,
    term: TermId,
    /// Nodes that are shown.
    limit: u64,
}

impl fmt::Display for DisplayTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl DisplayTerm<'_> {
    /// To a string this is faster than through a formatter.
    fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
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

/// Names for bound variables, by the number of binders around: all different, and none is that of a
/// free variable or an operator.
struct Names<'a> {
    language: &'a Language,
    free: FxHashSet<&'a str>,
    made: Vec<String>,
    tried: usize,
}

impl<'a> Names<'a> {
    fn of(bank: &'a TermBank, term: TermId) -> Names<'a> {
        let name = |leaf: &'a Leaf| match &leaf.value {
            LeafValue::Variable(name) => Some(name.as_str()),
            LeafValue::Literal(_) | LeafValue::Bound(_) => None,
        };
        let free = bank.variables(term).into_iter().filter_map(name).collect();
        Names { language: bank.language(), free, made: Vec::new(), tried: 0 }
    }

    fn get(&mut self, level: usize) -> &str {
        while self.made.len() <= level {
            let letter = ["x", "y", "z", "u", "v", "w"][self.tried % 6];
            let name = match self.tried / 6 {
                0 => letter.to_owned(),
                more => format!("{letter}{more}"),
            };
            self.tried += 1;
            if !self.free.contains(name.as_str()) && self.language.operator(&name).is_none() {
                self.made.push(name);
            }
        }
        &self.made[level]
    }
}

/// Writes a term of a language that binds variables.
fn write_named(shown: &DisplayTerm<'_>, out: &mut impl fmt::Write) -> fmt::Result {
    enum Todo {
        /// A term under so many binders.
        Term(TermId, usize),
        Name(usize),
        Text(char),
    }
    let bank = shown.bank;
    let mut names = Names::of(bank, shown.term);
    let mut todo = vec![Todo::Term(shown.term, 0)];
    let mut left = shown.limit;
    while let Some(next) = todo.pop() {
        let (t, depth) = match next {
            Todo::Text(text) => {
                out.write_char(text)?;
                continue;
            }
            Todo::Name(level) => {
                out.write_str(names.get(level))?;
                continue;
            }
            Todo::Term(t, depth) => (t, depth),
        };
        if left == 0 {
            out.write_char('…')?;
            continue;
        }
        left -= 1;
        let op = match bank.node(t) {
            Node::Leaf(Leaf { value: LeafValue::Bound(index), .. })
                if (*index as usize) < depth =>
            {
                out.write_str(names.get(depth - 1 - *index as usize))?;
                continue;
            }
            Node::Leaf(leaf) => {
                write!(out, "{leaf}")?;
                continue;
            }
            Node::Op(op) => bank.language().op(op),
        };
        let children = bank.children(t);
        if children.is_empty() {
            out.write_str(&op.name)?;
            continue;
        }
        write!(out, "({}", op.name)?;
        todo.push(Todo::Text(')'));
        for (i, &child) in children.iter().enumerate().rev() {
            let inner = depth + usize::from(op.bound(i).is_some());
            todo.extend([Todo::Term(child, inner), Todo::Text(' ')]);
            if inner > depth {
                todo.extend([Todo::Name(depth), Todo::Text(' ')]);
            }
        }
    }
    Ok(())
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
