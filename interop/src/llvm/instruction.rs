//! An instruction: what it defines and uses, and what it computes if that is one of the operations on integers.

use crate::llvm::known::{BINARY, COMPARISONS, CONVERSIONS, FLAGS, INTRINSICS, LAST, WIDTHS};
use crate::llvm::tokens::{Kind, Token};
use crate::ssa::{Computed, Operand, simplified};
use std::ops::Range;

#[derive(Clone, Debug)]
pub struct Instruction {
    /// The name of its result.
    pub result: Option<String>,
    /// Names that it uses: values, blocks and types.
    pub uses: Vec<String>,
    pub computed: Option<Computed>,
    /// Where flags of what it computes stand.
    pub flags: Vec<Range<usize>>,
    /// What it is attached to of the source, as `, !dbg !7`.
    pub debug: String,
    /// Whether its result is neither poison nor undefined.
    pub is_defined: bool,
    /// Whether another block begins after it.
    pub is_last: bool,
}

/// Reads an instruction. What is not understood of it computes nothing that is known.
pub fn instruction(text: &str, tokens: &[Token]) -> Instruction {
    let code: Vec<&Token> = tokens.iter().filter(|t| t.kind != Kind::Comment).collect();
    let (result, code) = match &code[..] {
        [Token { kind: Kind::Local(name), .. }, Token { kind: Kind::Sign('='), .. }, rest @ ..] => {
            (Some(name.clone()), rest)
        }
        all => (None, all),
    };
    let used = |token: &&Token| match &token.kind {
        Kind::Local(name) => Some(name.clone()),
        _ => None,
    };
    let says = |token: &Token, word| &text[token.at.clone()] == word;
    // An attribute of what a call returns, or a mark on a load.
    let returned = code.iter().take_while(|token| token.kind != Kind::Sign('('));
    let is_defined = match code.first() {
        Some(first) if says(first, "freeze") => true,
        Some(first) if says(first, "load") => code.iter().any(|token| says(token, "!noundef")),
        Some(_) => returned.clone().any(|token| says(token, "noundef")),
        None => false,
    };
    let mut reader = Reader { text, code, flags: Vec::new(), debug: String::new() };
    let computed = result.as_ref().and_then(|_| reader.computed());
    let is_last = code.first().is_some_and(|first| LAST.contains(&&text[first.at.clone()]));
    Instruction {
        result,
        uses: code.iter().filter_map(used).collect(),
        computed,
        flags: reader.flags,
        debug: reader.debug,
        is_defined,
        is_last,
    }
}

struct Reader<'t> {
    text: &'t str,
    /// What is left to read.
    code: &'t [&'t Token],
    /// Where flags stand.
    flags: Vec<Range<usize>>,
    debug: String,
}

impl<'t> Reader<'t> {
    fn computed(&mut self) -> Option<Computed> {
        let mut name = self.word()?;
        if name == "tail" {
            name = self.word().filter(|next| *next == "call")?;
        }
        if name == "call" {
            return self.call();
        }
        while let [flag, next, ..] = self.code
            && FLAGS.contains(&&self.text[flag.at.clone()])
        {
            self.flags.push(flag.at.start..next.at.start);
            self.code = &self.code[1..];
        }
        let binary = BINARY.iter().find(|(known, _)| *known == name);
        let conversion = CONVERSIONS.contains(&name).then_some(name);
        let (what, from, bits, operands) = if let Some((_, what)) = binary {
            let bits = self.width()?;
            let (what, operands) = simplified(what, bits, self.pair(bits)?)?;
            (what, bits, bits, operands)
        } else if name == "icmp" {
            let predicate = self.word()?;
            let (_, what, swapped) = COMPARISONS.iter().find(|(known, ..)| *known == predicate)?;
            let from = self.width()?;
            let mut operands = self.pair(from)?;
            if *swapped {
                operands.reverse();
            }
            (*what, from, 1, operands)
        } else if let Some(name) = conversion {
            let from = self.width()?;
            let operand = self.operand(from)?;
            self.word().filter(|word| *word == "to")?;
            let known = CONVERSIONS.iter().find(|known| **known == name)?;
            (*known, from, self.width()?, vec![operand])
        } else if name == "select" {
            let mut operands = Vec::new();
            let mut bits = self.width().filter(|bits| *bits == 1)?;
            operands.push(self.operand(1)?);
            for _ in 0..2 {
                self.sign(',')?;
                bits = self.width()?;
                operands.push(self.operand(bits)?);
            }
            ("select", bits, bits, operands)
        } else {
            return None;
        };
        let has_flags = !self.flags.is_empty();
        self.rest(Computed { what, operands, from, bits, has_flags, poison: false })
    }

    /// A call of an intrinsic function.
    fn call(&mut self) -> Option<Computed> {
        let bits = self.width()?;
        let (first, code) = self.code.split_first()?;
        self.code = code;
        let Kind::Global(name) = &first.kind else { return None };
        let (name, of_type) = name.strip_prefix("llvm.")?.rsplit_once('.')?;
        let (_, what) = INTRINSICS.iter().find(|(known, _)| *known == name)?;
        WIDTHS.iter().find(|(width, known)| (*width, *known) == (bits, of_type))?;
        let mut operands = Vec::new();
        let mut sign = '(';
        while self.sign(sign).is_some() {
            sign = ',';
            let width = self.width()?;
            if let [word, ..] = self.code
                && &self.text[word.at.clone()] == "noundef"
            {
                self.code = &self.code[1..];
            }
            let operand = self.operand(width)?;
            let is_choice = matches!((&operand, *what), (Operand::Number(_), "clz" | "ctz"));
            if width != bits && !is_choice {
                return None;
            }
            operands.push(operand);
        }
        self.sign(')')?;
        while let [Token { kind: Kind::Mark, .. }, rest @ ..] = self.code {
            self.code = rest;
        }
        let mut poison = false;
        match (*what, &operands[..]) {
            // Whether it is poison of zero.
            ("clz" | "ctz", [_, Operand::Number(is_poison)]) => {
                poison = *is_poison != 0;
                operands.pop();
            }
            ("rotl" | "rotr", [a, b, _]) if a == b => drop(operands.remove(0)),
            ("popcount", [_]) | ("min" | "max" | "mins" | "maxs", [_, _]) => {}
            _ => return None,
        }
        self.rest(Computed { what, operands, from: bits, bits, has_flags: false, poison })
    }

    /// Reads what is attached to an instruction, and the end.
    fn rest(&mut self, mut computed: Computed) -> Option<Computed> {
        while !self.code.is_empty() {
            self.sign(',')?;
            let [Token { kind: Kind::Mark, at: name }, Token { kind: Kind::Mark, at }, rest @ ..] =
                self.code
            else {
                return None;
            };
            self.code = rest;
            match &self.text[name.clone()] {
                "!dbg" => self.debug = format!(", !dbg {}", &self.text[at.clone()]),
                _ => computed.poison = true,
            }
        }
        Some(computed)
    }

    fn word(&mut self) -> Option<&'t str> {
        let (first, rest) = self.code.split_first()?;
        self.code = rest;
        (first.kind == Kind::Word).then(|| &self.text[first.at.clone()])
    }

    fn sign(&mut self, sign: char) -> Option<()> {
        let (first, rest) = self.code.split_first()?;
        if first.kind != Kind::Sign(sign) {
            return None;
        }
        self.code = rest;
        Some(())
    }

    fn width(&mut self) -> Option<u32> {
        let word = self.word()?;
        WIDTHS.iter().find(|(_, known)| *known == word).map(|(bits, _)| *bits)
    }

    fn operand(&mut self, bits: u32) -> Option<Operand> {
        let (first, rest) = self.code.split_first()?;
        self.code = rest;
        if let Kind::Local(name) = &first.kind {
            return Some(Operand::Value(name.clone()));
        }
        let ones = u64::MAX >> (64 - bits);
        match &self.text[first.at.clone()] {
            "true" if bits == 1 => Some(Operand::Number(1)),
            "false" if bits == 1 => Some(Operand::Number(0)),
            number => {
                let value: i128 = number.parse().ok()?;
                let fits = -(i128::from(ones / 2) + 1) <= value && value <= i128::from(ones);
                fits.then_some(Operand::Number(value as u64 & ones))
            }
        }
    }

    /// Two operands of a width.
    fn pair(&mut self, bits: u32) -> Option<Vec<Operand>> {
        let first = self.operand(bits)?;
        self.sign(',')?;
        Some(vec![first, self.operand(bits)?])
    }
}
