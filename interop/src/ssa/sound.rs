//! Where a better term has the value that a source has, whatever the language leaves open there.
//!
//! A source is poison where a flag is not kept, where it is shifted by its width or more, or where a value that it is sure to
//! depend on is poison. Elsewhere it has the value that its term has, with any word in the place of what is poison or undefined: but
//! for each use of what is undefined it may be another word. So what a better term reads that may be poison or undefined is
//! frozen first, if not the source is poison with it under the same choices and the term reads it once. In a language without undefined values it may be
//! read more often; one that can't freeze has no such term then.

use crate::ssa::values::{Block, Value};
use crate::words::{Words, number};
use egraph::{Leaf, LeafValue, Node, OpId, TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a language has.
pub struct Target {
    /// Whether it has an instruction for an operator.
    pub writes: fn(&Words, OpId) -> bool,
    /// Whether it has an instruction that freezes what may be poison or undefined.
    pub freezes: bool,
    /// Whether a value that is not known to be defined may be another word for each use, and not only poison.
    pub undefined: bool,
    /// Why a term is not written that has an operator without an instruction.
    pub no_instruction: &'static str,
    /// Why one is not that shifts or divides where the source may not.
    pub open: &'static str,
}

/// What stands for a variable that is frozen. No variable has a space in its name.
pub fn frozen(leaf: &Leaf) -> Leaf {
    Leaf { sort: leaf.sort, value: LeafValue::Variable(format!("{leaf} frozen")) }
}

/// A better term for a value as it may be written in its place.
///
/// # Errors
/// Why it may not.
pub fn settled(
    bank: &mut TermBank,
    words: &Words,
    target: &Target,
    block: &Block<'_>,
    value: &Value<'_>,
    better: TermId,
) -> Result<TermId, &'static str> {
    let source = reads(bank, words, value.term, Excess::Forget);
    let mut sure = block.divisions(value.line);
    for (&part, _) in source.iter().filter(|(_, all)| all.iter().any(Vec::is_empty)) {
        if let Some(("<<" | ">>" | ">>s", _, bits)) = meaning(bank, words, part) {
            sure.amounts.push((bank.children(part)[1], bits));
        }
    }
    // A variable is what it stands for: a source that equals it is poison where it is, or has any value.
    if bank.children(better).is_empty() {
        return Ok(better);
    }
    let parts = bank.subterms(better);
    for &part in &parts {
        let op = match bank.node(part) {
            Node::Op(op) => op,
            Node::Leaf(_) if block.variables.contains_key(&part) => continue,
            Node::Leaf(_) if number(bank, part).is_some() => continue,
            Node::Leaf(_) => return Err("it has a variable that is no value"),
        };
        let children = bank.children(part);
        if !(target.writes)(words, op) {
            return Err(target.no_instruction);
        }
        let (n, last) = (words.meaning(op).map_or(0, |(.., bits)| bits), children.last());
        let last = *last.unwrap_or(&part);
        let may = match meaning(bank, words, part).map(|(what, ..)| what) {
            Some("<<" | ">>" | ">>s") => sure.is_amount(bank, words, last, n),
            Some("/" | "%") => sure.is_divisor(bank, last),
            Some("/s" | "%s") => sure.is_signed_division(bank, (children[0], last), n),
            _ => true,
        };
        if !may {
            return Err(target.open);
        }
    }
    // How many ways lead to a part from above, up to two.
    let mut ways: FxHashMap<TermId, u8> = FxHashMap::from_iter([(better, 1)]);
    for part in parts.iter().rev() {
        let above = ways[part];
        for child in bank.children(*part) {
            let ways = ways.entry(*child).or_default();
            *ways = (*ways + above).min(2);
        }
    }
    // A source is poison with a variable wherever it reads it.
    let read = reads(bank, words, better, Excess::Always);
    let is_covered = |variable: &TermId| {
        let under = source.get(variable).map_or(&[][..], Vec::as_slice);
        read[variable].iter().all(|all| under.iter().any(|some| is_part(some, all)))
    };
    let is_read = |variable: &TermId| {
        !block.variables.get(variable).is_some_and(|variable| variable.is_loose)
            || is_covered(variable) && (!target.undefined || ways[variable] == 1)
    };
    let is_open = |part: &TermId| block.variables.contains_key(part) && !is_read(part);
    if !target.freezes && parts.iter().any(is_open) {
        return Err("it reads a value that may be poison where the value so far may not be");
    }
    let kept: FxHashSet<Leaf> = parts
        .iter()
        .filter(|part| is_read(part))
        .filter_map(|part| match bank.node(*part) {
            Node::Leaf(leaf) => Some(leaf.clone()),
            Node::Op(_) => None,
        })
        .collect();
    Ok(bank.map_leaves(better, &mut |leaf| {
        if kept.contains(leaf) { leaf.clone() } else { frozen(leaf) }
    }))
}

/// Conditions, and whether they hold.
type Choices = Vec<(TermId, bool)>;

/// What is said of a part that is read in more ways than are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Excess {
    /// Only some of the ways.
    Forget,
    /// It is read whatever is chosen.
    Always,
}

/// So many ways to read a part are counted.
const MOST_WAYS: usize = 8;

/// By part of a term: under which choices the term is poison with it, the fewest ones.
fn reads(
    bank: &TermBank,
    words: &Words,
    term: TermId,
    excess: Excess,
) -> FxHashMap<TermId, Vec<Choices>> {
    let mut reads: FxHashMap<TermId, Vec<Choices>> =
        FxHashMap::from_iter([(term, vec![Choices::new()])]);
    for part in bank.subterms(term).into_iter().rev() {
        let chooses = matches!(meaning(bank, words, part), Some(("select", ..)));
        let children = bank.children(part);
        let above = reads[&part].clone();
        for (i, &child) in children.iter().enumerate() {
            let choice = (chooses && i > 0).then(|| condition(bank, words, children[0], i == 1));
            let known = reads.entry(child).or_default();
            for mut choices in above.iter().cloned() {
                choices.extend(choice.filter(|choice| !choices.contains(choice)));
                if known.iter().any(|some| is_part(some, &choices)) {
                    continue;
                }
                known.retain(|some| !is_part(&choices, some));
                known.push(choices);
            }
            if known.len() > MOST_WAYS {
                match excess {
                    Excess::Forget => known.truncate(MOST_WAYS),
                    Excess::Always => *known = vec![Choices::new()],
                }
            }
        }
    }
    reads
}

/// Whether all of some choices are made where others are.
fn is_part(some: &Choices, all: &Choices) -> bool {
    some.iter().all(|choice| all.contains(choice))
}

/// A condition that is no negation, and whether it holds where this one does or does not.
fn condition(bank: &TermBank, words: &Words, term: TermId, holds: bool) -> (TermId, bool) {
    let (mut term, mut holds) = (term, holds);
    while let Some(("!", ..)) = meaning(bank, words, term) {
        (term, holds) = (bank.children(term)[0], !holds);
    }
    (term, holds)
}

fn meaning<'w>(
    bank: &TermBank,
    words: &'w Words,
    term: TermId,
) -> Option<(&'static str, &'w [u32], u32)> {
    match bank.node(term) {
        Node::Op(op) => words.meaning(op),
        Node::Leaf(_) => None,
    }
}
