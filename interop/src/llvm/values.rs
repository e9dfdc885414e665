//! From instructions to terms, block by block: a value that operators of the system compute is a term, any other a variable.

use crate::llvm::instruction::{Computed, Operand};
use crate::llvm::operations::term;
use crate::llvm::read::Function;
use crate::llvm::tokens::error;
use crate::variables::Names;
use crate::words::{Sure, Words};
use egraph::{ParseError, TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value that is computed.
pub struct Value<'f> {
    pub name: &'f str,
    /// The line on which it is.
    pub line: usize,
    pub computed: &'f Computed,
    pub term: TermId,
    /// Whether what is no term uses it, or another block: then it has to be there.
    pub needed: bool,
    /// What it divides by.
    divides: Sure,
}

/// A value that is a variable.
pub struct Variable<'f> {
    pub name: &'f str,
    pub bits: u32,
    /// Whether it may be poison or undefined.
    pub is_loose: bool,
}

#[derive(Default)]
pub struct Block<'f> {
    /// What is computed in it, in its order.
    pub values: Vec<Value<'f>>,
    pub variables: FxHashMap<TermId, Variable<'f>>,
    /// The variables by the names of the values.
    pub named: FxHashMap<&'f str, TermId>,
}

impl Block<'_> {
    /// What divides up to a line: where that has no value, the line is not reached.
    pub fn divisions(&self, line: usize) -> Sure {
        let mut sure = Sure::default();
        for Value { divides, .. } in self.values.iter().take_while(|value| value.line <= line) {
            sure.divisors.extend(&divides.divisors);
            sure.signed_divisions.extend(&divides.signed_divisions);
        }
        sure
    }
}

/// What is known of a function's values while they are read.
struct Reader<'f, 'b> {
    text: &'b str,
    function: &'f Function,
    words: &'b Words,
    names: Names<'f>,
    /// The lines on which values are defined.
    homes: FxHashMap<&'f str, usize>,
    widths: FxHashMap<&'f str, u32>,
    /// Values that are neither poison nor undefined.
    defined: FxHashSet<&'f str>,
    /// The terms of the block that is read.
    terms: FxHashMap<&'f str, TermId>,
}

/// The blocks of a function.
///
/// # Errors
/// A value of two types.
pub fn blocks<'f>(
    text: &str,
    function: &'f Function,
    words: &Words,
    bank: &mut TermBank,
) -> Result<Vec<Block<'f>>, ParseError> {
    let instructions = || {
        let lines = function.lines.iter().enumerate();
        lines.filter_map(|(number, line)| Some((number, line.block, line.instruction.as_ref()?)))
    };
    let results = instructions().filter_map(|(n, _, read)| Some((read.result.as_deref()?, n)));
    let mut reader = Reader {
        text,
        function,
        words,
        names: Names::default(),
        homes: results.collect(),
        widths: FxHashMap::default(),
        defined: function.defined.iter().map(String::as_str).collect(),
        terms: FxHashMap::default(),
    };
    let mut blocks: Vec<Block<'f>> = Vec::new();
    let mut places: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for (number, home, read) in instructions() {
        if blocks.len() <= home {
            reader.terms.clear();
            blocks.resize_with(home + 1, Block::default);
        }
        let Some(name) = read.result.as_deref() else { continue };
        let block = &mut blocks[home];
        let value = match &read.computed {
            Some(computed) => reader.value(bank, block, (name, number), computed)?,
            None => None,
        };
        match value {
            Some(value) => {
                places.insert(name, (home, block.values.len()));
                block.values.push(value);
            }
            None if read.is_defined => drop(reader.defined.insert(name)),
            None => {}
        }
    }
    for (_, user, read) in instructions() {
        let is_term = read.result.as_deref().is_some_and(|name| places.contains_key(name));
        for used in &read.uses {
            if let Some(&(home, i)) = places.get(used.as_str()) {
                blocks[home].values[i].needed |= !is_term || user != home;
            }
        }
    }
    Ok(blocks)
}

impl<'f> Reader<'f, '_> {
    /// A value by its instruction, unless that is no term.
    fn value(
        &mut self,
        bank: &mut TermBank,
        block: &mut Block<'f>,
        (name, line): (&'f str, usize),
        computed: &'f Computed,
    ) -> Result<Option<Value<'f>>, ParseError> {
        let Computed { what, bits, .. } = *computed;
        let lines = &self.function.lines;
        let wrong = |name: &str| {
            error(self.text, lines[line].at.start, format!("%{name} is of another type elsewhere"))
        };
        let mut args = Vec::new();
        let mut is_defined = !computed.poison && computed.flags.is_empty();
        for (operand, width) in computed.operands() {
            let arg = match operand {
                Operand::Number(number) => self.words.literal(bank, width, *number),
                Operand::Value(used) => {
                    let used = used.as_str();
                    if *self.widths.entry(used).or_insert(width) != width {
                        return Err(wrong(used));
                    }
                    is_defined &= self.defined.contains(used);
                    let later =
                        |home: &usize| *home >= line && lines[*home].block == lines[line].block;
                    if self.homes.get(used).is_some_and(later) {
                        return Ok(None);
                    }
                    match self.terms.get(used) {
                        Some(term) => Ok(*term),
                        None => self.variable(bank, block, used, width),
                    }
                }
            };
            match arg {
                Ok(arg) => args.push(arg),
                Err(_) => return Ok(None),
            }
        }
        let Some(term) = term(bank, self.words, computed, &args) else { return Ok(None) };
        if *self.widths.entry(name).or_insert(bits) != bits {
            return Err(wrong(name));
        }
        let mut divides = Sure::default();
        match what {
            "<<" | ">>" | ">>s" => {
                is_defined &= Sure::default().is_amount(bank, self.words, args[1], bits);
            }
            "/" | "%" => divides.divisors.push(args[1]),
            // Where the dividend is poison, the quotient may be, too, and yet be of the least number and -1.
            "/s" | "%s" => {
                divides.divisors.push(args[1]);
                let dividend = match &computed.operands[0] {
                    Operand::Value(used) => self.defined.contains(used.as_str()),
                    Operand::Number(_) => true,
                };
                divides.signed_divisions.extend(dividend.then_some((args[0], args[1])));
            }
            _ => {}
        }
        if is_defined {
            self.defined.insert(name);
        }
        self.terms.insert(name, term);
        Ok(Some(Value { name, line, computed, term, needed: false, divides }))
    }

    fn variable(
        &mut self,
        bank: &mut TermBank,
        block: &mut Block<'f>,
        name: &'f str,
        bits: u32,
    ) -> Result<TermId, String> {
        let variable = self.names.variable(bank.language(), name);
        let term = self.words.variable(bank, bits, &variable)?;
        let is_loose = !self.defined.contains(name);
        block.named.insert(name, term);
        block.variables.insert(term, Variable { name, bits, is_loose });
        Ok(term)
    }
}
