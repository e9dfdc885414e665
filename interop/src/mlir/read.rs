//! From text in the generic form of MLIR to operations.

use crate::mlir::ops::{Attribute, Block, Item, Module, Op, Region, START};
use egraph::{ParseError, Place};

/// Regions that are nested deeper are refused, so that operations may be recursed on.
const MOST_REGIONS: usize = 100;
/// Results of one operation, of those that are declared by their number.
const MOST_RESULTS: usize = 10_000;

/// What is expected where a text is not in this form.
pub const GENERIC: &str = "an operation in the generic form";

/// Reads a text in the generic form, as `mlir-opt --mlir-print-op-generic` and `xdsl-opt
/// --print-op-generic` write it.
///
/// # Errors
/// The first mistake, with its place.
pub fn read(text: &str) -> Result<Module, ParseError> {
    let mut reader = Reader { text, at: 0, seen: (0, START), regions: 0 };
    let mut items = Vec::new();
    loop {
        reader.skip();
        let item = match reader.peek() {
            None => return Ok(Module { items }),
            Some('#' | '!') => Item::Text(reader.raw(&['\n'])?),
            Some('{') => {
                let rest = &reader.text[reader.at..];
                let Some(end) = rest.find("#-}").filter(|_| rest.starts_with("{-#")) else {
                    return Err(reader.expected("an operation"));
                };
                reader.at += end + 3;
                Item::Text(rest[..end + 3].to_owned())
            }
            Some(_) => Item::Op(Box::new(reader.op()?)),
        };
        items.push(item);
    }
}

struct Reader<'t> {
    text: &'t str,
    /// In bytes.
    at: usize,
    /// A byte before, and its place.
    seen: (usize, Place),
    /// Regions that stand open.
    regions: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn place(&self) -> Place {
        let (from, Place { line, column }) = self.seen;
        let passed = &self.text[from.min(self.at)..self.at];
        let lines = passed.matches('\n').count() as u32;
        let last = passed.chars().rev().take_while(|&c| c != '\n').count() as u32;
        Place { line: line + lines, column: if lines == 0 { column + last } else { last + 1 } }
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.place(), message)
    }

    fn expected(&self, what: &str) -> ParseError {
        let found: String = self.text[self.at..]
            .chars()
            .enumerate()
            .take_while(|&(i, c)| i == 0 || !c.is_whitespace() && i < 20)
            .map(|(_, c)| c)
            .collect();
        match found.as_str() {
            "" => self.error(format!("expected {what}, found the end")),
            found => self.error(format!("expected {what}, found '{found}'")),
        }
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Takes the text if it comes next.
    fn takes(&mut self, text: &str) -> bool {
        self.skip();
        let there = self.text[self.at..].starts_with(text);
        self.at += if there { text.len() } else { 0 };
        there
    }

    fn expect(&mut self, text: &str) -> Result<(), ParseError> {
        if self.takes(text) { Ok(()) } else { Err(self.expected(&format!("'{text}'"))) }
    }

    /// As many characters as are `of` a kind.
    fn while_of(&mut self, of: impl Fn(char) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !of(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A name after its sign, as `%0` or `^bb1`, sign included.
    fn name(&mut self, sign: char, what: &str) -> Result<String, ParseError> {
        self.skip();
        if self.peek() != Some(sign) {
            return Err(self.expected(what));
        }
        let start = self.at;
        self.at += 1;
        let name = self.while_of(is_of_name);
        if name.is_empty() {
            self.at = start;
            return Err(self.expected(what));
        }
        Ok(format!("{sign}{name}"))
    }

    fn number(&mut self) -> Result<usize, ParseError> {
        let digits = self.while_of(|c| c.is_ascii_digit());
        let number = digits.parse().ok().filter(|&number| number <= MOST_RESULTS);
        number.ok_or_else(|| self.error(format!("expected a number up to {MOST_RESULTS}")))
    }

    /// A use of a value: `%0`, or `%0#1`.
    fn value(&mut self) -> Result<String, ParseError> {
        let name = self.name('%', "a value, as %0")?;
        if self.peek() != Some('#') {
            return Ok(name);
        }
        self.at += 1;
        Ok(format!("{name}#{}", self.number()?))
    }

    fn string(&mut self, what: &str) -> Result<String, ParseError> {
        self.skip();
        if self.peek() != Some('"') {
            return Err(self.expected(what));
        }
        let start = self.at;
        self.skip_string()?;
        Ok(self.text[start + 1..self.at - 1].to_owned())
    }

    fn skip_string(&mut self) -> Result<(), ParseError> {
        let mut chars = self.text[self.at..].char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(());
                }
                '\\' => drop(chars.next()),
                '\n' => break,
                _ => {}
            }
        }
        Err(self.error("'\"' is never closed on its line"))
    }

    /// Text up to one of the characters, which is not in brackets; without comments, with single spaces.
    fn raw(&mut self, ends: &[char]) -> Result<String, ParseError> {
        self.skip();
        let mut open: Vec<(char, usize)> = Vec::new();
        let mut text = String::new();
        while let Some(c) = self.peek() {
            if open.is_empty() && ends.contains(&c) {
                break;
            }
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            if let Some(whole) = ["->", ">=", "<="].into_iter().find(|op| rest.starts_with(op)) {
                text += whole;
                self.at += 2;
                continue;
            }
            if c == '"' {
                let start = self.at;
                self.skip_string()?;
                text += &self.text[start..self.at];
                continue;
            }
            match c {
                '(' => open.push((')', self.at)),
                '[' => open.push((']', self.at)),
                '{' => open.push(('}', self.at)),
                '<' => open.push(('>', self.at)),
                ')' | ']' | '}' | '>' => match open.pop() {
                    Some((close, _)) if close == c => {}
                    Some((close, _)) => return Err(self.expected(&format!("'{close}'"))),
                    None => return Err(self.error(format!("'{c}' closes nothing"))),
                },
                _ => {}
            }
            match c.is_whitespace() {
                true if text.ends_with(' ') => {}
                true => text.push(' '),
                false => text.push(c),
            }
            self.at += c.len_utf8();
        }
        if let Some(&(_, start)) = open.last() {
            self.at = start;
            let c = self.peek().unwrap_or_default();
            return Err(self.error(format!("'{c}' is never closed")));
        }
        text.truncate(text.trim_end().len());
        Ok(text)
    }

    /// What `item` reads, with commas between, up to `end`, which is taken.
    fn list<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut all = Vec::new();
        if self.takes(end) {
            return Ok(all);
        }
        loop {
            all.push(item(self)?);
            if self.takes(end) {
                return Ok(all);
            }
            if !self.takes(",") {
                return Err(self.expected(&format!("',' or '{end}'")));
            }
        }
    }

    fn op(&mut self) -> Result<Op, ParseError> {
        self.skip();
        self.seen = (self.at, self.place());
        let mut op = Op::new("", self.seen.1);
        if self.peek() == Some('%') {
            op.results = self.results()?;
        }
        op.name = self.string(
            &format!(
                "{GENERIC}, as \"arith.addi\"(%0, %1) : (i32, i32) -> i32 (mlir-opt --mlir-print-op-generic writes it)"
            ),
        )?;
        self.expect("(")?;
        op.operands = self.list(")", Self::value)?;
        if self.takes("[") {
            op.successors = self.list("]", |reader| reader.text_of("a block", &[',', ']']))?;
        }
        if self.takes("<{") {
            op.properties = self.list("}", Self::attribute)?;
            self.expect(">")?;
        }
        if self.takes("(") {
            op.regions = self.list(")", Self::region)?;
        }
        if self.takes("{") {
            op.attributes = self.list("}", Self::attribute)?;
        }
        self.expect(":")?;
        self.expect("(")?;
        op.operand_types = self.types()?;
        self.expect("->")?;
        op.result_types = if self.takes("(") { self.types()? } else { vec![self.bare_type()?] };
        if self.takes("loc(") {
            op.location = Some(self.raw(&[')'])?);
            self.expect(")")?;
        }
        for (what, values, types) in [
            ("operands", op.operands.len(), op.operand_types.len()),
            ("results", op.results.len(), op.result_types.len()),
        ] {
            // Results that nobody uses need no names.
            if values != types && !(what == "results" && values == 0) {
                let message = format!("'{}' has {values} {what} and {types} types", op.name);
                return Err(ParseError::new(op.place, message));
            }
        }
        Ok(op)
    }

    /// `%0, %1:2 =`
    fn results(&mut self) -> Result<Vec<String>, ParseError> {
        let mut names = Vec::new();
        let groups = self.list("=", |reader| {
            let name = reader.name('%', "a value, as %0")?;
            let of_group = reader.takes(":");
            reader.skip();
            Ok((name, if of_group { Some(reader.number()?) } else { None }))
        })?;
        for (name, count) in groups {
            match count {
                None | Some(1) => names.push(name),
                Some(count) => names.extend((0..count).map(|i| format!("{name}#{i}"))),
            }
        }
        Ok(names)
    }

    /// Text up to one of the characters, of which there must be some.
    fn text_of(&mut self, what: &str, ends: &[char]) -> Result<String, ParseError> {
        self.skip();
        let start = self.at;
        let text = self.raw(ends)?;
        if text.is_empty() {
            self.at = start;
            return Err(self.expected(what));
        }
        Ok(text)
    }

    fn attribute(&mut self) -> Result<Attribute, ParseError> {
        self.skip();
        let name = match self.peek() {
            Some('"') => self.string("the name of an attribute")?,
            _ => self.while_of(is_of_name).to_owned(),
        };
        if name.is_empty() {
            return Err(self.expected("the name of an attribute"));
        }
        let value = match self.takes("=") {
            true => Some(self.text_of("the value of an attribute", &[',', '}'])?),
            false => None,
        };
        Ok((name, value))
    }

    /// Types up to the parenthesis, which is taken.
    fn types(&mut self) -> Result<Vec<String>, ParseError> {
        self.list(")", Self::type_of_list)
    }

    /// A type between commas, which may be that of a function.
    fn type_of_list(&mut self) -> Result<String, ParseError> {
        self.skip();
        match self.peek() {
            Some('(') => self.text_of("a type", &[',', ')']),
            _ => self.bare_type(),
        }
    }

    /// A type without parentheses around it: `i32`, `memref<4xi32>`, `!llvm.ptr`.
    fn bare_type(&mut self) -> Result<String, ParseError> {
        self.skip();
        let start = self.at;
        if self.peek() == Some('!') {
            self.at += 1;
        }
        let name = self.while_of(is_of_name);
        if name.is_empty() {
            self.at = start;
            return Err(self.expected("a type"));
        }
        let head = self.text[start..self.at].to_owned();
        if self.peek() != Some('<') {
            return Ok(head);
        }
        self.at += 1;
        let inner = self.raw(&['>'])?;
        self.expect(">")?;
        Ok(format!("{head}<{inner}>"))
    }

    fn region(&mut self) -> Result<Region, ParseError> {
        self.skip();
        if self.regions >= MOST_REGIONS {
            let message = format!("regions are nested more than {MOST_REGIONS} deep");
            return Err(self.error(message));
        }
        let start = self.at;
        self.expect("{")?;
        self.regions += 1;
        let mut blocks: Vec<Block> = Vec::new();
        while !self.takes("}") {
            match self.peek() {
                None => {
                    self.at = start;
                    return Err(self.error("'{' is never closed"));
                }
                Some('^') => {
                    let block = self.label()?;
                    blocks.push(block);
                }
                Some(_) => {
                    if blocks.is_empty() {
                        blocks.push(Block::default());
                    }
                    let op = self.op()?;
                    blocks.last_mut().expect("there is one").ops.push(op);
                }
            }
        }
        self.regions -= 1;
        Ok(Region { blocks })
    }

    /// `^bb0(%0: i32):`
    fn label(&mut self) -> Result<Block, ParseError> {
        let label = Some(self.name('^', "a block, as ^bb0")?);
        let mut arguments = Vec::new();
        if self.takes("(") {
            arguments = self.list(")", |reader| {
                let name = reader.name('%', "a value, as %0")?;
                reader.expect(":")?;
                Ok((name, reader.type_of_list()?))
            })?;
        }
        self.expect(":")?;
        Ok(Block { label, arguments, ops: Vec::new() })
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-')
}
