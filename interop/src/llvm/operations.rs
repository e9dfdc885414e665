//! From operators to instructions.

use crate::llvm::known::{BINARY, COMPARISONS, INTRINSICS, type_of};
use crate::ssa::Target;
use crate::words::Words;
use egraph::OpId;

/// What LLVM has: a value may be undefined, and can be frozen.
pub const LLVM: Target = Target {
    writes: |words, op| {
        let count = words.meaning(op).map_or(0, |(_, args, _)| args.len());
        text(words, op, &vec![""; count]).is_some()
    },
    freezes: true,
    undefined: true,
    no_instruction: "LLVM has no instruction for an operator of it",
    open: "it shifts or divides by what LLVM leaves open",
};

/// A literal.
pub fn number(value: u64, bits: u32) -> String {
    match bits {
        1 if value == 0 => "false".to_owned(),
        1 => "true".to_owned(),
        _ => ((value << (64 - bits)) as i64 >> (64 - bits)).to_string(),
    }
}

/// The instruction that applies an operator to operands, and the declaration of the function that it calls, if it does.
/// `None` if there is no such instruction.
pub fn text(words: &Words, op: OpId, args: &[&str]) -> Option<(String, Option<String>)> {
    let (what, from, bits) = words.meaning(op)?;
    let from = from.last().copied()?;
    let (of_type, to_type) = (type_of(from), type_of(bits));
    if of_type.is_empty() || to_type.is_empty() {
        return None;
    }
    let binary = |what| BINARY.iter().find(|(_, known)| *known == what);
    let compared = |what| COMPARISONS.iter().find(|(_, known, _)| *known == what);
    let called = |what| INTRINSICS.iter().find(|(_, known)| *known == what);
    Some(match (what, args) {
        ("&&", [a, b]) => (format!("and i1 {a}, {b}"), None),
        ("||", [a, b]) => (format!("or i1 {a}, {b}"), None),
        ("!", [a]) => (format!("xor i1 {a}, true"), None),
        ("~", [a]) => (format!("xor {of_type} {a}, -1"), None),
        ("neg", [a]) => (format!("sub {of_type} 0, {a}"), None),
        ("select", [c, a, b]) => (format!("select i1 {c}, {of_type} {a}, {of_type} {b}"), None),
        ("zext" | "sext" | "trunc", [a]) => (format!("{what} {of_type} {a} to {to_type}"), None),
        (_, [a, b]) if binary(what).is_some() => {
            (format!("{} {of_type} {a}, {b}", binary(what)?.0), None)
        }
        (_, [a, b]) if compared(what).is_some() => {
            (format!("icmp {} {of_type} {a}, {b}", compared(what)?.0), None)
        }
        _ => {
            let function = format!("llvm.{}.{of_type}", called(what)?.0);
            let mut operands: Vec<String> = args.iter().map(|a| format!("{of_type} {a}")).collect();
            let mut types = vec![of_type; args.len()];
            match what {
                // The first twice, so that it is a rotation.
                "rotl" | "rotr" => {
                    operands.insert(0, operands[0].clone());
                    types.push(of_type);
                }
                // Of zero it is not poison.
                "clz" | "ctz" => {
                    operands.push("i1 false".to_owned());
                    types.push("i1");
                }
                _ => {}
            }
            let declared = format!("declare {of_type} @{function}({})", types.join(", "));
            (format!("call {of_type} @{function}({})", operands.join(", ")), Some(declared))
        }
    })
}
