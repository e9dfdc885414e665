//! What operators of C make of terms, by the types of their operands.
//!
//! What is undefined in C may become anything: signed numbers wrap around, a shift by the width and more and a division by
//! zero are what the system says.

use crate::c::typed::read::Reader;
use crate::c::typed::types::{CType, Typed};
use crate::words::number;
use egraph::{Node, TermId};

impl Reader<'_, '_> {
    pub fn prefixed(&mut self, name: &'static str, operand: Typed) -> Result<Typed, String> {
        if name == "!" {
            let truth = self.truth(operand)?;
            let term = self.words.apply(self.bank, "!", 1, &[truth])?;
            return Ok(Typed { term, ctype: CType::BOOL });
        }
        let ctype = operand.ctype.promoted();
        let term = self.convert(operand, ctype)?;
        let term = match name {
            "+" => term,
            _ => self.words.apply(self.bank, name, ctype.bits, &[term])?,
        };
        Ok(Typed { term, ctype })
    }

    /// What a binary operator makes of two operands.
    pub fn operation(&mut self, name: &str, left: Typed, right: Typed) -> Result<Typed, String> {
        let common = left.ctype.common(right.ctype);
        let (name, ctype): (&'static str, CType) = match (name, common.signed) {
            ("&&", _) => ("&&", CType::BOOL),
            ("||", _) => ("||", CType::BOOL),
            ("<<", _) => return self.shift("<<", left, right),
            (">>", _) => {
                let signed = left.ctype.promoted().signed;
                return self.shift(if signed { ">>s" } else { ">>" }, left, right);
            }
            ("<", true) => ("<s", CType::BOOL),
            ("<=", true) => ("<=s", CType::BOOL),
            ("<", false) => ("<", CType::BOOL),
            ("<=", false) => ("<=", CType::BOOL),
            (">", _) => return self.operation("<", right, left),
            (">=", _) => return self.operation("<=", right, left),
            ("==", _) => ("==", CType::BOOL),
            ("!=", _) => ("!=", CType::BOOL),
            ("/", true) => ("/s", common),
            ("/", false) => ("/", common),
            ("%", true) => ("%s", common),
            ("%", false) => ("%", common),
            ("+", _) => ("+", common),
            ("-", _) => ("-", common),
            ("*", _) => ("*", common),
            ("&", _) => ("&", common),
            ("|", _) => ("|", common),
            ("^", _) => ("^", common),
            (other, _) => return Err(format!("'{other}' is no operator")),
        };
        let args = match name {
            "&&" | "||" => [self.truth(left)?, self.truth(right)?],
            _ => [self.convert(left, common)?, self.convert(right, common)?],
        };
        if self.conditional == 0 && matches!(name, "/" | "%" | "/s" | "%s") {
            self.sure.divisors.push(args[1]);
            if common.signed {
                self.sure.signed_divisions.push((args[0], args[1]));
            }
        }
        let term = self.words.apply(self.bank, name, ctype.bits, &args)?;
        Ok(Typed { term, ctype })
    }

    fn shift(&mut self, name: &'static str, left: Typed, amount: Typed) -> Result<Typed, String> {
        let ctype = left.ctype.promoted();
        let amount = Typed {
            term: self.convert(amount, amount.ctype.promoted())?,
            ctype: amount.ctype.promoted(),
        };
        let amount = self.convert(amount, CType { bits: ctype.bits, ..amount.ctype })?;
        if self.conditional == 0 {
            self.sure.amounts.push((amount, ctype.bits));
        }
        let args = [self.convert(left, ctype)?, amount];
        let term = self.words.apply(self.bank, name, ctype.bits, &args)?;
        Ok(Typed { term, ctype })
    }

    /// The word of a type that an operand is converted to.
    pub fn convert(&mut self, operand: Typed, to: CType) -> Result<TermId, String> {
        let (from, term) = (operand.ctype, operand.term);
        let name = match from.bits.cmp(&to.bits) {
            std::cmp::Ordering::Equal => return Ok(term),
            _ if to == CType::BOOL => return self.truth(operand),
            std::cmp::Ordering::Less if from.signed => "sext",
            std::cmp::Ordering::Less => "zext",
            std::cmp::Ordering::Greater => "trunc",
        };
        self.words.apply(self.bank, name, to.bits, &[term])
    }

    /// Whether an operand is not zero.
    pub fn truth(&mut self, operand: Typed) -> Result<TermId, String> {
        let Typed { term, ctype } = operand;
        if ctype == CType::BOOL {
            return Ok(term);
        }
        if let Some(number) = number(self.bank, term) {
            return self.words.literal(self.bank, 1, u64::from(number != 0));
        }
        // What was a truth value before it became a word.
        if let Node::Op(op) = self.bank.node(term)
            && let Some(("zext", [1], _)) = self.words.meaning(op)
        {
            return Ok(self.bank.children(term)[0]);
        }
        let zero = self.words.literal(self.bank, ctype.bits, 0)?;
        self.words.apply(self.bank, "!=", 1, &[term, zero])
    }
}
