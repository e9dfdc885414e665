//! Random terms over words are written in C and read again.

use egraph::{
    Bits, Leaf, LeafValue, MAX_DEPTH, Node, System, TermBank, TermId, Value, Width, evaluate,
};
use interop::{c_text, read_c};
use proptest::prelude::*;

/// Words of so many bits; not all systems subtract.
fn bank(bits: u64, subtracts: bool) -> TermBank {
    let minus = if subtracts { "(op - (W W) W)" } else { "" };
    let rules = format!(
        "(sort W) (literal (bits {bits}) W) (variable W) (op + (W W) W) (op * (W W) W) (op / (W W) W)
        (op % (W W) W) (op & (W W) W) (op | (W W) W) (op ^ (W W) W) (op << (W W) W) (op >> (W W) W)
        (op ~ (W) W) (op neg (W) W) {minus}"
    );
    TermBank::new(System::parse(&rules).unwrap().language.clone())
}

/// Makes a term from the choices, as a stack machine does.
fn term(bank: &mut TermBank, width: Width, choices: &[(u8, u64)]) -> TermId {
    let language = bank.language().clone();
    let sort = language.sort("W").unwrap();
    let mut stack = Vec::new();
    for &(choice, number) in choices {
        let op = usize::from(choice) % (language.operators.len() + 4);
        let arity = language.operators.get(op).map_or(0, |op| op.args.len());
        if arity > 0 && stack.len() >= arity {
            let arguments = stack.split_off(stack.len() - arity);
            stack.push(
                bank.apply(language.operator(&language.operators[op].name).unwrap(), &arguments),
            );
            continue;
        }
        let value = match number % 4 {
            0 => LeafValue::Variable(["x", "y", "z"][number as usize / 4 % 3].to_owned()),
            // Close to zero, from above and from below, or anywhere.
            1 => LeafValue::Literal(Value::Bits(Bits::new(width, number / 4 % 4))),
            2 => LeafValue::Literal(Value::Bits(Bits::new(width, (number / 4 % 4).wrapping_neg()))),
            _ => LeafValue::Literal(Value::Bits(Bits::new(width, number))),
        };
        stack.push(bank.leaf(&Leaf { sort, value }));
    }
    stack.pop().unwrap()
}

fn value(bank: &TermBank, term: TermId, width: Width, assigned: [u64; 3]) -> Value {
    let op = match bank.node(term) {
        Node::Op(op) => op,
        Node::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => return *value,
        Node::Leaf(leaf) => {
            let place = ["x", "y", "z"].iter().position(|name| *name == leaf.to_string()).unwrap();
            return Value::Bits(Bits::new(width, assigned[place]));
        }
    };
    let children = bank.children(term).iter();
    let values: Vec<Value> = children.map(|&c| value(bank, c, width, assigned)).collect();
    evaluate(&bank.language().op(op).name, &values).unwrap()
}

/// The text without each of its pairs of parentheses in turn.
fn without_a_pair(text: &str) -> Vec<String> {
    let mut open = Vec::new();
    let mut all = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' => open.push(at),
            ')' => {
                let start = open.pop().unwrap();
                all.push(format!("{}{}{}", &text[..start], &text[start + 1..at], &text[at + 1..]));
            }
            _ => {}
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_has_the_same_value_and_needs_its_parentheses(
        bits in prop::sample::select(vec![1, 7, 8, 32, 63, 64]),
        subtracts: bool,
        choices in prop::collection::vec((any::<u8>(), any::<u64>()), 1..40),
        assigned in prop::collection::vec(any::<[u64; 3]>(), 4),
    ) {
        let width = Width::new(bits).unwrap();
        let mut bank = bank(bits, subtracts);
        let before = term(&mut bank, width, &choices);
        let text = c_text(&bank, before, u64::MAX).unwrap();
        let after = read_c(&mut bank, &text);
        prop_assert!(after.is_ok(), "{text}: {after:?}");
        let after = after.unwrap();
        for assigned in assigned {
            let values = [before, after].map(|term| value(&bank, term, width, assigned));
            prop_assert_eq!(values[0], values[1], "{}", text);
        }
        for less in without_a_pair(&text) {
            let other = read_c(&mut bank, &less).ok();
            prop_assert_ne!(other, Some(after), "{} as {}", text, less);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[-+*/%<>&^|~() a-z0-9xuLé.\n]{0,40}") {
        let mut bank = bank(32, true);
        if let Ok(term) = read_c(&mut bank, &text) {
            prop_assert!(c_text(&bank, term, MAX_DEPTH as u64).is_ok());
        }
    }
}
