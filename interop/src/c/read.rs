//! From text in the syntax of C to a term: tokens, then operators by how strongly they bind.

use crate::c::dialect::{BINARY, Dialect, Strength, UNARY, is_name};
use crate::c::tokens::{Token, Tokens};
use egraph::{Bits, Leaf, LeafValue, MAX_DEPTH, OpId, ParseError, Place, TermBank, TermId, Value};

/// Reads an expression in the infix syntax of C: names, integers (`10`, `0xff`, `1ul`), `~ + -` before an
/// operand, `* / % + - << >> & ^ |` between two, and parentheses, with the precedence of C.
///
/// The sort is the one with literals of the kind `(bits N)`, or else `i64`, that has such operators. Each
/// stands for the operator of that name; a minus before an operand for `neg`, or else for `-` of one
/// argument; before a number it belongs to the literal, modulo 2ᴺ for words. A name is a variable, or
/// an operator without arguments.
///
/// What an operator computes is the system's to say: where C has no value, as for a shift by N bits or a
/// division by zero, or converts operands to a wider type first, the two may differ; and built-in division
/// of negative integers rounds down, not towards zero, for a positive divisor.
///
/// # Errors
/// Malformed text, an operator that the system lacks, a number that is too large, or nesting beyond
/// [`MAX_DEPTH`], with the place.
pub fn read_c(bank: &mut TermBank, text: &str) -> Result<TermId, ParseError> {
    let language = bank.language().clone();
    let start = Place { line: 1, column: 1 };
    let dialect = Dialect::of(&language).map_err(|message| ParseError::new(start, message))?;
    let mut reader = Reader { bank, dialect, operands: Vec::new(), open: Vec::new(), nested: 0 };
    reader.expression(&mut Tokens::of(text))
}

/// What waits for an operand after it.
#[derive(Clone, Copy)]
enum Open {
    Parenthesis(Place),
    Unary(OpId, Place),
    Binary(OpId, Strength, Place),
}

/// Operands and what stands open are on stacks of their own, so that no input can overflow the thread's.
struct Reader<'b, 'l> {
    bank: &'b mut TermBank,
    dialect: Dialect<'l>,
    /// Terms, with how deep they are nested.
    operands: Vec<(TermId, usize)>,
    open: Vec<Open>,
    /// Parentheses and unary operators that stand open.
    nested: usize,
}

impl Reader<'_, '_> {
    fn expression(&mut self, tokens: &mut Tokens<'_>) -> Result<TermId, ParseError> {
        loop {
            self.operand(tokens)?;
            loop {
                let token = tokens.next()?;
                let binary = BINARY.iter().find(|(symbol, _)| token.is(symbol)).copied();
                if let Some((symbol, strength)) = binary {
                    self.close(strength)?;
                    let op = located(token.place, self.dialect.binary(symbol))?;
                    self.open.push(Open::Binary(op, strength, token.place));
                    break;
                }
                if matches!(&*token.text, "++" | "--") {
                    return Err(changes(&token));
                }
                if !matches!(token.text.as_str(), ")" | "") {
                    return Err(token.expected("an operator as + or <<, or the end"));
                }
                self.close(0)?;
                match (token.text.as_str(), self.open.pop()) {
                    ("", None) => {
                        return Ok(self.operands.pop().expect("an operand was read").0);
                    }
                    ("", Some(Open::Parenthesis(place))) => {
                        return Err(ParseError::new(place, "'(' is never closed"));
                    }
                    (_, None) => {
                        let message = "')' without an opening '(' before it";
                        return Err(ParseError::new(token.place, message));
                    }
                    (_, Some(_)) => self.nested -= 1,
                }
            }
        }
    }

    /// Reads what stands before an operand, and a name or a number.
    fn operand(&mut self, tokens: &mut Tokens<'_>) -> Result<(), ParseError> {
        let mut negative = None;
        loop {
            let token = tokens.next()?;
            if matches!(&*token.text, "++" | "--") {
                return Err(changes(&token));
            }
            if token.is_number() {
                let term = self.literal(&token, negative.is_some())?;
                self.operands.push((term, 0));
                return Ok(());
            }
            // A minus that no number follows is an operator.
            if let Some(place) = negative.take() {
                self.enter_unary("-", place)?;
            }
            match token.text.as_str() {
                "-" => negative = Some(token.place),
                "~" => self.enter_unary("~", token.place)?,
                "+" => {}
                "(" => self.enter(Open::Parenthesis(token.place), token.place)?,
                text if is_name(text) => {
                    let term = located(token.place, self.name(text))?;
                    self.operands.push((term, 0));
                    return Ok(());
                }
                _ => return Err(token.expected("a name, a number, '(', '~' or '-'")),
            }
        }
    }

    fn name(&mut self, name: &str) -> Result<TermId, String> {
        let language = self.bank.language().clone();
        let Some(op) = language.operator(name) else {
            return language.leaf(name, Some(self.dialect.sort)).map(|leaf| self.bank.leaf(&leaf));
        };
        let operator = language.op(op);
        if !operator.args.is_empty() {
            return Err(format!("'{name}' is an operator with arguments, and no variable"));
        }
        if operator.result != self.dialect.sort {
            let sort = self.dialect.sort_name();
            return Err(format!("'{name}' is not of sort {sort}, as all of the expression is"));
        }
        Ok(self.bank.apply(op, &[]))
    }

    fn literal(&mut self, token: &Token, negative: bool) -> Result<TermId, ParseError> {
        let number = token.number()?.value;
        let largest = match self.dialect.width {
            Some(width) => u128::from(width.largest()),
            None => i64::MAX as u128 + u128::from(negative),
        };
        if number > largest {
            let (sign, bits) = match (self.dialect.width, negative) {
                (Some(width), _) => ("", width.bits()),
                (None, true) => ("-", 64),
                (None, false) => ("", 64),
            };
            let message = format!(
                "'{}' does not fit in {bits} bits: expected no number beyond {sign}{largest}",
                token.text
            );
            return Err(ParseError::new(token.place, message));
        }
        let number = number as u64;
        let number = if negative { number.wrapping_neg() } else { number };
        let value = match self.dialect.width {
            Some(width) => Value::Bits(Bits::new(width, number)),
            None => Value::Int(number as i64),
        };
        Ok(self.bank.leaf(&Leaf { sort: self.dialect.sort, value: LeafValue::Literal(value) }))
    }

    fn enter_unary(&mut self, symbol: &str, place: Place) -> Result<(), ParseError> {
        let op = located(place, self.dialect.unary(symbol))?;
        self.enter(Open::Unary(op, place), place)
    }

    fn enter(&mut self, open: Open, place: Place) -> Result<(), ParseError> {
        self.nested += 1;
        self.open.push(open);
        within(self.nested, place)
    }

    /// Applies the operators that bind at least so strongly, as far as the last parenthesis.
    fn close(&mut self, least: Strength) -> Result<(), ParseError> {
        while let Some(&open) = self.open.last() {
            let (op, arguments, place) = match open {
                Open::Unary(op, place) if UNARY >= least => (op, 1, place),
                Open::Binary(op, strength, place) if strength >= least => (op, 2, place),
                _ => break,
            };
            self.open.pop();
            self.nested -= usize::from(arguments == 1);
            let operands = self.operands.split_off(self.operands.len() - arguments);
            let depth = 1 + operands.iter().map(|&(_, depth)| depth).max().unwrap_or(0);
            within(depth, place)?;
            let terms: Vec<TermId> = operands.into_iter().map(|(term, _)| term).collect();
            self.operands.push((self.bank.apply(op, &terms), depth));
        }
        Ok(())
    }
}

fn changes(token: &Token) -> ParseError {
    let message =
        format!("'{}' changes a variable in C: write a space between the signs", token.text);
    ParseError::new(token.place, message)
}

fn within(depth: usize, place: Place) -> Result<(), ParseError> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    let message = format!("the expression is nested more than {MAX_DEPTH} deep");
    Err(ParseError::new(place, message))
}

fn located<T>(place: Place, result: Result<T, String>) -> Result<T, ParseError> {
    result.map_err(|message| ParseError::new(place, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    const WORDS: &str = "(sort W) (literal (bits 8) W) (variable W)
        (op + (W W) W) (op - (W W) W) (op * (W W) W) (op / (W W) W) (op % (W W) W) (op & (W W) W)
        (op | (W W) W) (op ^ (W W) W) (op << (W W) W) (op >> (W W) W) (op ~ (W) W) (op neg (W) W)
        (op one () W) (op f (W) W)";

    fn read_by(rules: &str, text: &str) -> Result<String, String> {
        let mut bank = TermBank::new(System::parse(rules).unwrap().language.clone());
        let term = read_c(&mut bank, text).map_err(|mistake| mistake.to_string())?;
        Ok(bank.text(term))
    }

    fn read(text: &str) -> Result<String, String> {
        read_by(WORDS, text)
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (text, term) in [
            ("x", "x"),
            ("a + b * c", "(+ a (* b c))"),
            ("a * b + c", "(+ (* a b) c)"),
            ("a - b - c", "(- (- a b) c)"),
            ("a - (b - c)", "(- a (- b c))"),
            ("a / b * c % d", "(% (* (/ a b) c) d)"),
            ("a << b + c", "(<< a (+ b c))"),
            ("a << b >> c", "(>> (<< a b) c)"),
            ("a & b << c", "(& a (<< b c))"),
            ("a & b + c", "(& a (+ b c))"),
            ("a ^ b & c ^ d", "(^ (^ a (& b c)) d)"),
            ("a | b ^ c & d", "(| a (^ b (& c d)))"),
            ("a & b ^ c | d", "(| (^ (& a b) c) d)"),
            ("a|b|c", "(| (| a b) c)"),
            ("~a * -b", "(* (~ a) (neg b))"),
            ("-a - -b", "(- (neg a) (neg b))"),
            ("-~-a", "(neg (~ (neg a)))"),
            ("~(a + b)", "(~ (+ a b))"),
            ("+a - +3", "(- a 3)"),
            ("-3 + - 4", "(+ 253 252)"),
            ("-(3)", "(neg 3)"),
            ("-+3", "(neg 3)"),
            ("0xFf - 0X10uL + 7LL", "(+ (- 255 16) 7)"),
            ("(((x)))", "x"),
            ("x + y - 2*(x & y)", "(- (+ x y) (* 2 (& x y)))"),
            ("one + _a1\n\t| 0", "(| (+ one _a1) 0)"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(term), "{text}");
        }
    }

    #[test]
    fn mistakes_are_told_with_their_places() {
        for (text, mistake) in [
            ("", "1:1: expected a name, a number, '(', '~' or '-', found the end"),
            ("()", "1:2: expected a name, a number, '(', '~' or '-', found ')'"),
            ("a +", "1:4: expected a name"),
            ("a b", "1:3: expected an operator as + or <<, or the end, found 'b'"),
            ("f(a)", "1:1: 'f' is an operator with arguments"),
            ("a (b)", "1:3: expected an operator"),
            ("(a", "1:1: '(' is never closed"),
            ("a + (b\n* (c)", "1:5: '(' is never closed"),
            ("a)", "1:2: ')' without an opening '('"),
            ("1x", "1:1: '1x' is no integer"),
            ("a + 0xG", "1:5: '0xG' is no integer"),
            ("0x", "1:1: '0x' is no integer"),
            ("1lul", "1:1: '1lul' is no integer"),
            ("1.5", "1:1: '1.5' is no integer"),
            ("010", "1:1: '010' would be octal"),
            ("a +\n  256", "2:3: '256' does not fit in 8 bits: expected no number beyond 255"),
            ("-0x100", "1:2: '0x100' does not fit in 8 bits"),
            ("99999999999999999999999999999999999999999", "1:1: '99999"),
            ("a + é", "1:5: expected a name, a number, '(', '~' or '-', found 'é'"),
            ("é + a é", "1:1: expected a name"),
            ("a\u{a0}+ b", "1:2: expected an operator"),
            ("a --b", "1:3: '--' changes a variable"),
            ("a < b", "1:3: expected an operator as + or <<, or the end, found '<'"),
            ("a && b", "1:3: expected an operator as + or <<, or the end, found '&&'"),
            ("a * *b", "1:5: expected a name"),
            ("int", "1:1: expected a name"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(mistake), "{text}: {found}");
        }
    }

    #[test]
    fn what_a_system_lacks_is_said() {
        let few =
            "(sort W) (sort N) (literal (bits 8) W) (literal i64 N) (variable W) (op + (W W) W)
            (op << (W N) W) (op ~ (W W) W)";
        for (rules, text, mistake) in [
            (few, "a % b", "1:3: the system has no operator '%'"),
            (few, "a << b", "1:3: the system's operator '<<' is not one of two arguments on W"),
            (few, "~a", "1:1: the system's operator '~' is not one of one argument on W"),
            (few, "a + -b", "1:5: the system has no operator for a minus with one operand"),
            (
                "(sort R) (literal f64 R) (op + (R R) R)",
                "a",
                "1:1: the system has no operator of C",
            ),
            ("(sort W) (literal (bits 8) W) (op + (W W) W)", "a", "1:1: unknown name 'a'"),
        ] {
            let found = read_by(rules, text).unwrap_err();
            assert!(found.starts_with(mistake), "{text}: {found}");
        }
    }

    #[test]
    fn integers_keep_their_signs() {
        let rules = "(sort S) (sort I) (literal (bits 64) S) (literal i64 I) (variable I)
            (op - (I) I) (op + (I I) I)";
        let least = "-9223372036854775808";
        assert_eq!(read_by(rules, least).as_deref(), Ok(least));
        assert_eq!(read_by(rules, "-x + -3").as_deref(), Ok("(+ (- x) -3)"));
        assert!(read_by(rules, &least[1..]).unwrap_err().contains("beyond 9223372036854775807"));
        let mistake = read_by(rules, "-9223372036854775809").unwrap_err();
        assert!(mistake.contains(&format!("beyond {least}")), "{mistake}");
    }

    #[test]
    fn nesting_is_bounded() {
        let many = 100_000;
        for text in [
            "(".repeat(many),
            "~".repeat(many) + "a",
            "- ".repeat(many) + "a",
            "a + ".repeat(many) + "a",
            "a | (b & ".repeat(many),
            format!("{}a{}", "(".repeat(MAX_DEPTH + 1), ")".repeat(MAX_DEPTH + 1)),
        ] {
            let mistake = read(&text).unwrap_err();
            assert!(mistake.contains("nested more than"), "{mistake}");
        }
        let deep = format!("{}a{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
        assert_eq!(read(&deep).as_deref(), Ok("a"));
        assert!(read(&("a + ".repeat(MAX_DEPTH) + "a")).is_ok());
        assert_eq!(read(&("+ ".repeat(many) + "a")).as_deref(), Ok("a"));
    }
}
