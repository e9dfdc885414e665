//! From text to functions: blocks of instructions, each by the lines on which it stands.
//!
//! One instruction stands on a line, or on several of which all but the first go on with it: as LLVM's tools write it.

use crate::llvm::instruction::{Instruction, instruction};
use crate::llvm::known::WIDTHS;
use crate::llvm::tokens::{Kind, Token, error, has_zeros_before, named, no_number, tokens};
use egraph::ParseError;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// What stands on lines of a function.
#[derive(Clone, Debug)]
pub struct Line {
    /// With the end of the line.
    pub at: Range<usize>,
    /// Which block it belongs to, from 0 on.
    pub block: usize,
    /// Nothing for labels, comments and empty lines.
    pub instruction: Option<Instruction>,
}

#[derive(Clone, Debug)]
pub struct Function {
    /// As `@f`.
    pub name: String,
    pub lines: Vec<Line>,
    pub blocks: usize,
    /// Parameters that are neither poison nor undefined.
    pub defined: FxHashSet<String>,
    /// All names of values and blocks.
    pub names: FxHashSet<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Those that are understood. The others stay as they are.
    pub functions: Vec<Function>,
    /// Names of functions that are declared.
    pub declared: FxHashSet<String>,
    /// Names of types.
    pub types: FxHashSet<String>,
}

/// The lines of a text with their ends.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        at - line.len()..at
    })
}

fn is(text: &str, token: Option<&Token>, word: &str) -> bool {
    token.is_some_and(|token| &text[token.at.clone()] == word)
}

/// # Errors
/// What can't be read, with the place.
pub fn read(text: &str) -> Result<Module, ParseError> {
    let mut module = Module::default();
    let mut types: FxHashSet<String> = FxHashSet::default();
    let mut left = Vec::new();
    let mut lines = lines(text);
    while let Some(line) = lines.next() {
        let first = text[line.clone()].trim_start();
        if first.starts_with("define ") {
            let function = function(text, line, &mut lines)?;
            left.push(function);
        } else if first.starts_with("declare ") {
            let found = tokens(text, line)?;
            let name = found.into_iter().find_map(|token| match token.kind {
                Kind::Global(name) => Some(name),
                _ => None,
            });
            module.declared.extend(name);
        } else if first.starts_with('%') {
            let found = tokens(text, line)?;
            if let (Some(Token { kind: Kind::Local(name), .. }), true) =
                (found.first(), is(text, found.get(1), "="))
            {
                types.insert(name.clone());
            }
        }
    }
    for (function, reordered) in left {
        // A name or a number may be that of a type, a list says how often values are used, and blocks may be named elsewhere.
        let is_number = |name: &String| name.starts_with(|c: char| c.is_ascii_digit());
        let numbers = types.iter().any(is_number) && function.names.iter().any(is_number);
        let is_named = text.contains(&format!("blockaddress({},", function.name));
        if reordered
            || numbers
            || is_named
            || function.names.iter().any(|name| types.contains(name))
        {
            continue;
        }
        check_names(text, &function, &types)?;
        module.functions.push(function);
    }
    module.types = types;
    Ok(module)
}

/// Reads a function that begins on this line; whether it lists how its values are used, too.
fn function(
    text: &str,
    first: Range<usize>,
    lines: &mut impl Iterator<Item = Range<usize>>,
) -> Result<(Function, bool), ParseError> {
    let begin = first.start;
    let mut head = first;
    let head = loop {
        let found = tokens(text, head.clone())?;
        let code = || found.iter().filter(|token| token.kind != Kind::Comment);
        if code().next_back().is_some_and(|token| token.kind == Kind::Sign('{')) {
            break found;
        }
        // A body may not begin on the line of the head.
        match lines.next().filter(|_| !code().any(|token| token.kind == Kind::Sign('}'))) {
            Some(line) if !text[line.clone()].trim_start().starts_with("define ") => {
                head.end = line.end;
            }
            _ => {
                let message = "expected a function whose body begins on a line after '{'";
                return Err(error(text, begin, message));
            }
        }
    };
    let at = head.iter().position(|token| matches!(token.kind, Kind::Global(_)));
    let Some((at, Kind::Global(name))) = at.map(|at| (at, &head[at].kind)) else {
        return Err(error(text, begin, "expected a function with a name, as @f"));
    };
    let mut function = Function {
        name: format!("@{name}"),
        lines: Vec::new(),
        blocks: 1,
        defined: FxHashSet::default(),
        names: FxHashSet::default(),
    };
    parameters(text, &head[at + 1..], &mut function)?;
    let mut reordered = false;
    // How many brackets are open in the instruction.
    let mut open = 0usize;
    // Whether a block has ended and none has begun.
    let mut ended = false;
    loop {
        let Some(line) = lines.next() else {
            return Err(error(
                text,
                begin,
                format!("the body of @{name} is never closed: expected '}}'"),
            ));
        };
        let found = tokens(text, line.clone())?;
        let code: Vec<&Token> = found.iter().filter(|t| t.kind != Kind::Comment).collect();
        let word = code.first().map_or("", |token| &text[token.at.clone()]);
        if open == 0 && word == "}" {
            return Ok((function, reordered));
        }
        let is_label = code.get(1).is_some_and(|token| token.kind == Kind::Sign(':'));
        let continues = ["to", "unwind", "cleanup", "catch", "filter"].contains(&word);
        let goes_on = open > 0 || continues && !is_label;
        reordered |= word.starts_with("uselistorder");
        for token in &code {
            match token.kind {
                Kind::Sign('(' | '[' | '{') => open += 1,
                Kind::Sign(')' | ']' | '}') => open = open.saturating_sub(1),
                _ => {}
            }
        }
        let block = function.blocks - 1;
        let at = line.clone();
        match &code[..] {
            [] => function.lines.push(Line { at, block, instruction: None }),
            [label, colon, rest @ ..]
                if !goes_on
                    && colon.kind == Kind::Sign(':')
                    && matches!(label.kind, Kind::Word | Kind::Quoted) =>
            {
                if let Some(token) = rest.first() {
                    let message = "expected nothing else on the line of a label";
                    return Err(error(text, token.at.start, message));
                }
                let is_first = !function.lines.iter().any(|line| line.instruction.is_some());
                function.blocks += usize::from(!is_first);
                ended = false;
                let block = function.blocks - 1;
                function.lines.push(Line { at, block, instruction: None });
                define(text, &mut function, named(word), label.at.start)?;
            }
            _ => match function.lines.last_mut().filter(|_| goes_on) {
                Some(Line { at, instruction: Some(before), .. }) => {
                    at.end = line.end;
                    before.uses.extend(instruction(text, &found).uses);
                    before.computed = None;
                }
                _ => {
                    let read = instruction(text, &found);
                    let result = read.result.clone();
                    // One without a label.
                    function.blocks += usize::from(ended);
                    ended = read.is_last;
                    let block = function.blocks - 1;
                    function.lines.push(Line { at, block, instruction: Some(read) });
                    if let Some(name) = result {
                        define(text, &mut function, name, line.start)?;
                    }
                }
            },
        }
    }
}

/// Reads the parameters, whose list begins with the first token.
fn parameters(text: &str, list: &[Token], function: &mut Function) -> Result<(), ParseError> {
    let (mut depth, mut start) = (0usize, 1);
    for (i, token) in list.iter().enumerate() {
        match token.kind {
            Kind::Sign('(' | '[' | '{' | '<') => depth += 1,
            Kind::Sign(')' | ']' | '}' | '>') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = depth == 0 || depth == 1 && token.kind == Kind::Sign(',');
        if !ends {
            continue;
        }
        let parts = list.get(start..i).unwrap_or_default();
        start = i + 1;
        // One without a name has the next number.
        if let Some(Token { kind: Kind::Local(name), at }) = parts.last() {
            let is_word = parts.iter().any(|part| is(text, Some(part), "noundef"))
                && WIDTHS.iter().any(|(_, known)| is(text, parts.first(), known));
            if is_word {
                function.defined.insert(name.clone());
            }
            define(text, function, name.clone(), at.start)?;
        }
        if depth == 0 {
            return Ok(());
        }
    }
    let at = list.first().map_or(0, |token| token.at.start);
    Err(error(text, at, format!("the parameters of {} are never closed", function.name)))
}

fn define(text: &str, function: &mut Function, name: String, at: usize) -> Result<(), ParseError> {
    // A label is a word, of which nothing is known before.
    if has_zeros_before(&name) {
        return Err(no_number(text, at, &name));
    }
    if function.names.contains(&name) {
        return Err(error(text, at, format!("%{name} is defined a second time")));
    }
    function.names.insert(name);
    Ok(())
}

/// # Errors
/// A value that is used and not defined. Those with numbers may be defined without a text.
fn check_names(
    text: &str,
    function: &Function,
    types: &FxHashSet<String>,
) -> Result<(), ParseError> {
    for line in &function.lines {
        for name in line.instruction.iter().flat_map(|read| &read.uses) {
            let is_number = name.starts_with(|c: char| c.is_ascii_digit());
            if !is_number && !function.names.contains(name) && !types.contains(name) {
                let message = format!("%{name} is used and not defined in {}", function.name);
                return Err(error(text, line.at.start, message));
            }
        }
    }
    Ok(())
}
