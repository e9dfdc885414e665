//! Terms of other languages, read by the names of their operators: a model that has learned sums and products of integers
//! reads those of words, too.
//!
//! What stands behind a colon in a name is the width of words, `+:32`, and no part of what the operator is called. Numbers
//! are taken as signed: the word in which every bit is set is −1.

use egraph::{
    Bits, Language, Leaf, LeafValue, LiteralKind, Node, OpId, Operator, Rational, SortId, TermBank,
    TermId, Value,
};
use rustc_hash::FxHashMap;

/// How the terms of a sort of another language are read as terms of a sort of the model's.
#[derive(Debug, PartialEq)]
pub(crate) struct ByName {
    to_own: Translation,
    from_own: Translation,
}

/// From a sort of one language into a sort of another one.
#[derive(Debug, PartialEq)]
struct Translation {
    operators: FxHashMap<OpId, OpId>,
    sort: SortId,
    literals: Option<LiteralKind>,
    has_variables: bool,
}

impl ByName {
    /// The terms of a sort as those of the model's sort that shares most operators with it. There is none if either sort
    /// has operators that the other lacks: then it is about something else.
    pub fn new(theirs: &Language, sort: SortId, own: &Language) -> Option<ByName> {
        let of = operators(theirs, sort);
        let shared = |own_sort: SortId| {
            let mut pairs = Vec::new();
            let of_own = operators(own, own_sort);
            for &(own_op, key) in &of_own {
                pairs.extend(of.iter().find(|&&(_, k)| k == key).map(|&(op, _)| (op, own_op)));
            }
            let is_part = pairs.len() == of.len() || pairs.len() == of_own.len();
            (is_part && pairs.iter().any(|&(op, _)| !theirs.op(op).args.is_empty()))
                .then_some((own_sort, pairs))
        };
        // Of those that share as many, the first.
        let (own_sort, pairs) =
            sorts(own).rev().filter_map(shared).max_by_key(|(_, pairs)| pairs.len())?;
        let turned = pairs.iter().map(|&(op, own)| (own, op)).collect();
        let into = |language: &Language, sort: SortId, operators| Translation {
            operators,
            sort,
            literals: language.literal_kind(sort),
            has_variables: language.variables.contains(&sort),
        };
        Some(ByName {
            to_own: into(own, own_sort, pairs.into_iter().collect()),
            from_own: into(theirs, sort, turned),
        })
    }

    /// A term of the other language as one of the model's, if it can be said.
    pub fn read(&self, theirs: &TermBank, term: TermId, own: &mut TermBank) -> Option<TermId> {
        self.to_own.translate(theirs, term, own)
    }

    /// The same of two terms.
    pub fn read_ends(
        &self,
        theirs: &TermBank,
        [start, target]: [TermId; 2],
        own: &mut TermBank,
    ) -> Option<[TermId; 2]> {
        Some([self.read(theirs, start, own)?, self.read(theirs, target, own)?])
    }

    /// A term of the model's as one of the other language, if it can be said.
    pub fn write(&self, own: &TermBank, term: TermId, theirs: &mut TermBank) -> Option<TermId> {
        self.from_own.translate(own, term, theirs)
    }
}

impl Translation {
    fn translate(&self, from: &TermBank, term: TermId, into: &mut TermBank) -> Option<TermId> {
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for part in from.subterms(term) {
            let translated = match from.node(part) {
                Node::Leaf(leaf) => into.leaf(&self.leaf(leaf)?),
                Node::Op(op) => {
                    let children: Vec<_> = from.children(part).iter().map(|c| image[c]).collect();
                    into.apply(*self.operators.get(&op)?, &children)
                }
            };
            image.insert(part, translated);
        }
        image.get(&term).copied()
    }

    fn leaf(&self, leaf: &Leaf) -> Option<Leaf> {
        let value = match &leaf.value {
            LeafValue::Variable(_) if self.has_variables => leaf.value.clone(),
            LeafValue::Literal(value) => LeafValue::Literal(converted(*value, self.literals?)?),
            _ => return None,
        };
        Some(Leaf { sort: self.sort, value })
    }
}

/// The sorts of a language.
pub(crate) fn sorts(language: &Language) -> impl DoubleEndedIterator<Item = SortId> {
    (0..language.sorts.len() as u16).map(SortId)
}

/// The operators over a sort alone, by what they are called and their arity. What binds variables is none.
fn operators(language: &Language, sort: SortId) -> Vec<(OpId, (&str, usize))> {
    let of_sort = |operator: &Operator| {
        let is_over = operator.result == sort && operator.args.iter().all(|&arg| arg == sort);
        is_over && operator.binds.is_empty()
    };
    let all = language.operators.iter().enumerate().filter(|(_, operator)| of_sort(operator));
    all.map(|(op, operator)| {
        let name = match operator.name.split_once(':') {
            Some((name, _)) if !name.is_empty() => name,
            _ => &operator.name,
        };
        (OpId(op as u32), (name, operator.args.len()))
    })
    .collect()
}

/// The same integer as a literal of another kind, if that has it.
fn converted(value: Value, kind: LiteralKind) -> Option<Value> {
    let integer = match value {
        Value::Int(n) => n,
        Value::Bits(word) => word.signed(),
        Value::Rational(number) if number.denominator() == 1 => number.numerator(),
        Value::Rational(_) | Value::Bool(_) | Value::Float(_) => return None,
    };
    match kind {
        LiteralKind::I64 => Some(Value::Int(integer)),
        LiteralKind::Rational => Rational::new(integer.into(), 1).map(Value::Rational),
        LiteralKind::Bits(width) => {
            let word = Bits::new(width, integer as u64);
            // From the least signed number to the largest unsigned one.
            let is_it = word.signed() == integer || i128::from(word.value()) == integer.into();
            is_it.then_some(Value::Bits(word))
        }
        LiteralKind::Bool | LiteralKind::F64 => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;
    use proptest::prelude::*;

    const POLYNOMIALS: &str = include_str!("../../configs/systems/polynomials.rules");
    const MBA: &str = include_str!("../../configs/systems/mba.rules");
    const WORDS: &str = include_str!("../../configs/systems/words.rules");
    const PROP: &str = include_str!("../../configs/systems/prop.rules");

    fn language(rules: &str) -> std::sync::Arc<Language> {
        System::parse(rules).unwrap().language.clone()
    }

    /// A term of a language as the model of another one reads it, and what comes back.
    fn there_and_back(theirs: &str, sort: &str, text: &str, own: &str) -> Option<[String; 2]> {
        let (theirs, own) = (language(theirs), language(own));
        let sort = theirs.sort(sort).unwrap();
        let names = ByName::new(&theirs, sort, &own)?;
        let mut bank = TermBank::new(theirs.clone());
        let mut own = TermBank::new(own);
        let term = bank.parse(text, Some(sort)).unwrap();
        let read = names.read(&bank, term, &mut own)?;
        let mut other = TermBank::new(theirs);
        let back = names.write(&own, read, &mut other)?;
        Some([own.text(read), other.text(back)])
    }

    #[test]
    fn words_are_read_as_integers() {
        for (rules, sort, text, largest) in [
            (MBA, "Word", "(+ x (* W y))", "18446744073709551615"),
            (WORDS, "Word8", "(+:8 x (*:8 W y))", "255"),
            (WORDS, "Word32", "(+:32 x (*:32 W y))", "4294967295"),
        ] {
            let text = text.replace('W', largest);
            let read = there_and_back(rules, sort, &text, POLYNOMIALS).unwrap();
            assert_eq!(read, ["(+ x (* -1 y))", &text]);
        }
    }

    #[test]
    fn a_model_of_words_reads_integers_but_what_has_no_words_is_not_written() {
        let (theirs, own) = (language(POLYNOMIALS), language(MBA));
        let names = ByName::new(&theirs, theirs.sort("Ring").unwrap(), &own).unwrap();
        let (mut bank, mut words) = (TermBank::new(theirs), TermBank::new(own));
        let and = words.parse("(+ x (& x y))", None).unwrap();
        assert_eq!(names.write(&words, and, &mut bank), None);
        let sum = words.parse("(+ x 18446744073709551614)", None).unwrap();
        let sum = names.write(&words, sum, &mut bank).unwrap();
        assert_eq!(bank.text(sum), "(+ x -2)");
    }

    #[test]
    fn what_has_unknown_operators_or_numbers_is_not_read() {
        for text in ["(+ x (& x y))", "(+ (neg x) y)"] {
            assert_eq!(there_and_back(MBA, "Word", text, POLYNOMIALS), None);
        }
        let wide = "(+ x 300)";
        let words = language(WORDS);
        let own = language(POLYNOMIALS);
        let names = ByName::new(&words, words.sort("Word8").unwrap(), &own).unwrap();
        let (mut theirs, mut bank) = (TermBank::new(words), TermBank::new(own));
        let wide = bank.parse(wide, None).unwrap();
        assert_eq!(names.write(&bank, wide, &mut theirs), None);
    }

    #[test]
    fn a_language_about_something_else_is_none() {
        let (theirs, own) = (language(PROP), language(POLYNOMIALS));
        assert!(sorts(&theirs).all(|sort| ByName::new(&theirs, sort, &own).is_none()));
        // It shares products, and both have what the other lacks.
        let theirs = language("(sort S) (variable S) (op * (S S) S) (op inv (S) S)");
        assert!(sorts(&theirs).all(|sort| ByName::new(&theirs, sort, &own).is_none()));
    }

    proptest! {
        /// Every word that stands for an integer comes back as itself, and every integer that a word stands for.
        #[test]
        fn literals_come_back(value: u64, bits in prop::sample::select(vec![8u64, 16, 32, 64])) {
            let width = egraph::Width::new(bits).unwrap();
            let word = Value::Bits(Bits::new(width, value));
            let integer = converted(word, LiteralKind::I64).unwrap();
            prop_assert_eq!(converted(integer, LiteralKind::Bits(width)), Some(word));
            prop_assert_eq!(converted(integer, LiteralKind::I64), Some(integer));
        }
    }
}
