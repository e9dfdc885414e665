//! A statement about words of N bits, said at another width.
//!
//! Variables and operators take the other width. Of the literals those have a meaning there that are known by where
//! they stand: small numbers and their negatives, so that every bit set stays every bit set; N and N − 1 where words are
//! shifted by them or compared with them; and the word whose highest bit alone is set, with the one before it.

use super::statement::Statement;
use egraph::{Bits, Expr, LiteralKind, Value, Width};

impl Statement {
    /// The width of its words, if it has words of one width and no other numbers.
    pub fn width(&self) -> Option<Width> {
        let mut found = Widths::default();
        self.kinds.iter().for_each(|kind| found.note(*kind));
        self.expressions().for_each(|expr| found.look(expr));
        match found.widths[..] {
            [width] if !found.others => Some(width),
            _ => None,
        }
    }

    /// The same at another width; `None` where that can't be said.
    pub fn at_width(&self, width: Width) -> Option<Statement> {
        let from = self.width()?;
        let all = |exprs: &[Expr]| -> Option<Vec<Expr>> {
            exprs.iter().map(|expr| said_at(expr, from, width, false)).collect()
        };
        let kind = |kind: &LiteralKind| match kind {
            LiteralKind::Bits(_) => LiteralKind::Bits(width),
            other => *other,
        };
        Some(Statement {
            names: self.names.clone(),
            kinds: self.kinds.iter().map(kind).collect(),
            literals: self.literals.clone(),
            conditions: all(&self.conditions)?,
            computed: all(&self.computed)?,
            left: said_at(&self.left, from, width, false)?,
            right: said_at(&self.right, from, width, false)?,
        })
    }
}

/// The widths of words that occur, and whether other numbers do.
#[derive(Default)]
struct Widths {
    widths: Vec<Width>,
    others: bool,
}

impl Widths {
    fn note(&mut self, kind: LiteralKind) {
        match kind {
            LiteralKind::Bits(width) if !self.widths.contains(&width) => self.widths.push(width),
            LiteralKind::Bits(_) | LiteralKind::Bool => {}
            LiteralKind::I64 | LiteralKind::Rational | LiteralKind::F64 => self.others = true,
        }
    }

    fn look(&mut self, expr: &Expr) {
        match expr {
            Expr::Value(value) => self.note(value.kind()),
            Expr::Var(_) => {}
            Expr::Apply(operator, args) => {
                // Conversions are between two widths.
                self.others |= operator.name() == "concat" || operator.width().is_some();
                args.iter().for_each(|arg| self.look(arg));
            }
        }
    }
}

/// An expression at another width; `amount` says whether it is what a word is shifted by or compared with.
fn said_at(expr: &Expr, from: Width, width: Width, amount: bool) -> Option<Expr> {
    Some(match expr {
        Expr::Value(Value::Bits(word)) => {
            let word = word_at(word.value(), from, width, amount)?;
            Expr::Value(Value::Bits(Bits::new(width, word)))
        }
        Expr::Value(_) | Expr::Var(_) => expr.clone(),
        Expr::Apply(operator, args) => {
            let said = |(i, arg)| {
                let amount = match operator.name() {
                    "<<" | ">>" | ">>s" | "rotl" | "rotr" => i == 1,
                    "<" | "<=" | ">" | ">=" | "==" | "!=" => true,
                    "<s" | "<=s" | ">s" | ">=s" => true,
                    "+" | "-" => amount,
                    _ => false,
                };
                said_at(arg, from, width, amount)
            };
            let args: Option<_> = args.iter().enumerate().map(said).collect();
            Expr::Apply(*operator, args?)
        }
    })
}

/// The word of the other width that stands where this one does.
fn word_at(word: u64, from: Width, width: Width, amount: bool) -> Option<u64> {
    let high = |width: Width| 1u64 << (width.bits() - 1);
    let negative = from.largest() - word;
    let bits = u64::from(from.bits());
    match word {
        _ if from == width => Some(word),
        _ if amount && word == bits => Some(width.bits().into()),
        _ if amount && word == bits - 1 && word > 1 => Some(u64::from(width.bits()) - 1),
        _ if word == high(from) => Some(high(width)),
        _ if word == high(from) - 1 => Some(high(width) - 1),
        _ if word < high(from) => Some(word).filter(|word| *word < high(width)),
        _ => (negative < high(width)).then(|| width.largest() - negative),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    fn said(rule: &str, width: u64) -> Option<String> {
        let text = format!(
            "(sort Word) (op + (Word Word) Word) (op - (Word Word) Word) (op << (Word Word) Word) (op & (Word Word) Word)
             (literal (bits 32) Word) (variable Word) {rule}"
        );
        let system = System::parse(&text).unwrap();
        let statement = Statement::of(&system, &system.rules[0]).unwrap();
        Some(statement.at_width(Width::new(width)?)?.normal_text())
    }

    #[test]
    fn literals_are_said_by_where_they_stand() {
        for (word, at_8) in [
            ("0", "0"),
            ("1", "1"),
            ("127", "127"),
            ("32", "32"),
            ("4294967295", "255"),
            ("4294967294", "254"),
            ("2147483648", "128"),
            ("2147483647", "127"),
        ] {
            let text = said(&format!("(rewrite (+ ?a {word}) ?a)"), 8).unwrap();
            assert_eq!(text, format!("(bits 8)\n(+ v0 {at_8}:(bits 8))\nv0\n"), "{word}");
        }
        for (amount, at_8) in
            [("32", "8:"), ("31", "7:"), ("(- 32 ?a)", "(- 8:"), ("(& ?a 31)", "31:")]
        {
            let text = said(&format!("(rewrite (<< ?a {amount}) ?a)"), 8).unwrap();
            assert!(
                text.contains(&format!(" {at_8}")) || text.contains(&format!("{at_8}(bits 8)")),
                "{text}"
            );
        }
        for word in ["128", "1000", "4294967000"] {
            assert_eq!(said(&format!("(rewrite (+ ?a {word}) ?a)"), 8), None, "{word}");
        }
        assert_eq!(said("(rewrite (+ ?a 1000) ?a)", 64).unwrap().matches("1000").count(), 1);
        assert!(
            said("(rewrite (+ ?a 4294967295) ?a)", 64).unwrap().contains("18446744073709551615")
        );
        // One bit has 0 and -1 only.
        assert_eq!(said("(rewrite (+ ?a 1) ?a)", 1), None);
        assert!(said("(rewrite (+ ?a 4294967295) ?a)", 1).unwrap().contains("1:(bits 1)"));
    }
}
