//! From better terms to instructions: each stands where the value was computed that it is for, and its name with it.

use crate::ssa::choose::terms;
use crate::ssa::instruction::Operand;
use crate::ssa::sound::frozen;
use crate::ssa::terms::lowest_bit_of;
use crate::ssa::values::{Block, Value};
use crate::words::{self, Words};
use egraph::{Node, OpId, TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What becomes of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    Remove,
    /// These come in its place; the last one has its name.
    Replace(Vec<New>),
    /// It stays, without flags.
    WithoutFlags,
}

/// An instruction that is new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct New {
    pub name: String,
    pub made: Made,
    pub bits: u32,
}

/// What a new instruction computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    Freeze(Operand),
    /// The lowest bit of a word of so many bits.
    LowestBit(Operand, u32),
    Apply(OpId, Vec<Operand>),
    /// This value where it stands, which is never reached: any will do.
    Unreached(Operand),
}

/// What is written anew of a function.
#[derive(Debug, Default)]
pub struct Plan {
    /// By line.
    pub edits: FxHashMap<usize, Edit>,
    /// What is written for values that are gone, which may be gone, too; with their widths.
    pub instead: FxHashMap<String, (Operand, u32)>,
    /// How many names were made up.
    fresh: usize,
}

impl Plan {
    /// What is written where a value is used, if that is something else.
    pub fn operand(&self, name: &str) -> Option<&(Operand, u32)> {
        let mut end = self.instead.get(name)?;
        while let (Operand::Value(name), _) = end
            && let Some(next) = self.instead.get(name)
        {
            end = next;
        }
        Some(end)
    }

    /// A name that none of the `taken` is.
    pub fn fresh_name(&mut self, sign: &str, taken: &dyn Fn(&str) -> bool) -> String {
        loop {
            let name = format!("{sign}c{}", self.fresh);
            self.fresh += 1;
            if !taken(&name) {
                return name;
            }
        }
    }
}

/// Plans a function's values, of which some are computed by other terms.
pub struct Planner<'w> {
    pub bank: &'w mut TermBank,
    pub words: &'w Words,
    /// What names begin with.
    pub sign: &'static str,
    /// Whether a name is that of something in the function.
    pub is_taken: &'w dyn Fn(&str) -> bool,
    pub plan: Plan,
}

/// A block while it is planned.
struct Current<'b, 'f> {
    /// Values by their terms.
    there: FxHashMap<TermId, String>,
    /// Values that stay as they are written.
    kept: FxHashMap<&'f str, &'b Value<'f>>,
    frozen: FxHashMap<TermId, &'f str>,
}

impl Planner<'_> {
    pub fn block<'f>(&mut self, block: &Block<'f>, chosen: &FxHashMap<&'f str, TermId>) {
        if chosen.is_empty() {
            return;
        }
        let now = terms(self.bank, self.words, block, chosen);
        let mut current = Current {
            there: FxHashMap::default(),
            kept: kept(block, chosen),
            frozen: FxHashMap::default(),
        };
        for (term, variable) in &block.variables {
            current.there.insert(*term, variable.name.to_owned());
            if let Node::Leaf(leaf) = self.bank.node(*term) {
                let leaf = frozen(leaf);
                current.frozen.insert(self.bank.leaf(&leaf), variable.name);
            }
        }
        let mut loose: FxHashSet<&str> = FxHashSet::default();
        for value in &block.values {
            let is_chosen = chosen.contains_key(value.name);
            let is_kept = current.kept.contains_key(value.name);
            let term = now[value.name];
            let operand = self.leaf(&current, term);
            if !is_chosen && !is_kept {
                self.plan.edits.insert(value.line, Edit::Remove);
            } else if let Some(operand) = operand {
                self.without_flags(&current, &operand);
                current.kept.remove(value.name);
                self.instead(value, operand);
            } else if is_chosen {
                let new = self.instructions(&mut current, value, term);
                self.plan.edits.insert(value.line, Edit::Replace(new));
            } else {
                let mut uses = value.computed.values();
                if value.computed.poison || uses.any(|name| loose.contains(name)) {
                    loose.insert(value.name);
                } else {
                    current.there.insert(term, value.name.to_owned());
                }
            }
        }
    }

    /// The operand for a term that is a literal, or there.
    fn leaf(&self, current: &Current<'_, '_>, term: TermId) -> Option<Operand> {
        match words::number(self.bank, term) {
            Some(value) => Some(Operand::Number(value)),
            None => current.there.get(&term).cloned().map(Operand::Value),
        }
    }

    /// Writes an operand wherever a value is used.
    fn instead(&mut self, value: &Value<'_>, operand: Operand) {
        let bits = value.computed.bits;
        let mut end = &operand;
        if let Operand::Value(name) = end
            && let Some((next, _)) = self.plan.operand(name)
        {
            end = next;
        }
        let name = value.name.to_owned();
        // Only what is never reached can be computed from itself.
        let edit = if matches!(end, Operand::Value(end) if *end == name) {
            Edit::Replace(vec![New { name, made: Made::Unreached(operand), bits }])
        } else {
            self.plan.instead.insert(name, (operand, bits));
            Edit::Remove
        };
        self.plan.edits.insert(value.line, edit);
    }

    /// The instructions that compute a term for a value.
    fn instructions(
        &mut self,
        current: &mut Current<'_, '_>,
        value: &Value<'_>,
        term: TermId,
    ) -> Vec<New> {
        // What is not there yet; what is there has its parts.
        let (mut missing, mut todo) = (FxHashSet::default(), vec![term]);
        while let Some(part) = todo.pop() {
            match self.leaf(current, part) {
                Some(operand) => self.without_flags(current, &operand),
                None if missing.insert(part) => match lowest_bit_of(self.bank, self.words, part) {
                    Some(word) => todo.push(word),
                    None => todo.extend(self.bank.children(part)),
                },
                None => {}
            }
        }
        let mut all = Vec::new();
        for part in self.bank.subterms(term).into_iter().filter(|part| missing.contains(part)) {
            let bits = |term: &TermId| self.words.bits(self.bank.sort(*term)).unwrap_or_default();
            let leaf = |term: &TermId| self.leaf(current, *term);
            let lowest = lowest_bit_of(self.bank, self.words, part);
            let made = match (self.bank.node(part), lowest) {
                (Node::Leaf(_), _) => {
                    Made::Freeze(Operand::Value(current.frozen[&part].to_owned()))
                }
                (Node::Op(_), Some(word)) => {
                    let operand = leaf(&word).expect("it stands above what it is a part of");
                    Made::LowestBit(operand, bits(&word))
                }
                (Node::Op(op), None) => {
                    Made::Apply(op, self.bank.children(part).iter().filter_map(leaf).collect())
                }
            };
            let bits = bits(&part);
            let name = match part == term {
                true => value.name.to_owned(),
                false => self.plan.fresh_name(self.sign, self.is_taken),
            };
            current.there.insert(part, name.clone());
            all.push(New { name, made, bits });
        }
        all
    }

    /// Leaves out the flags of a value that is used where its flags may not hold, and of those that it is computed from.
    fn without_flags(&mut self, current: &Current<'_, '_>, operand: &Operand) {
        let Operand::Value(name) = operand else { return };
        let mut todo: Vec<&str> = vec![name];
        let mut seen = FxHashSet::default();
        while let Some(name) = todo.pop() {
            let Some(value) = current.kept.get(name).filter(|_| seen.insert(name)) else {
                continue;
            };
            if value.computed.has_flags {
                self.plan.edits.entry(value.line).or_insert(Edit::WithoutFlags);
            }
            todo.extend(value.computed.values());
        }
    }
}

/// The values that values which are needed and computed as before are computed from.
fn kept<'b, 'f>(
    block: &'b Block<'f>,
    chosen: &FxHashMap<&'f str, TermId>,
) -> FxHashMap<&'f str, &'b Value<'f>> {
    let mut kept: FxHashMap<&str, &Value<'_>> = FxHashMap::default();
    let mut used: FxHashSet<&str> = FxHashSet::default();
    for value in block.values.iter().rev() {
        if chosen.contains_key(value.name) || !value.needed && !used.contains(value.name) {
            continue;
        }
        kept.insert(value.name, value);
        used.extend(value.computed.values());
    }
    kept
}
