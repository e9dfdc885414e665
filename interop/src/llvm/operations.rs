//! From what an instruction computes to a term, and from an operator to an instruction.

use crate::llvm::instruction::Computed;
use crate::llvm::known::{BINARY, COMPARISONS, INTRINSICS, type_of};
use crate::words::{self, Words};
use egraph::{Node, OpId, TermBank, TermId};

/// What an instruction computes of terms, if the system has operators for it.
pub fn term(
    bank: &mut TermBank,
    words: &Words,
    computed: &Computed,
    args: &[TermId],
) -> Option<TermId> {
    let Computed { what, from, bits, .. } = *computed;
    if (what, bits) == ("trunc", 1) {
        // The lowest bit.
        let one = words.literal(bank, from, 1).ok()?;
        let lowest = bank.apply(words.operator(bank, "&", from, &[args[0], one])?, &[args[0], one]);
        let zero = words.literal(bank, from, 0).ok()?;
        let is_one = words.operator(bank, "!=", 1, &[lowest, zero])?;
        return Some(bank.apply(is_one, &[lowest, zero]));
    }
    let op = words.operator(bank, what, bits, args)?;
    Some(bank.apply(op, args))
}

/// The word whose lowest bit a term is.
pub fn lowest_bit_of(bank: &TermBank, words: &Words, term: TermId) -> Option<TermId> {
    let applied = |term: TermId, name: &str| match bank.node(term) {
        Node::Op(op) if words.meaning(op).is_some_and(|(what, ..)| what == name) => {
            Some((bank.children(term)[0], bank.children(term)[1]))
        }
        _ => None,
    };
    let is = |term, value| words::number(bank, term) == Some(value);
    let (lowest, _) = applied(term, "!=").filter(|(_, zero)| is(*zero, 0))?;
    let (a, b) = applied(lowest, "&")?;
    if is(a, 1) { Some(b) } else { Some(a).filter(|_| is(b, 1)) }
}

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
