//! From what is planned to text: lines come and go, and values without names are numbered anew.

use crate::llvm::known::type_of;
use crate::llvm::operations::{number, text};
use crate::llvm::read::Function;
use crate::llvm::tokens::{Kind, tokens};
use crate::ssa::{Edit, Made, New, Operand, Plan};
use crate::words::Words;
use egraph::ParseError;
use std::collections::BTreeSet;

/// The text of an operand of a width.
fn operand_text(operand: &Operand, bits: u32) -> String {
    match operand {
        Operand::Value(name) => format!("%{name}"),
        Operand::Number(value) => number(*value, bits),
    }
}

/// The text of a new instruction, without what it is attached to; adds the declaration of a function that it calls.
fn instruction_text(new: &New, words: &Words, declared: &mut BTreeSet<String>) -> String {
    let New { name, made, bits } = new;
    let made = match made {
        Made::Freeze(operand) | Made::Unreached(operand) => {
            format!("freeze {} {}", type_of(*bits), operand_text(operand, *bits))
        }
        Made::LowestBit(operand, bits) => {
            format!("trunc {} {} to i1", type_of(*bits), operand_text(operand, *bits))
        }
        Made::Apply(op, args) => {
            let widths = words.meaning(*op).map_or(&[][..], |(_, widths, _)| widths);
            let args: Vec<String> =
                args.iter().zip(widths).map(|(arg, bits)| operand_text(arg, *bits)).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let (made, declaration) = text(words, *op, &args).unwrap_or_default();
            declared.extend(declaration);
            made
        }
    };
    format!("%{name} = {made}")
}

/// The text of a function's body with what is planned; adds declarations of functions that new instructions call.
///
/// # Errors
/// None, of what was read.
pub fn body(
    text: &str,
    function: &Function,
    plan: &Plan,
    words: &Words,
    declared: &mut BTreeSet<String>,
) -> Result<String, ParseError> {
    let is_number = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
    let mut gone: Vec<u64> = Vec::new();
    for (number, line) in function.lines.iter().enumerate() {
        let result = line.instruction.as_ref().and_then(|read| read.result.as_deref());
        if let (Some(Edit::Remove), Some(name)) = (plan.edits.get(&number), result) {
            gone.extend(name.parse::<u64>().ok().filter(|_| is_number(name)));
        }
    }
    gone.sort_unstable();
    // Values without a name are numbered without gaps.
    let renumbered = |name: &str| match name.parse::<u64>() {
        Ok(number) if is_number(name) && !plan.edits.is_empty() => {
            Some(number - gone.partition_point(|gone| *gone < number) as u64)
        }
        _ => None,
    };
    let value =
        |name: &str| renumbered(name).map_or(format!("%{name}"), |number| format!("%{number}"));
    let operand = |name: &str| match plan.operand(name) {
        Some((number @ Operand::Number(_), bits)) => operand_text(number, *bits),
        Some((Operand::Value(name), _)) => value(name),
        None => value(name),
    };
    let mut all = String::new();
    for (number, line) in function.lines.iter().enumerate() {
        let part = &text[line.at.clone()];
        let indent = &part[..part.len() - part.trim_start().len()];
        let mut added = match plan.edits.get(&number) {
            Some(Edit::Remove) => continue,
            Some(Edit::Replace(new)) => {
                let debug = line.instruction.as_ref().map_or("", |read| &read.debug);
                let mut lines = String::new();
                for new in new {
                    lines += indent;
                    lines += &instruction_text(new, words, declared);
                    lines += debug;
                    lines.push('\n');
                }
                lines
            }
            Some(Edit::WithoutFlags) => {
                let read = line.instruction.as_ref();
                let mut part = part.to_owned();
                for flag in read.iter().flat_map(|read| read.flags.iter().rev()) {
                    let start = line.at.start;
                    part.replace_range(flag.start - start..flag.end - start, "");
                }
                part
            }
            None => part.to_owned(),
        };
        let is_label = line.instruction.is_none();
        for token in tokens(&added, 0..added.len())?.into_iter().rev() {
            let old = &added[token.at.clone()];
            let new = match &token.kind {
                Kind::Local(name) => operand(name),
                // A label, and what a comment says of the blocks before.
                Kind::Word if is_label => {
                    renumbered(old).map_or(old.to_owned(), |number| number.to_string())
                }
                Kind::Comment if is_label && old.starts_with("; preds =") => {
                    let names = old.split('%').enumerate().map(|(i, part)| {
                        let end = part.find([',', ' ', '\r']).unwrap_or(part.len());
                        let (name, rest) = part.split_at(end);
                        match i {
                            0 => part.to_owned(),
                            _ => format!("{}{rest}", operand(name)),
                        }
                    });
                    names.collect()
                }
                _ => continue,
            };
            if new != *old {
                added.replace_range(token.at, &new);
            }
        }
        all += &added;
    }
    Ok(all)
}
