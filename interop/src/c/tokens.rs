//! Tokens of C: names, numbers, operators, and where they stand. Comments are left out.

use egraph::{ParseError, Place};
use std::iter::Peekable;
use std::str::Chars;

/// A token: a name, a number, an operator, a parenthesis, or nothing at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub text: String,
    pub place: Place,
    /// Its first byte in the text.
    pub at: usize,
}

/// An integer as C writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub value: u128,
    pub is_decimal: bool,
    /// Whether `u` follows.
    pub is_unsigned: bool,
    /// Whether `l` or `ll` follows.
    pub is_long: bool,
}

impl Token {
    pub fn expected(&self, what: &str) -> ParseError {
        let found = match self.text.as_str() {
            "" => "the end".to_owned(),
            text => format!("'{text}'"),
        };
        ParseError::new(self.place, format!("expected {what}, found {found}"))
    }

    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }

    /// The number that it is.
    pub fn number(&self) -> Result<Number, ParseError> {
        let text = self.text.to_ascii_lowercase();
        let digits = text.trim_end_matches(['u', 'l']);
        let suffix = &text[digits.len()..];
        let known = ["", "u", "l", "ul", "lu", "ll", "ull", "llu"].contains(&suffix);
        let (digits, radix) = match digits.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (digits, 10),
        };
        if !known || digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err(ParseError::new(
                self.place,
                format!(
                    "'{}' is no integer: expected decimal digits, or 0x and hexadecimal ones, and at \
                     most a suffix u, l or ul",
                    self.text
                ),
            ));
        }
        if radix == 10 && digits.len() > 1 && digits.starts_with('0') {
            let message =
                format!("'{}' would be octal in C: write it without the first 0", self.text);
            return Err(ParseError::new(self.place, message));
        }
        Ok(Number {
            // What does not fit in 128 bits does not fit in 64 either.
            value: u128::from_str_radix(digits, radix).unwrap_or(u128::MAX),
            is_decimal: radix == 10,
            is_unsigned: suffix.contains('u'),
            is_long: suffix.contains('l'),
        })
    }
}

/// Operators of more than one character, the longest first.
const OPERATORS: [&str; 23] = [
    "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "->", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##",
];

pub(super) struct Tokens<'t> {
    chars: Peekable<Chars<'t>>,
    place: Place,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub fn of(text: &'t str) -> Self {
        Tokens { chars: text.chars().peekable(), place: Place { line: 1, column: 1 }, at: 0 }
    }

    fn advance(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        self.at += c.len_utf8();
        match c {
            '\n' => self.place = Place { line: self.place.line + 1, column: 1 },
            _ => self.place.column += 1,
        }
        Some(c)
    }

    /// Whether these characters come next.
    fn follows(&self, text: &str) -> bool {
        let mut chars = self.chars.clone();
        text.chars().all(|c| chars.next() == Some(c))
    }

    /// White space and comments.
    fn skip(&mut self) -> Result<(), ParseError> {
        loop {
            let start = self.place;
            if self.chars.peek().is_some_and(|c| c.is_ascii_whitespace()) {
                self.advance();
            } else if self.follows("//") {
                while self.chars.peek().is_some_and(|c| *c != '\n') {
                    self.advance();
                }
            } else if self.follows("/*") {
                self.advance();
                self.advance();
                while !self.follows("*/") {
                    if self.advance().is_none() {
                        return Err(ParseError::new(start, "'/*' is never closed"));
                    }
                }
                self.advance();
                self.advance();
            } else {
                return Ok(());
            }
        }
    }

    /// What is left of a line, which is not looked at.
    pub fn skip_line(&mut self) {
        while self.chars.peek().is_some_and(|c| *c != '\n') {
            self.advance();
        }
    }

    pub fn next(&mut self) -> Result<Token, ParseError> {
        self.skip()?;
        let mut token = Token { text: String::new(), place: self.place, at: self.at };
        if let Some(operator) = OPERATORS.iter().find(|operator| self.follows(operator)) {
            operator.chars().for_each(|_| _ = self.advance());
            token.text.push_str(operator);
            return Ok(token);
        }
        let Some(first) = self.advance() else { return Ok(token) };
        token.text.push(first);
        let continues = |c: char| match first {
            _ if first.is_ascii_digit() => c == '.' || c == '_' || c.is_ascii_alphanumeric(),
            _ if first == '_' || first.is_ascii_alphabetic() => {
                c == '_' || c.is_ascii_alphanumeric()
            }
            _ => false,
        };
        while let Some(c) = self.chars.peek().copied().filter(|&c| continues(c)) {
            token.text.push(c);
            self.advance();
        }
        Ok(token)
    }
}
