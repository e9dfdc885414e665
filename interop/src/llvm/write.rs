//! From better terms to instructions: each stands where the value was computed that it is for, and its name with it.

use crate::llvm::choose::terms;
use crate::llvm::known::type_of;
use crate::llvm::operations::{lowest_bit_of, number, text};
use crate::llvm::read::{Function, Module};
use crate::llvm::sound::frozen;
use crate::llvm::tokens::{Kind, tokens};
use crate::llvm::values::{Block, Value};
use crate::words::{self, Words};
use egraph::{Node, ParseError, TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What becomes of a line.
pub enum Edit {
    Remove,
    /// These instructions come in its place.
    Replace(Vec<String>),
    /// It stays, without flags.
    WithoutFlags,
}

/// What is written anew of a function.
#[derive(Default)]
pub struct Edits {
    lines: FxHashMap<usize, Edit>,
    /// What is written for values that are gone.
    instead: FxHashMap<String, String>,
    /// How many names were made up.
    fresh: usize,
}

/// Writes a block's values, of which some are computed by other terms.
pub struct Writer<'w, 'f> {
    pub bank: &'w mut TermBank,
    pub words: &'w Words,
    pub module: &'w Module,
    pub function: &'f Function,
    pub edits: Edits,
    /// Declarations of functions that are called.
    pub declared: &'w mut BTreeSet<String>,
}

/// A block while it is written.
struct Current<'b, 'f> {
    /// Terms that are there, as operands.
    there: FxHashMap<TermId, String>,
    /// Values that stay as they are written.
    kept: FxHashMap<&'f str, &'b Value<'f>>,
    frozen: FxHashMap<TermId, (&'f str, u32)>,
}

impl<'f> Writer<'_, 'f> {
    pub fn block(&mut self, block: &Block<'f>, chosen: &FxHashMap<&'f str, TermId>) {
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
            current.there.insert(*term, format!("%{}", variable.name));
            if let Node::Leaf(leaf) = self.bank.node(*term) {
                let leaf = frozen(leaf);
                current.frozen.insert(self.bank.leaf(&leaf), (variable.name, variable.bits));
            }
        }
        let mut loose: FxHashSet<&str> = FxHashSet::default();
        for value in &block.values {
            let is_chosen = chosen.contains_key(value.name);
            let is_kept = current.kept.contains_key(value.name);
            let term = now[value.name];
            let operand = self.leaf(&current, term);
            if !is_chosen && !is_kept {
                self.edits.lines.insert(value.line, Edit::Remove);
            } else if let Some(operand) = operand {
                self.without_flags(&current, &operand);
                current.kept.remove(value.name);
                self.instead(value, operand);
            } else if is_chosen {
                let lines = self.instructions(&mut current, value, term);
                self.edits.lines.insert(value.line, Edit::Replace(lines));
            } else {
                let mut uses = value.computed.values();
                if value.computed.poison || uses.any(|name| loose.contains(name)) {
                    loose.insert(value.name);
                } else {
                    current.there.insert(term, format!("%{}", value.name));
                }
            }
        }
    }

    /// The operand for a term that is a literal, or there.
    fn leaf(&self, current: &Current<'_, '_>, term: TermId) -> Option<String> {
        let bits = self.words.bits(self.bank.sort(term))?;
        match words::number(self.bank, term) {
            Some(value) => Some(number(value, bits)),
            None => current.there.get(&term).cloned(),
        }
    }

    /// Writes an operand wherever a value is used.
    fn instead(&mut self, value: &Value<'_>, operand: String) {
        let mut end = &operand;
        while let Some(next) = end.strip_prefix('%').and_then(|name| self.edits.instead.get(name)) {
            end = next;
        }
        // Only what is never reached can be computed from itself.
        let edit = if end.strip_prefix('%') == Some(value.name) {
            let of_type = type_of(value.computed.bits);
            Edit::Replace(vec![format!("%{} = freeze {of_type} {operand}", value.name)])
        } else {
            self.edits.instead.insert(value.name.to_owned(), operand);
            Edit::Remove
        };
        self.edits.lines.insert(value.line, edit);
    }

    /// The instructions that compute a term for a value.
    fn instructions(
        &mut self,
        current: &mut Current<'_, '_>,
        value: &Value<'_>,
        term: TermId,
    ) -> Vec<String> {
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
        let mut lines = Vec::new();
        for part in self.bank.subterms(term).into_iter().filter(|part| missing.contains(part)) {
            let made = match (self.bank.node(part), lowest_bit_of(self.bank, self.words, part)) {
                (Node::Leaf(_), _) => {
                    let (name, bits) = current.frozen[&part];
                    format!("freeze {} %{name}", type_of(bits))
                }
                (Node::Op(_), Some(word)) => {
                    let bits = self.words.bits(self.bank.sort(word)).unwrap_or_default();
                    let word = self.leaf(current, word).unwrap_or_default();
                    format!("trunc {} {word} to i1", type_of(bits))
                }
                (Node::Op(op), None) => {
                    let args = self.bank.children(part).iter();
                    let args: Vec<String> =
                        args.filter_map(|arg| self.leaf(current, *arg)).collect();
                    let args: Vec<&str> = args.iter().map(String::as_str).collect();
                    let (made, declaration) = text(self.words, op, &args).unwrap_or_default();
                    self.declared.extend(declaration);
                    made
                }
            };
            let name = if part == term { value.name.to_owned() } else { self.fresh_name() };
            lines.push(format!("%{name} = {made}{}", value.computed.debug));
            current.there.insert(part, format!("%{name}"));
        }
        lines
    }

    /// Leaves out the flags of a value that is used where its flags may not hold, and of those that it is computed from.
    fn without_flags(&mut self, current: &Current<'_, '_>, operand: &str) {
        let mut todo: Vec<&str> = operand.strip_prefix('%').into_iter().collect();
        let mut seen = FxHashSet::default();
        while let Some(name) = todo.pop() {
            let Some(value) = current.kept.get(name).filter(|_| seen.insert(name)) else {
                continue;
            };
            if !value.computed.flags.is_empty() {
                self.edits.lines.entry(value.line).or_insert(Edit::WithoutFlags);
            }
            todo.extend(value.computed.values());
        }
    }

    fn fresh_name(&mut self) -> String {
        loop {
            let name = format!("c{}", self.edits.fresh);
            self.edits.fresh += 1;
            if !self.function.names.contains(&name) && !self.module.types.contains(&name) {
                return name;
            }
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

impl Edits {
    /// The text of a function's body with them.
    ///
    /// # Errors
    /// None, of what was read.
    pub fn body(&self, text: &str, function: &Function) -> Result<String, ParseError> {
        let is_number = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
        let mut gone: Vec<u64> = Vec::new();
        for (number, line) in function.lines.iter().enumerate() {
            let result = line.instruction.as_ref().and_then(|read| read.result.as_deref());
            if let (Some(Edit::Remove), Some(name)) = (self.lines.get(&number), result) {
                gone.extend(name.parse::<u64>().ok().filter(|_| is_number(name)));
            }
        }
        gone.sort_unstable();
        // Values without a name are numbered without gaps.
        let renumbered = |name: &str| match name.parse::<u64>() {
            Ok(number) if is_number(name) && !self.lines.is_empty() => {
                Some(number - gone.partition_point(|gone| *gone < number) as u64)
            }
            _ => None,
        };
        let operand = |name: &str| {
            let (mut name, mut operand) = (name, format!("%{name}"));
            while let Some(next) = self.instead.get(name) {
                operand.clone_from(next);
                name = next.strip_prefix('%').unwrap_or_default();
            }
            renumbered(name).map_or(operand, |number| format!("%{number}"))
        };
        let mut all = String::new();
        for (number, line) in function.lines.iter().enumerate() {
            let part = &text[line.at.clone()];
            let indent = &part[..part.len() - part.trim_start().len()];
            let mut added = match self.lines.get(&number) {
                Some(Edit::Remove) => continue,
                Some(Edit::Replace(lines)) => {
                    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
                }
                Some(Edit::WithoutFlags) => {
                    let read = line.instruction.as_ref().and_then(|read| read.computed.as_ref());
                    let mut part = part.to_owned();
                    for flag in read.iter().flat_map(|computed| computed.flags.iter().rev()) {
                        let start = line.at.start;
                        part.replace_range(flag.start - start..flag.end - start, "");
                    }
                    part
                }
                None => part.to_owned(),
            };
            let is_label = line.instruction.is_none();
            for token in tokens(&added, 0..added.len())?.into_iter().rev() {
                let old = &added[token.at.clone()];
                let new = match &token.kind {
                    Kind::Local(name) => operand(name),
                    // A label, and what a comment says of the blocks before.
                    Kind::Word if is_label => {
                        renumbered(old).map_or(old.to_owned(), |number| number.to_string())
                    }
                    Kind::Comment if is_label && old.starts_with("; preds =") => {
                        let names = old.split('%').enumerate().map(|(i, part)| {
                            let end = part.find([',', ' ', '\r']).unwrap_or(part.len());
                            let (name, rest) = part.split_at(end);
                            match i {
                                0 => part.to_owned(),
                                _ => format!("{}{rest}", operand(name)),
                            }
                        });
                        names.collect()
                    }
                    _ => continue,
                };
                if new != *old {
                    added.replace_range(token.at, &new);
                }
            }
            all += &added;
        }
        Ok(all)
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}
