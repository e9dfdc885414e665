//! Functions of C without loops: declarations, assignments, choices and returns become one term.

use crate::c::typed::helpers::helper_named;
use crate::c::typed::read::{Reader, Variable};
use crate::c::typed::types::{CType, Typed};
use crate::words::{Sure, Words};
use egraph::{ParseError, Place, TermBank, TermId};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// A function of C, or an expression, as a term over its parameters.
#[derive(Clone, Debug)]
pub struct CFunction {
    /// Its name; none for an expression.
    pub name: Option<String>,
    /// The type of what it returns.
    pub result: CType,
    /// Names and types of its parameters: of an expression, its variables.
    pub parameters: Vec<(String, CType)>,
    /// What it returns.
    pub term: TermId,
    /// Where it begins.
    pub place: Place,
    /// What its text is up to the body: specifiers, type, name and parameters.
    pub(super) head: Range<usize>,
    /// Its text.
    pub(super) whole: Range<usize>,
    pub(super) sure: Sure,
    pub(super) words: Arc<Words>,
}

/// A file of functions.
#[derive(Clone, Debug)]
pub struct CFile {
    text: String,
    /// The functions, in their order.
    pub functions: Vec<CFunction>,
    /// Names of helpers that it defines.
    pub(super) helpers: Vec<String>,
}

impl CFile {
    /// What a function's text is up to its body.
    pub(super) fn head(&self, function: &CFunction) -> &str {
        self.text[function.head.clone()].trim_end()
    }

    /// A function's text.
    pub fn text_of(&self, function: &CFunction) -> &str {
        &self.text[function.whole.clone()]
    }

    /// The file with other texts in place of functions: `texts` by function, `None` where one stays as it is; `first` comes
    /// before the first of them.
    pub fn with(&self, texts: &[Option<String>], first: &str) -> String {
        let (mut all, mut at, mut first) = (String::new(), 0, Some(first));
        for (function, text) in self.functions.iter().zip(texts) {
            let Some(text) = text else { continue };
            all += &self.text[at..function.whole.start];
            all += first.take().unwrap_or_default();
            all += text;
            at = function.whole.end;
        }
        all + &self.text[at..]
    }
}

/// Reads all functions of a file of C. Lines that begin with `#`, and declarations of functions, are left as they are.
///
/// # Errors
/// What can't be said, as a loop, with the place; or why the language has no words for C.
pub fn read_c_file(bank: &mut TermBank, text: &str) -> Result<CFile, ParseError> {
    let words = words(bank)?;
    let mut reader = Reader::new(bank, words, text)?;
    let (mut functions, mut helpers) = (Vec::new(), Vec::new());
    while !reader.token.is("") {
        if reader.token.is("#") {
            reader.skip_line()?;
            continue;
        }
        let found = function(&mut reader)?;
        // Helpers are not computed by themselves.
        let is_helper =
            |f: &CFunction| f.name.as_deref().is_some_and(|name| helper_named(name).is_some());
        match found {
            Some(helper) if is_helper(&helper) => helpers.extend(helper.name),
            found => functions.extend(found),
        }
    }
    Ok(CFile { text: text.to_owned(), functions, helpers })
}

/// Reads an expression of C. Declarations may come before it, as in `uint8_t x; int y; x + y`; names that are not declared
/// are of the type `free`. `None` if the language has not the words for it: those of 32 and 64 bits, and truth values.
///
/// # Errors
/// What can't be said, with the place.
pub fn read_c_expression(
    bank: &mut TermBank,
    text: &str,
    free: CType,
) -> Result<Option<CFunction>, ParseError> {
    let Some(words) = Words::of(bank.language()).map(Arc::new) else { return Ok(None) };
    let mut reader = Reader::new(bank, words, text)?;
    let place = reader.token.place;
    while reader.is_type() {
        let ctype = reader.ctype()?;
        loop {
            parameter(&mut reader, ctype)?;
            if !reader.takes(",")? {
                break;
            }
        }
        reader.expect(";")?;
    }
    reader.free = Some(free);
    let Typed { term, ctype } = reader.expression()?;
    if !reader.token.is("") {
        return Err(reader.token.expected("an operator as + or <<, or the end"));
    }
    Ok(Some(CFunction {
        name: None,
        result: ctype,
        parameters: reader.found,
        term,
        place,
        head: 0..0,
        whole: 0..text.len(),
        sure: reader.sure,
        words: reader.words,
    }))
}

fn words(bank: &TermBank) -> Result<Arc<Words>, ParseError> {
    let message = "the system has no words for C: those of 32 and of 64 bits, and truth values (see cairn's 'words')";
    Words::of(bank.language())
        .map(Arc::new)
        .ok_or_else(|| ParseError::new(Place { line: 1, column: 1 }, message))
}

/// Declares a parameter, whose type was read.
fn parameter(reader: &mut Reader<'_, '_>, ctype: CType) -> Result<(), ParseError> {
    let name = reader.name("the name of a parameter")?;
    if reader.variables.contains_key(&name.text) {
        return Err(ParseError::new(name.place, format!("'{}' is declared twice", name.text)));
    }
    let term =
        reader.at(&name, |reader| reader.words.variable(reader.bank, ctype.bits, &name.text))?;
    reader.found.push((name.text.clone(), ctype));
    reader.variables.insert(name.text, Variable { ctype, value: Some(term) });
    Ok(())
}

/// Reads a function; `None` of a declaration without body.
fn function(reader: &mut Reader<'_, '_>) -> Result<Option<CFunction>, ParseError> {
    let (start, place) = (reader.token.at, reader.token.place);
    while ["static", "inline", "extern"].iter().any(|word| reader.token.is(word)) {
        reader.advance()?;
    }
    if reader.token.is("void") {
        return Err(reader.token_says("a function that returns nothing can't be said"));
    }
    if !reader.is_type() {
        return Err(reader.token.expected("a function, as int f(int x) { return x; }"));
    }
    let result = reader.ctype()?;
    let name = reader.name("the name of a function")?;
    reader.expect("(")?;
    reader.variables.clear();
    reader.found.clear();
    reader.sure = Sure::default();
    reader.conditional = 0;
    let void = reader.takes("void")?;
    if !void && !reader.token.is(")") {
        loop {
            let ctype = reader.ctype()?;
            parameter(reader, ctype)?;
            if !reader.takes(",")? {
                break;
            }
        }
    }
    reader.expect(")")?;
    let head = start..reader.taken;
    if reader.takes(";")? {
        return Ok(None);
    }
    let open = reader.expect("{")?;
    let mut body = Body { reader, result, path: None, returns: Vec::new() };
    let returned = body.block()?;
    let returns = body.returns;
    if !returned {
        let message = format!("a way through '{}' ends without a return", name.text);
        return Err(ParseError::new(open.place, message));
    }
    let mut returns = returns.into_iter().rev();
    let (_, mut term) = returns.next().expect("some way returns");
    for (path, value) in returns {
        if let Some(path) = path {
            term = reader.at(&name, |reader| {
                reader.words.apply(reader.bank, "select", result.bits, &[path, value, term])
            })?;
        }
    }
    Ok(Some(CFunction {
        name: Some(name.text),
        result,
        parameters: reader.found.clone(),
        term,
        place,
        head,
        whole: start..reader.taken,
        sure: std::mem::take(&mut reader.sure),
        words: reader.words.clone(),
    }))
}

/// The body of a function.
struct Body<'r, 'b, 't> {
    reader: &'r mut Reader<'b, 't>,
    result: CType,
    /// What holds where the next statement is reached; `None` if nothing has to.
    path: Option<TermId>,
    /// Where it is returned from, and what.
    returns: Vec<(Option<TermId>, TermId)>,
}

/// Operators that an assignment may have before its sign.
const ASSIGNED: [&str; 10] = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];

impl Body<'_, '_, '_> {
    /// Reads statements to the closing brace; whether all ways through them return.
    fn block(&mut self) -> Result<bool, ParseError> {
        let outer: Vec<String> = self.reader.variables.keys().cloned().collect();
        let mut returned = false;
        while !self.reader.token.is("}") {
            if self.reader.token.is("") {
                return Err(self.reader.token.expected("'}'"));
            }
            if returned {
                return Err(self.reader.token_says("never reached"));
            }
            returned = self.statement()?;
        }
        self.reader.advance()?;
        // What was declared inside is gone.
        self.reader.variables.retain(|name, _| outer.contains(name));
        Ok(returned)
    }

    fn statement(&mut self) -> Result<bool, ParseError> {
        let token = self.reader.token.clone();
        match &*token.text {
            ";" => self.reader.advance().map(|_| false),
            "{" => {
                self.reader.advance()?;
                self.inside(Self::block)
            }
            "return" => {
                self.reader.advance()?;
                let value = self.reader.expression()?;
                self.reader.expect(";")?;
                let result = self.result;
                let value = self.reader.at(&token, |reader| reader.convert(value, result))?;
                self.returns.push((self.path, value));
                Ok(true)
            }
            "if" => self.inside(Self::choice),
            "for" | "while" | "do" | "goto" | "switch" | "break" | "continue" | "asm" => {
                Err(self.reader.token_says(format!(
                    "'{}' can't be said: expected a function without loops and jumps",
                    token.text
                )))
            }
            "struct" | "union" | "enum" | "typedef" | "float" | "double" | "void" | "static"
            | "register" => {
                Err(self.reader.token_says(format!("'{}' can't be said here", token.text)))
            }
            _ if self.reader.is_type() => self.declaration().map(|()| false),
            _ => self.assignment().map(|()| false),
        }
    }

    fn inside<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.reader.enter()?;
        let found = read(self)?;
        self.reader.leave();
        Ok(found)
    }

    fn declaration(&mut self) -> Result<(), ParseError> {
        let ctype = self.reader.ctype()?;
        loop {
            let name = self.reader.name("the name of a variable")?;
            if self.reader.token.is("[") {
                return Err(self.reader.token_says("arrays can't be said"));
            }
            if self.reader.variables.contains_key(&name.text) {
                let message = format!("'{}' is declared already: expected another name", name.text);
                return Err(ParseError::new(name.place, message));
            }
            let value = match self.reader.takes("=")? {
                false => None,
                true => {
                    let value = self.reader.expression()?;
                    Some(self.reader.at(&name, |reader| reader.convert(value, ctype))?)
                }
            };
            self.reader.variables.insert(name.text, Variable { ctype, value });
            if !self.reader.takes(",")? {
                break;
            }
        }
        self.reader.expect(";").map(|_| ())
    }

    fn assignment(&mut self) -> Result<(), ParseError> {
        let step = |token: &str| match token {
            "++" => Some("+"),
            "--" => Some("-"),
            _ => None,
        };
        let before = step(&self.reader.token.text);
        if before.is_some() {
            self.reader.advance()?;
        }
        let name = self.reader.name("a statement")?;
        let Some(&Variable { ctype, value }) = self.reader.variables.get(&name.text) else {
            return Err(ParseError::new(name.place, format!("'{}' is not declared", name.text)));
        };
        let token = self.reader.token.clone();
        let (operator, operand) = if let Some(operator) = before {
            (Some(operator), None)
        } else if let Some(operator) = step(&token.text) {
            self.reader.advance()?;
            (Some(operator), None)
        } else {
            let operator = token
                .text
                .strip_suffix('=')
                .and_then(|operator| ASSIGNED.into_iter().find(|known| *known == operator));
            if operator.is_none() && !token.is("=") {
                return Err(token.expected("'=' or an operator with it, as '+='"));
            }
            self.reader.advance()?;
            (operator, Some(self.reader.expression()?))
        };
        let assigned = self.reader.at(&token, |reader| {
            let operand = match operand {
                Some(operand) => operand,
                None => {
                    Typed { term: reader.words.literal(reader.bank, 32, 1)?, ctype: CType::INT }
                }
            };
            let operand = match operator {
                None => operand,
                Some(operator) => {
                    let term = value.ok_or_else(|| format!("'{}' has no value here", name.text))?;
                    reader.operation(operator, Typed { term, ctype }, operand)?
                }
            };
            reader.convert(operand, ctype)
        })?;
        self.reader.variables.insert(name.text, Variable { ctype, value: Some(assigned) });
        self.reader.expect(";").map(|_| ())
    }

    fn choice(&mut self) -> Result<bool, ParseError> {
        let token = self.reader.advance()?;
        self.reader.expect("(")?;
        let condition = self.reader.expression()?;
        self.reader.expect(")")?;
        let condition = self.reader.at(&token, |reader| reader.truth(condition))?;
        let negated = self
            .reader
            .at(&token, |reader| reader.words.apply(reader.bank, "!", 1, &[condition]))?;
        let (before, path) = (self.reader.variables.clone(), self.path);
        self.reader.conditional += 1;
        self.path = Some(self.both(path, condition)?);
        let then_returned = self.branch()?;
        let then = std::mem::replace(&mut self.reader.variables, before.clone());
        self.path = Some(self.both(path, negated)?);
        let else_returned = self.reader.takes("else")? && self.branch()?;
        let otherwise = std::mem::take(&mut self.reader.variables);
        self.reader.conditional -= 1;
        self.path = path;
        self.reader.variables = match (then_returned, else_returned) {
            (false, false) => self.merged(condition, before, &then, &otherwise)?,
            (true, _) => otherwise,
            (false, true) => then,
        };
        if then_returned != else_returned {
            // What follows is computed on one of the ways only.
            self.reader.conditional += 1;
            let rest = if then_returned { negated } else { condition };
            self.path = Some(self.both(path, rest)?);
        }
        Ok(then_returned && else_returned)
    }

    /// A branch, which may be a single statement.
    fn branch(&mut self) -> Result<bool, ParseError> {
        if self.reader.is_type() {
            return Err(self.reader.token_says("a declaration can't stand alone in a branch"));
        }
        self.statement()
    }

    fn both(&mut self, path: Option<TermId>, condition: TermId) -> Result<TermId, ParseError> {
        let Some(path) = path else { return Ok(condition) };
        let token = self.reader.token.clone();
        self.reader
            .at(&token, |reader| reader.words.apply(reader.bank, "&&", 1, &[path, condition]))
    }

    /// The variables after a choice. One that has a value on one way only has that one: to read it elsewhere has no meaning.
    fn merged(
        &mut self,
        condition: TermId,
        before: FxHashMap<String, Variable>,
        then: &FxHashMap<String, Variable>,
        otherwise: &FxHashMap<String, Variable>,
    ) -> Result<FxHashMap<String, Variable>, ParseError> {
        let mut names: Vec<(String, Variable)> = before.into_iter().collect();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        let token = self.reader.token.clone();
        let mut merged = FxHashMap::default();
        for (name, Variable { ctype, .. }) in names {
            let value = match (then[&name].value, otherwise[&name].value) {
                (Some(a), Some(b)) if a != b => Some(self.reader.at(&token, |reader| {
                    reader.words.apply(reader.bank, "select", ctype.bits, &[condition, a, b])
                })?),
                (a, b) => a.or(b),
            };
            merged.insert(name, Variable { ctype, value });
        }
        Ok(merged)
    }
}
