//! From a term to text in the syntax of C, with as few parentheses as keep the term.

use crate::c::dialect::{ATOM, Dialect, PRODUCT, SUM, Strength, Symbol, UNARY, is_name};
use egraph::{LeafValue, Node, TermBank, TermId, Value, Width};

/// A term in the infix syntax of C, in which `…` stands for all that follows the first `limit` nodes, as in
/// [`TermBank::display_part`].
///
/// Of words the text equals the term in value, not always node for node: a literal of 2ᴺ⁻¹ or more is
/// written as a negative number, `(+ x 18446744073709551613)` as `x - 3` and
/// `(+ a (* 18446744073709551614 b))` as `a - 2*b`, all of which are the same modulo 2ᴺ. As an operand of
/// `/` or `%`, and on the left of `>>`, such a literal is unsigned, for there C distinguishes the two.
///
/// The variables are meant to be of an unsigned type of N bits, of at least 32, for C computes with
/// narrower ones as `int`; literals alone are of type `int` as well.
///
/// # Errors
/// A message that names what C lacks: an operator, a variable with such a name, a bound variable.
pub fn c_text(bank: &TermBank, term: TermId, limit: u64) -> Result<String, String> {
    let sort = bank.sort(term);
    let dialect = Dialect::on(bank.language(), sort).ok_or_else(|| {
        format!("a term of sort {} is no integer in C", bank.language().sort_name(sort))
    })?;
    let has = |symbol| dialect.binary(symbol).is_ok();
    let (plus, minus) = (has("+"), has("-"));
    Printer { bank, dialect, plus, minus }.text(term, limit)
}

/// What is written for a term.
#[derive(Clone, Copy)]
enum Part {
    Whole(TermId),
    /// What has to be subtracted to add the term, of which [`Printer::has_sign`] is true.
    Negated(TermId),
    /// A literal without sign.
    Unsigned(TermId),
}

/// A part, taken apart.
enum Shape {
    Atom(String),
    Negative(u64),
    Unary(&'static str, Part),
    Binary(Part, &'static str, Strength, Part),
}

/// What is still to be written.
enum Todo {
    Text(&'static str),
    Part {
        part: Part,
        /// What binds less strongly is put in parentheses.
        least: Strength,
        /// Whether it is a part of a sum, where products have no spaces.
        tight: bool,
        /// Whether a minus stands directly before it.
        after_minus: bool,
    },
}

struct Printer<'b> {
    bank: &'b TermBank,
    dialect: Dialect<'b>,
    /// Whether the system adds and subtracts, so that one may stand for the other.
    plus: bool,
    minus: bool,
}

impl Printer<'_> {
    fn text(&self, term: TermId, limit: u64) -> Result<String, String> {
        let mut text = String::new();
        let mut left = limit;
        // An explicit stack: a term from an e-graph may be deeper than the thread's stack.
        let part = |part, least, tight| Todo::Part { part, least, tight, after_minus: false };
        let mut todo = vec![part(Part::Whole(term), 0, false)];
        while let Some(next) = todo.pop() {
            let (shape, least, tight, after_minus) = match next {
                Todo::Text(piece) => {
                    text += piece;
                    continue;
                }
                Todo::Part { .. } if left == 0 => {
                    text.push('…');
                    continue;
                }
                Todo::Part { part, least, tight, after_minus } => {
                    (self.shape(part)?, least, tight, after_minus)
                }
            };
            left -= 1;
            let parenthesised = match shape {
                // Two signs side by side are another operator.
                Shape::Negative(_) | Shape::Unary("-", _) if after_minus => true,
                // A minus before a number is a part of it.
                Shape::Atom(ref atom)
                    if after_minus && atom.starts_with(|c: char| c.is_ascii_digit()) =>
                {
                    true
                }
                _ => shape.strength() < least,
            };
            if parenthesised {
                text.push('(');
                todo.push(Todo::Text(")"));
            }
            match shape {
                Shape::Atom(atom) => text += &atom,
                Shape::Negative(size) => text += &format!("-{size}"),
                Shape::Unary(symbol, operand) => {
                    text += symbol;
                    let after_minus = symbol == "-";
                    todo.push(Todo::Part { part: operand, least: UNARY, tight, after_minus });
                }
                Shape::Binary(a, symbol, strength, b) => {
                    let tight = strength == PRODUCT && tight && !parenthesised;
                    let inner = tight || strength == SUM;
                    let space = if tight { "" } else { " " };
                    todo.extend([
                        part(b, strength + 1, inner),
                        Todo::Text(space),
                        Todo::Text(symbol),
                        Todo::Text(space),
                        part(a, strength, inner),
                    ]);
                }
            }
        }
        Ok(text)
    }

    fn shape(&self, part: Part) -> Result<Shape, String> {
        let whole = Part::Whole;
        let term = match part {
            Part::Whole(term) => term,
            Part::Unsigned(term) => return Ok(Shape::Atom(format!("{}u", self.word(term)))),
            Part::Negated(term) => match (self.symbol(term), self.bank.children(term)) {
                (Some(Symbol::Unary(_)), &[x]) => return self.shape(whole(x)),
                (Some(Symbol::Binary(symbol, strength)), &[a, b]) => {
                    let (literal, a, b) = match self.negative(a) {
                        Some(size) => (size, Part::Negated(a), whole(b)),
                        None => (self.negative(b).unwrap_or(0), whole(a), Part::Negated(b)),
                    };
                    return match (literal, a, b) {
                        (1, Part::Whole(x), _) | (1, _, Part::Whole(x)) => self.shape(whole(x)),
                        _ => Ok(Shape::Binary(a, symbol, strength, b)),
                    };
                }
                _ => return Ok(Shape::Atom(self.negative(term).unwrap_or(0).to_string())),
            },
        };
        let op = match self.bank.node(term) {
            Node::Op(op) => op,
            Node::Leaf(leaf) => {
                return match &leaf.value {
                    LeafValue::Literal(Value::Int(n)) if *n < 0 => {
                        Ok(Shape::Negative(n.unsigned_abs()))
                    }
                    LeafValue::Literal(value) => Ok(match self.negative(term) {
                        Some(size) => Shape::Negative(size),
                        None => Shape::Atom(value.to_string()),
                    }),
                    LeafValue::Variable(name) => named(name, "the variable"),
                    LeafValue::Bound(_) => Err("C has no bound variables".to_owned()),
                };
            }
        };
        let name = &self.bank.language().op(op).name;
        let unsigned = |term| match self.negative(term) {
            Some(_) => Part::Unsigned(term),
            None => whole(term),
        };
        match (self.dialect.symbol(op), self.bank.children(term)) {
            (_, []) => named(name, "the operator"),
            (Some(Symbol::Unary(symbol)), &[x]) => Ok(Shape::Unary(symbol, whole(x))),
            (Some(Symbol::Binary(symbol, strength)), &[a, b]) => Ok(match symbol {
                "+" if self.minus && self.has_sign(b) => {
                    Shape::Binary(whole(a), "-", strength, Part::Negated(b))
                }
                "-" if self.plus && self.has_sign(b) => {
                    Shape::Binary(whole(a), "+", strength, Part::Negated(b))
                }
                "/" | "%" => Shape::Binary(unsigned(a), symbol, strength, unsigned(b)),
                ">>" => Shape::Binary(unsigned(a), symbol, strength, whole(b)),
                _ => Shape::Binary(whole(a), symbol, strength, whole(b)),
            }),
            _ => Err(format!("C has no operator '{name}' on integers")),
        }
    }

    /// Whether a word is written as the negative of another part.
    fn has_sign(&self, term: TermId) -> bool {
        let negative = |term: &TermId| self.negative(*term).is_some();
        self.dialect.width.is_some()
            && match self.symbol(term) {
                Some(Symbol::Unary(symbol)) => symbol == "-",
                Some(Symbol::Binary(symbol, _)) => {
                    symbol == "*" && self.bank.children(term).iter().any(negative)
                }
                None => negative(&term),
            }
    }

    fn symbol(&self, term: TermId) -> Option<Symbol> {
        match self.bank.node(term) {
            Node::Op(op) => self.dialect.symbol(op),
            Node::Leaf(_) => None,
        }
    }

    /// How far below 2ᴺ a literal is, if it is a word of at least half of that.
    fn negative(&self, term: TermId) -> Option<u64> {
        let Some(Value::Bits(word)) = self.bank.literal(term) else { return None };
        let largest = self.dialect.width.map(Width::largest)?;
        (word.value() > largest / 2).then(|| largest - word.value() + 1)
    }

    fn word(&self, term: TermId) -> u64 {
        match self.bank.literal(term) {
            Some(Value::Bits(word)) => word.value(),
            _ => 0,
        }
    }
}

impl Shape {
    fn strength(&self) -> Strength {
        match self {
            Shape::Atom(_) => ATOM,
            Shape::Negative(_) | Shape::Unary(..) => UNARY,
            Shape::Binary(_, _, strength, _) => *strength,
        }
    }
}

fn named(name: &str, what: &str) -> Result<Shape, String> {
    if is_name(name) {
        return Ok(Shape::Atom(name.to_owned()));
    }
    Err(format!("{what} '{name}' has a name that C does not allow"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    const BITS: &str = "(sort W) (sort B) (literal (bits 64) W) (variable W)
        (op + (W W) W) (op - (W W) W) (op * (W W) W) (op / (W W) W) (op & (W W) W) (op ^ (W W) W)
        (op << (W W) W) (op >> (W W) W) (op ~ (W) W) (op neg (W) W) (op one () W) (op < (W W) B)
        (op popcount (W) W)";
    const INTEGERS: &str =
        "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op - (I) I) (op * (I I) I)";

    fn print(rules: &str, term: &str) -> Result<String, String> {
        let mut bank = TermBank::new(System::parse(rules).unwrap().language.clone());
        let term = bank.parse(term, None).unwrap();
        c_text(&bank, term, 100)
    }

    #[test]
    fn terms_have_few_parentheses() {
        for (term, text) in [
            ("(+ a (+ b c))", "a + (b + c)"),
            ("(+ (+ a b) c)", "a + b + c"),
            ("(- (+ x y) (* 2 (& x y)))", "x + y - 2*(x & y)"),
            ("(* (+ a b) c)", "(a + b) * c"),
            ("(+ (* (* a (<< b c)) d) e)", "a*(b << c)*d + e"),
            ("(& a (+ b 1))", "a & b + 1"),
            ("(^ (~ a) (neg b))", "~a ^ -b"),
            ("(neg (neg a))", "-(-a)"),
            ("(neg 2)", "-(2)"),
            ("(- a (* (neg 2) b))", "a - -(2)*b"),
            ("(neg (~ (neg a)))", "-~-a"),
            ("(~ (* a b))", "~(a * b)"),
            ("(* one (~ 3))", "one * ~3"),
        ] {
            assert_eq!(print(BITS, term).as_deref(), Ok(text), "{term}");
        }
    }

    #[test]
    fn words_of_the_upper_half_are_negative() {
        for (term, text) in [
            ("18446744073709551613", "-3"),
            ("9223372036854775808", "-9223372036854775808"),
            ("9223372036854775807", "9223372036854775807"),
            ("(+ x 18446744073709551613)", "x - 3"),
            ("(- x 18446744073709551613)", "x + 3"),
            ("(* 18446744073709551614 t)", "-2 * t"),
            ("(+ a (* 18446744073709551614 b))", "a - 2*b"),
            ("(+ a (* b 18446744073709551614))", "a - b*2"),
            ("(+ a (* 18446744073709551615 (+ b c)))", "a - (b + c)"),
            ("(+ a (neg (* b c)))", "a - b*c"),
            ("(+ a (neg 18446744073709551614))", "a - -2"),
            ("(neg 18446744073709551614)", "-(-2)"),
            ("(>> 18446744073709551615 x)", "18446744073709551615u >> x"),
            ("(/ x 18446744073709551614)", "x / 18446744073709551614u"),
        ] {
            assert_eq!(print(BITS, term).as_deref(), Ok(text), "{term}");
        }
        // Integers do not wrap around, so the term stays as it is.
        assert_eq!(print(INTEGERS, "(+ x -3)").as_deref(), Ok("x + -3"));
        assert_eq!(print(INTEGERS, "(+ x (- (* -2 y)))").as_deref(), Ok("x + -(-2 * y)"));
        let least = "-9223372036854775808";
        assert_eq!(print(INTEGERS, least).as_deref(), Ok(least));
    }

    #[test]
    fn what_c_lacks_is_said() {
        for (term, message) in [
            ("(+ a (popcount b))", "C has no operator 'popcount' on integers"),
            ("(+ a b.c)", "the variable 'b.c' has a name that C does not allow"),
            ("int", "the variable 'int' has a name that C does not allow"),
            ("(< a b)", "a term of sort B is no integer in C"),
        ] {
            assert_eq!(print(BITS, term).unwrap_err(), message);
        }
        let binders = "(sort W) (literal i64 W) (variable W) (op sum ((bind W W)) W)
            (op + (W W) W)";
        let sum = print(binders, "(sum i (+ i 1))").unwrap_err();
        assert_eq!(sum, "C has no operator 'sum' on integers");
        assert_eq!(print(binders, "(+ %0 1)").unwrap_err(), "C has no bound variables");
    }

    #[test]
    fn deep_and_shared_terms_are_shown_in_part() {
        let mut bank = TermBank::new(System::parse(BITS).unwrap().language.clone());
        let plus = bank.language().operator("+").unwrap();
        let negate = bank.language().operator("neg").unwrap();
        let mut shared = bank.parse("a", None).unwrap();
        let mut deep = shared;
        for _ in 0..100_000 {
            shared = bank.apply(plus, &[shared, shared]);
            deep = bank.apply(negate, &[deep]);
        }
        assert!(c_text(&bank, shared, 1_000).unwrap().contains('…'));
        let text = c_text(&bank, deep, u64::MAX).unwrap();
        assert!(text.contains("-(-a)"));
        assert_eq!(c_text(&bank, deep, 0).as_deref(), Ok("…"));
    }
}
