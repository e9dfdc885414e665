//! From instructions to terms, block by block: a value that operators of the system compute is a term, any other a variable.

use crate::ssa::instruction::{Computed, Instruction, Operand};
use crate::ssa::terms::term;
use crate::variables::Names;
use crate::words::{Sure, Words};
use egraph::{TermBank, TermId};
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
    words: &'b Words,
    names: Names<'f>,
    /// The instructions that define values.
    homes: FxHashMap<&'f str, Instruction<'f>>,
    widths: FxHashMap<&'f str, u32>,
    /// Values that are neither poison nor undefined.
    defined: FxHashSet<&'f str>,
    /// The terms of the block that is read.
    terms: FxHashMap<&'f str, TermId>,
}

/// A value that an instruction uses or defines with another type than an instruction before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherType {
    pub name: String,
    pub line: usize,
}

/// The blocks of a function, of which some values are known to be `defined`, neither poison nor undefined.
///
/// # Errors
/// A value of two types.
pub fn blocks<'f>(
    instructions: &[Instruction<'f>],
    defined: FxHashSet<&'f str>,
    words: &Words,
    bank: &mut TermBank,
) -> Result<Vec<Block<'f>>, OtherType> {
    let results = instructions.iter().filter_map(|read| Some((read.result?, *read)));
    let mut reader = Reader {
        words,
        names: Names::default(),
        homes: results.collect(),
        widths: FxHashMap::default(),
        defined,
        terms: FxHashMap::default(),
    };
    let mut blocks: Vec<Block<'f>> = Vec::new();
    let mut places: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for read in instructions {
        let home = read.block;
        if blocks.len() <= home {
            reader.terms.clear();
            blocks.resize_with(home + 1, Block::default);
        }
        let Some(name) = read.result else { continue };
        let block = &mut blocks[home];
        let value = match read.computed {
            Some(computed) => reader.value(bank, block, (name, read), computed)?,
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
    for read in instructions {
        let is_term = read.result.is_some_and(|name| places.contains_key(name));
        for used in read.uses {
            if let Some(&(home, i)) = places.get(used.as_str()) {
                blocks[home].values[i].needed |= !is_term || read.block != home;
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
        (name, read): (&'f str, &Instruction<'f>),
        computed: &'f Computed,
    ) -> Result<Option<Value<'f>>, OtherType> {
        let Computed { what, bits, .. } = *computed;
        let line = read.line;
        let wrong = |name: &str| OtherType { name: name.to_owned(), line };
        let mut args = Vec::new();
        let mut is_defined = !computed.poison && !computed.has_flags;
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
                        |home: &Instruction<'_>| home.line >= line && home.block == read.block;
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
        block.variables.insert(term, Variable { name, is_loose });
        Ok(term)
    }
}
