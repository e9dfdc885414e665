//! Terms put together anew from the inside out: what is linear over its atoms as the smallest sum, where that is smaller.

use crate::optimise::values::points::values;
use crate::optimise::values::sums::bitwise::{Bitwise, Made};
use crate::optimise::values::sums::signature::{MOST_ATOMS, Signature, Table, table_of_atom};
use crate::optimise::values::sums::smallest::{Means, Search, Sum};
use crate::optimise::values::words::{Operators, POINTS, Values, WordOp, literal};
use egraph::{Leaf, LeafValue, Node, TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Deeper terms are left alone, as are those with more different subterms.
const DEEPEST: usize = 1_000;
const MOST_SUBTERMS: usize = 4_096;
/// Atoms may become something else so many times, when what they are made of was put together anew.
const ROUNDS: usize = 4;

/// A term that has the values of `start` and fewer nodes, if one is found with so many `visits`, of which it says how many
/// were used. `variables` are the values of its variables at some points: atoms that agree at all of them are taken for one, so
/// that the term is a guess.
pub fn put_together_anew(
    bank: &mut TermBank,
    start: TermId,
    operators: &Operators,
    variables: &[Values],
    visits: u64,
) -> (Option<TermId>, u64) {
    if !(operators.ops.contains(&WordOp::Add) && is_shallow(bank, start)) {
        return (None, 0);
    }
    let leaves: Vec<Leaf> = bank.variables(start).into_iter().cloned().collect();
    let mut anew = Anew {
        bank,
        operators,
        leaves: &leaves,
        variables,
        done: FxHashMap::default(),
        visits: 0,
        most_visits: visits,
    };
    let term = anew.term(start);
    let visits = anew.visits;
    (Some(term).filter(|&term| bank.size(term) < bank.size(start)), visits)
}

/// Whether recursion over a term takes little room on the stack.
fn is_shallow(bank: &TermBank, term: TermId) -> bool {
    let subterms = bank.subterms(term);
    let mut depths: FxHashMap<TermId, usize> = FxHashMap::default();
    for &part in subterms.iter().take(MOST_SUBTERMS) {
        let below = bank.children(part).iter().map(|child| depths[child]).max();
        depths.insert(part, 1 + below.unwrap_or(0));
    }
    subterms.len() <= MOST_SUBTERMS && depths[&term] <= DEEPEST
}

struct Anew<'a> {
    bank: &'a mut TermBank,
    operators: &'a Operators,
    leaves: &'a [Leaf],
    /// The values of the leaves.
    variables: &'a [Values],
    done: FxHashMap<TermId, TermId>,
    visits: u64,
    most_visits: u64,
}

/// The atoms of a term, and what each subterm that stands for one is over them.
#[derive(Default)]
struct Atoms {
    terms: Vec<(TermId, Option<Values>)>,
    signatures: FxHashMap<TermId, Signature>,
}

impl Anew<'_> {
    /// The term put together anew; itself where nothing smaller is found.
    fn term(&mut self, term: TermId) -> TermId {
        if let Some(&done) = self.done.get(&term) {
            return done;
        }
        let mut found = term;
        for _ in 0..ROUNDS {
            let mut with: FxHashMap<TermId, TermId> = FxHashMap::default();
            for atom in self.atoms_of(found) {
                let inside = self.atom(atom);
                with.insert(atom, inside);
            }
            let replaced = self.bank.replace_all(found, with);
            if replaced == found {
                break;
            }
            found = replaced;
        }
        if let Some(sum) = self.smallest_sum(found) {
            found = sum;
        }
        self.done.insert(term, found);
        found
    }

    /// An atom with what it is made of put together anew.
    fn atom(&mut self, atom: TermId) -> TermId {
        let Node::Op(op) = self.bank.node(atom) else { return atom };
        if self.op(atom).is_some_and(is_linear) {
            return self.term(atom);
        }
        let sort = self.bank.sort(atom);
        let mut children = self.bank.children(atom).to_vec();
        for child in &mut children {
            if self.bank.sort(*child) == sort {
                *child = self.term(*child);
            }
        }
        self.bank.apply(op, &children)
    }

    /// The operator on words at the root.
    fn op(&self, term: TermId) -> Option<WordOp> {
        let Node::Op(op) = self.bank.node(term) else { return None };
        let number = self.operators.ids.iter().position(|&id| id == op)?;
        Some(self.operators.ops[number])
    }

    fn word(&self, term: TermId) -> Option<u64> {
        match self.bank.node(term) {
            Node::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => value.to_bits(),
            _ => None,
        }
    }

    /// What a term is, if that follows from what its arguments are.
    fn signature(&self, term: TermId, known: &FxHashMap<TermId, Signature>) -> Option<Signature> {
        let ones = self.operators.ones;
        if let Some(word) = self.word(term) {
            return Some(Signature::of_literal(word, ones));
        }
        let op = self.op(term)?;
        let of = |child: &TermId| known.get(child).copied();
        let children: Vec<Signature> =
            self.bank.children(term).iter().map(of).collect::<Option<_>>()?;
        let of_tables = |f: fn(Table, Table) -> Table| {
            Some(Signature::of_table(f(children[0].table()?, children[1].table()?)))
        };
        match op {
            WordOp::Add => Some(children[0].plus(1, &children[1], ones)),
            WordOp::Sub => Some(children[0].plus(ones, &children[1], ones)),
            WordOp::Neg => Some(children[0].times(ones, ones)),
            WordOp::Not => Some(children[0].not(ones)),
            WordOp::And => of_tables(|a, b| a & b),
            WordOp::Or => of_tables(|a, b| a | b),
            WordOp::Xor => of_tables(|a, b| a ^ b),
            WordOp::Mul => match [&children[0], &children[1]].map(|child| child.literal(ones)) {
                [Some(factor), _] => Some(children[1].times(factor, ones)),
                [_, Some(factor)] => Some(children[0].times(factor, ones)),
                _ => None,
            },
            WordOp::Shl => {
                let by = children[1].literal(ones)?;
                let factor = u32::try_from(by).ok().and_then(|by| 1u64.checked_shl(by));
                Some(children[0].times(factor.unwrap_or(0), ones))
            }
            WordOp::Div | WordOp::Rem | WordOp::Shr => None,
        }
    }

    /// What each part of a term is over its variables, if these are few: by arithmetic that is bitwise, and by literals.
    fn over_variables(&self, term: TermId) -> FxHashMap<TermId, Signature> {
        let mut known = FxHashMap::default();
        let mut variables = 0;
        for part in self.bank.subterms(term) {
            if let Node::Leaf(Leaf { value: LeafValue::Variable(_), .. }) = self.bank.node(part)
                && self.bank.sort(part) == self.bank.sort(term)
            {
                if variables < MOST_ATOMS {
                    known.insert(part, Signature::of_table(table_of_atom(variables)));
                }
                variables += 1;
            } else if let Some(signature) = self.signature(part, &known) {
                known.insert(part, signature);
            }
        }
        known
    }

    /// The parts of a term that it is made of by sums, by multiples and by bitwise operators on what is bitwise.
    fn atoms_of(&self, term: TermId) -> Vec<TermId> {
        let known = self.over_variables(term);
        let ones = self.operators.ones;
        let is_literal = |part: &TermId| known.get(part).is_some_and(|s| s.literal(ones).is_some());
        let (mut atoms, mut seen) = (Vec::new(), FxHashSet::default());
        let mut left = vec![(term, false)];
        while let Some((part, is_bitwise)) = left.pop() {
            if !seen.insert((part, is_bitwise)) {
                continue;
            }
            let op = self.op(part);
            let children = self.bank.children(part);
            let goes_on = match op {
                Some(WordOp::And | WordOp::Or | WordOp::Xor | WordOp::Not) => true,
                // Arithmetic is bitwise where its coefficients say so.
                Some(_) if is_bitwise => known.get(&part).is_some_and(|s| s.table().is_some()),
                Some(WordOp::Add | WordOp::Sub | WordOp::Neg) => true,
                Some(WordOp::Mul) => children.iter().any(is_literal),
                Some(WordOp::Shl) => is_literal(&children[1]),
                Some(WordOp::Div | WordOp::Rem | WordOp::Shr) => false,
                None => {
                    let word = self.word(part);
                    word.is_some_and(|word| !is_bitwise || word == 0 || word == ones)
                }
            };
            if !goes_on {
                if !atoms.contains(&part) {
                    atoms.push(part);
                }
                continue;
            }
            let inside = match op {
                Some(WordOp::And | WordOp::Or | WordOp::Xor) => true,
                Some(WordOp::Not) => is_bitwise,
                _ => false,
            };
            left.extend(children.iter().rev().map(|&child| (child, inside)));
        }
        atoms
    }

    /// Numbers the atoms; those with the same values, or the complements of these, have one number. `None` if there are
    /// too many.
    fn numbered(&mut self, atoms: Vec<TermId>) -> Option<Atoms> {
        let ones = self.operators.ones;
        let leaves: Vec<&Leaf> = self.leaves.iter().collect();
        let mut numbered = Atoms::default();
        for atom in atoms {
            let found = values(self.bank, atom, &leaves, self.variables);
            let signature = match found {
                Some(found) if found == [0; POINTS] || found == [ones; POINTS] => {
                    Signature::of_literal(found[0], ones)
                }
                _ => numbered.signature_of(self.bank, atom, found, ones)?,
            };
            numbered.signatures.insert(atom, signature);
        }
        Some(numbered)
    }

    /// The smallest sum that a term is over its atoms, if that is smaller.
    fn smallest_sum(&mut self, term: TermId) -> Option<TermId> {
        let atoms = self.atoms_of(term);
        if atoms == [term] || self.visits >= self.most_visits {
            return None;
        }
        let Atoms { terms, signatures } = self.numbered(atoms)?;
        let mut known = signatures;
        for part in self.bank.subterms(term) {
            if !known.contains_key(&part)
                && let Some(signature) = self.signature(part, &known)
            {
                known.insert(part, signature);
            }
        }
        let signature = known.get(&term)?;
        let most = usize::try_from(self.bank.size(term)).ok()? - 1;
        let sizes: Vec<usize> =
            terms.iter().map(|&(atom, _)| self.bank.size(atom) as usize).collect();
        let Operators { ops, ones, .. } = self.operators;
        let bitwise = Bitwise::new(&sizes, ops, most);
        self.visits += bitwise.visits;
        let left = self.most_visits.saturating_sub(self.visits);
        let mut search = Search::new(Means::of(ops, *ones), &bitwise, most, left);
        search.all(signature);
        self.visits += search.visits;
        let sum = search.best?;
        let atoms: Vec<TermId> = terms.into_iter().map(|(atom, _)| atom).collect();
        Some(self.build(term, &sum, &bitwise, &atoms))
    }

    fn apply(&mut self, op: WordOp, children: &[TermId]) -> TermId {
        let number = self.operators.ops.iter().position(|&known| known == op);
        let number = number.expect("what is made is made of the operators that there are");
        self.bank.apply(self.operators.ids[number], children)
    }

    /// The term of a table.
    fn build_bitwise(&mut self, table: Table, bitwise: &Bitwise, atoms: &[TermId]) -> TermId {
        let (_, made) = bitwise.of(table).expect("a sum has tables that were found");
        match made {
            Made::Atom(atom) => atoms[atom],
            Made::Not(inside) => {
                let inside = self.build_bitwise(inside, bitwise, atoms);
                self.apply(WordOp::Not, &[inside])
            }
            Made::Of(op, a, b) => {
                let children = [a, b].map(|part| self.build_bitwise(part, bitwise, atoms));
                self.apply(op, &children)
            }
        }
    }

    /// So many times a term.
    fn times(&mut self, times: u64, term: TermId) -> TermId {
        let has_neg = self.operators.ops.contains(&WordOp::Neg);
        match times {
            1 => term,
            _ if times == self.operators.ones && has_neg => self.apply(WordOp::Neg, &[term]),
            _ => {
                let factor = literal(self.bank, term, times);
                self.apply(WordOp::Mul, &[factor, term])
            }
        }
    }

    /// The term of a sum, of the sort of `like`: what is added first, what is subtracted behind it.
    fn build(&mut self, like: TermId, sum: &Sum, bitwise: &Bitwise, atoms: &[TermId]) -> TermId {
        let ones = self.operators.ones;
        let is_subtracted =
            |times: u64| times > ones / 2 && self.operators.ops.contains(&WordOp::Sub);
        let (mut subtracted, added): (Vec<_>, Vec<_>) =
            sum.multiples.iter().partition(|(times, _)| is_subtracted(*times));
        // Where nothing is there to subtract from, one that is multiplied in any case is the first.
        subtracted.sort_by_key(|(times, _)| *times == ones);
        let mut all: Option<TermId> = None;
        for (times, table) in added {
            let term = self.build_bitwise(table, bitwise, atoms);
            let term = self.times(times, term);
            all = Some(all.map_or(term, |all| self.apply(WordOp::Add, &[all, term])));
        }
        if sum.literal != 0 || sum.multiples.is_empty() {
            let literal = literal(self.bank, like, sum.literal);
            all = Some(all.map_or(literal, |all| self.apply(WordOp::Add, &[all, literal])));
        }
        for (times, table) in subtracted {
            let term = self.build_bitwise(table, bitwise, atoms);
            all = Some(match all {
                None => self.times(times, term),
                Some(all) => {
                    let term = self.times(times.wrapping_neg() & ones, term);
                    self.apply(WordOp::Sub, &[all, term])
                }
            });
        }
        let all = all.expect("a sum without multiples is a literal");
        let all = self.times(sum.factor, all);
        if sum.is_complement { self.apply(WordOp::Not, &[all]) } else { all }
    }
}

impl Atoms {
    /// What a word with these values is over the atoms, of which it may be a new one. `None` if there are too many.
    fn signature_of(
        &mut self,
        bank: &TermBank,
        term: TermId,
        values: Option<Values>,
        ones: u64,
    ) -> Option<Signature> {
        let complement = values.map(|values| values.map(|word| !word & ones));
        for (number, (atom, known)) in self.terms.iter_mut().enumerate() {
            let table = table_of_atom(number);
            if known.is_some() && *known == values {
                if bank.size(term) < bank.size(*atom) {
                    *atom = term;
                }
                return Some(Signature::of_table(table));
            }
            if known.is_some() && *known == complement {
                return Some(Signature::of_table(!table));
            }
        }
        if self.terms.len() == MOST_ATOMS {
            return None;
        }
        self.terms.push((term, values));
        Some(Signature::of_table(table_of_atom(self.terms.len() - 1)))
    }
}

/// Whether an operator makes sums of sums.
fn is_linear(op: WordOp) -> bool {
    matches!(op, WordOp::Add | WordOp::Sub | WordOp::Neg | WordOp::Not)
        || matches!(op, WordOp::And | WordOp::Or | WordOp::Xor)
}
