//! From an expression of C to a term, by the types of its parts.
//!
//! What an expression is sure to compute is noted, so that the same may be written again.

use crate::c::dialect::is_name;
use crate::c::tokens::{Token, Tokens};
use crate::c::typed::helpers::helper_named;
use crate::c::typed::types::{CType, TYPE_WORDS, Typed};
use crate::words::{Sure, Words};
use egraph::{ParseError, TermBank, TermId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Expressions and statements may stand in one another this deep.
const MAX_NESTED: usize = 200;

/// The binary operators with how strongly they bind.
const BINARY: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<", 7),
    ("<=", 7),
    (">", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

/// A variable that was declared; without a value before it was assigned one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub ctype: CType,
    pub value: Option<TermId>,
}

pub(super) struct Reader<'b, 't> {
    pub bank: &'b mut TermBank,
    pub words: Arc<Words>,
    tokens: Tokens<'t>,
    /// The one that comes next.
    pub token: Token,
    /// Where the last one ended that was taken.
    pub taken: usize,
    pub variables: FxHashMap<String, Variable>,
    /// The type of names that are not declared, where these are allowed.
    pub free: Option<CType>,
    /// The free names, in their order.
    pub found: Vec<(String, CType)>,
    /// How many choices around decide whether what is read is computed at all.
    pub conditional: usize,
    pub sure: Sure,
    nested: usize,
}

impl<'b, 't> Reader<'b, 't> {
    pub fn new(
        bank: &'b mut TermBank,
        words: Arc<Words>,
        text: &'t str,
    ) -> Result<Self, ParseError> {
        let mut tokens = Tokens::of(text);
        let token = tokens.next()?;
        Ok(Reader {
            bank,
            words,
            tokens,
            token,
            taken: 0,
            variables: FxHashMap::default(),
            free: None,
            found: Vec::new(),
            conditional: 0,
            sure: Sure::default(),
            nested: 0,
        })
    }

    /// Takes the next token.
    pub fn advance(&mut self) -> Result<Token, ParseError> {
        let next = self.tokens.next()?;
        let token = std::mem::replace(&mut self.token, next);
        self.taken = token.at + token.text.len();
        Ok(token)
    }

    /// Leaves out the rest of the line on which the last token stood.
    pub fn skip_line(&mut self) -> Result<(), ParseError> {
        self.tokens.skip_line();
        self.token = self.tokens.next()?;
        Ok(())
    }

    /// Takes the next token if it is this one.
    pub fn takes(&mut self, text: &str) -> Result<bool, ParseError> {
        let is = self.token.is(text);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    pub fn expect(&mut self, text: &str) -> Result<Token, ParseError> {
        if self.token.is(text) {
            self.advance()
        } else {
            Err(self.token.expected(&format!("'{text}'")))
        }
    }

    pub fn name(&mut self, what: &str) -> Result<Token, ParseError> {
        if self.token.is("*") {
            return Err(self.token_says("pointers can't be said: expected a name"));
        }
        if is_name(&self.token.text) { self.advance() } else { Err(self.token.expected(what)) }
    }

    pub fn token_says(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.token.place, message)
    }

    /// Reads something inside of something else.
    pub fn inside<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.enter()?;
        let found = read(self)?;
        self.leave();
        Ok(found)
    }

    /// Goes one deeper.
    pub fn enter(&mut self) -> Result<(), ParseError> {
        self.nested += 1;
        if self.nested > MAX_NESTED {
            return Err(self.token_says(format!("nested more than {MAX_NESTED} deep")));
        }
        Ok(())
    }

    pub fn leave(&mut self) {
        self.nested -= 1;
    }

    /// Whether a type comes next.
    pub fn is_type(&self) -> bool {
        is_type(&self.token) && !self.variables.contains_key(&self.token.text)
    }

    /// Reads a type.
    pub fn ctype(&mut self) -> Result<CType, ParseError> {
        let first = self.token.clone();
        let mut words: Vec<String> = Vec::new();
        loop {
            if self.takes("const")? || self.takes("volatile")? {
                continue;
            }
            let more =
                TYPE_WORDS.contains(&&*self.token.text) || words.is_empty() && is_type(&self.token);
            if !more {
                break;
            }
            words.push(self.advance()?.text);
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let known = CType::of_words(&words);
        let known = known.ok_or_else(|| {
            let what = "an integer type, as int, unsigned long or uint8_t";
            if words.is_empty() {
                first.expected(what)
            } else {
                ParseError::new(
                    first.place,
                    format!("expected {what}, found '{}'", words.join(" ")),
                )
            }
        })?;
        if self.token.is("*") {
            return Err(self.token_says("pointers can't be said"));
        }
        Ok(known)
    }

    pub fn expression(&mut self) -> Result<Typed, ParseError> {
        self.inside(Self::choice)
    }

    fn choice(&mut self) -> Result<Typed, ParseError> {
        let condition = self.binary(1)?;
        if !self.token.is("?") {
            return Ok(condition);
        }
        let place = self.advance()?;
        let condition = self.at(&place, |reader| reader.truth(condition))?;
        self.conditional += 1;
        let then = self.expression()?;
        self.expect(":")?;
        let otherwise = self.inside(Self::choice)?;
        self.conditional -= 1;
        let ctype = then.ctype.common(otherwise.ctype);
        self.at(&place, |reader| {
            let args = [condition, reader.convert(then, ctype)?, reader.convert(otherwise, ctype)?];
            let term = reader.words.apply(reader.bank, "select", ctype.bits, &args)?;
            Ok(Typed { term, ctype })
        })
    }

    fn binary(&mut self, least: u8) -> Result<Typed, ParseError> {
        let mut left = self.unary()?;
        while let Some(&(name, strength)) =
            BINARY.iter().find(|(name, strength)| self.token.is(name) && *strength >= least)
        {
            let place = self.advance()?;
            let may_not = usize::from(matches!(name, "&&" | "||"));
            self.conditional += may_not;
            let right = self.inside(|reader| reader.binary(strength + 1))?;
            self.conditional -= may_not;
            left = self.at(&place, |reader| reader.operation(name, left, right))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Typed, ParseError> {
        let token = self.token.clone();
        match &*token.text {
            "+" | "-" | "~" | "!" => {
                self.advance()?;
                let operand = self.inside(Self::unary)?;
                let name = match &*token.text {
                    "-" => "neg",
                    "~" => "~",
                    "!" => "!",
                    _ => "+",
                };
                self.at(&token, |reader| reader.prefixed(name, operand))
            }
            "(" => {
                self.advance()?;
                if self.is_type() || self.token.is("const") {
                    let ctype = self.ctype()?;
                    self.expect(")")?;
                    let operand = self.inside(Self::unary)?;
                    return self.at(&token, |reader| {
                        Ok(Typed { term: reader.convert(operand, ctype)?, ctype })
                    });
                }
                let inner = self.expression()?;
                if self.token.is("") {
                    return Err(ParseError::new(token.place, "'(' is never closed"));
                }
                self.expect(")")?;
                Ok(inner)
            }
            _ if token.is_number() => {
                self.advance()?;
                self.literal(&token)
            }
            "++" | "--" => {
                Err(self
                    .token_says(format!("'{}' inside of an expression can't be said", token.text)))
            }
            "sizeof" => Err(self.token_says("sizeof can't be said: write the number")),
            text if is_name(text) => {
                self.advance()?;
                let found =
                    if self.token.is("(") { self.call(&token)? } else { self.variable(&token)? };
                match &*self.token.text {
                    "[" | "." | "->" => {
                        Err(self.token_says("arrays, structures and pointers can't be said"))
                    }
                    "++" | "--" => {
                        let message =
                            format!("'{}' inside of an expression can't be said", self.token.text);
                        Err(self.token_says(message))
                    }
                    _ => Ok(found),
                }
            }
            "*" | "&" => Err(self.token_says("pointers can't be said")),
            _ => {
                Err(token.expected("a name, a number, a type in parentheses, '(', '!', '~' or '-'"))
            }
        }
    }

    fn literal(&mut self, token: &Token) -> Result<Typed, ParseError> {
        let number = token.number()?;
        let types = [
            (CType::INT, 31, !number.is_unsigned && !number.is_long),
            (CType::UNSIGNED, 32, !number.is_long && (number.is_unsigned || !number.is_decimal)),
            (CType::of(64, true), 63, !number.is_unsigned),
            (CType::of(64, false), 64, true),
        ];
        let fits = types.iter().find(|(_, bits, may)| *may && number.value >> bits == 0);
        let Some(&(ctype, ..)) = fits else {
            let message = format!("'{}' does not fit in 64 bits", token.text);
            return Err(ParseError::new(token.place, message));
        };
        self.at(token, |reader| {
            let term = reader.words.literal(reader.bank, ctype.bits, number.value as u64)?;
            Ok(Typed { term, ctype })
        })
    }

    fn variable(&mut self, token: &Token) -> Result<Typed, ParseError> {
        let says = |message| Err(ParseError::new(token.place, message));
        let declared = self.variables.get(&token.text);
        if declared.is_none() && matches!(&*token.text, "true" | "false") {
            return self.at(token, |reader| {
                let truth = u64::from(token.is("true"));
                let term = reader.words.literal(reader.bank, 1, truth)?;
                Ok(Typed { term, ctype: CType::BOOL })
            });
        }
        match (declared, self.free) {
            (Some(Variable { ctype, value: Some(term) }), _) => {
                Ok(Typed { term: *term, ctype: *ctype })
            }
            (Some(_), _) => says(format!("'{}' has no value here", token.text)),
            (None, Some(ctype)) => {
                let name = token.text.clone();
                self.found.push((name.clone(), ctype));
                self.at(token, |reader| {
                    let term = reader.words.variable(reader.bank, ctype.bits, &name)?;
                    reader.variables.insert(name, Variable { ctype, value: Some(term) });
                    Ok(Typed { term, ctype })
                })
            }
            (None, None) => says(format!("'{}' is not declared", token.text)),
        }
    }

    /// A call of a function that is known: `name` was taken.
    fn call(&mut self, name: &Token) -> Result<Typed, ParseError> {
        self.expect("(")?;
        let mut args = vec![self.expression()?];
        while self.takes(",")? {
            args.push(self.expression()?);
        }
        self.expect(")")?;
        let (called, of) = match &*name.text {
            "__builtin_popcount" => ("popcount", CType::UNSIGNED),
            "__builtin_popcountl" | "__builtin_popcountll" => ("popcount", CType::of(64, false)),
            "__builtin_clz" => ("clz", CType::UNSIGNED),
            "__builtin_clzl" | "__builtin_clzll" => ("clz", CType::of(64, false)),
            "__builtin_ctz" => ("ctz", CType::UNSIGNED),
            "__builtin_ctzl" | "__builtin_ctzll" => ("ctz", CType::of(64, false)),
            "abs" => ("abs", CType::INT),
            "labs" | "llabs" => ("abs", CType::of(64, true)),
            "__builtin_expect" if args.len() == 2 => return Ok(args[0]),
            other if helper_named(other).is_some() => return self.helper(name, &args),
            other => {
                let message = format!("the function '{other}' is not known");
                return Err(ParseError::new(name.place, message));
            }
        };
        let [arg] = args[..] else {
            let message = format!("'{}' takes one argument", name.text);
            return Err(ParseError::new(name.place, message));
        };
        self.at(name, |reader| {
            let term = reader.convert(arg, of)?;
            if called == "abs" {
                let zero = reader.words.literal(reader.bank, of.bits, 0)?;
                let is_negative = reader.words.apply(reader.bank, "<s", 1, &[term, zero])?;
                let negated = reader.words.apply(reader.bank, "neg", of.bits, &[term])?;
                let args = [is_negative, negated, term];
                let term = reader.words.apply(reader.bank, "select", of.bits, &args)?;
                return Ok(Typed { term, ctype: of });
            }
            let term = reader.words.apply(reader.bank, called, of.bits, &[term])?;
            // All of them give an int.
            let count = Typed { term, ctype: of };
            Ok(Typed { term: reader.convert(count, CType::INT)?, ctype: CType::INT })
        })
    }

    /// A call of a function that Cairn writes where C has no operator or no value.
    fn helper(&mut self, name: &Token, args: &[Typed]) -> Result<Typed, ParseError> {
        let (operator, bits) = helper_named(&name.text).expect("it was asked for");
        let arity = if matches!(operator, "clz" | "ctz") { 1 } else { 2 };
        if args.len() != arity {
            let message = format!("'{}' takes {arity} arguments, found {}", name.text, args.len());
            return Err(ParseError::new(name.place, message));
        }
        let signed = matches!(operator, ">>s" | "/s" | "%s" | "mins" | "maxs");
        self.at(name, |reader| {
            let of = CType::of(bits, false);
            let args: Vec<TermId> =
                args.iter().map(|arg| reader.convert(*arg, of)).collect::<Result<_, _>>()?;
            let term = reader.words.apply(reader.bank, operator, bits, &args)?;
            Ok(Typed { term, ctype: CType::of(bits, signed) })
        })
    }

    /// Says a mistake at a token.
    pub fn at<T>(
        &mut self,
        token: &Token,
        make: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, ParseError> {
        make(self).map_err(|message| ParseError::new(token.place, message))
    }
}

fn is_type(token: &Token) -> bool {
    TYPE_WORDS.contains(&&*token.text) || CType::named(&token.text).is_some() || token.is("const")
}
