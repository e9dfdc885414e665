//! Functions of C are read by C's types, and what is written for a term is read again as one with the same values.

use egraph::{
    Bits, Leaf, LeafValue, LiteralKind, Node, OpId, System, TermBank, TermId, Value, Width,
};
use interop::{CType, c_function, read_c_expression, read_c_file};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

const FUNCTIONS: &str = include_str!("../functions.c");

fn bank() -> TermBank {
    let rules = include_str!("../../../configs/systems/words.rules");
    TermBank::new(Arc::new(System::parse(rules).unwrap()).language.clone())
}

/// The value of a term where each variable is the number made of its name by `seed`.
fn value(bank: &TermBank, term: TermId, seed: u64) -> Value {
    let mut known: HashMap<TermId, Value> = HashMap::new();
    for part in bank.subterms(term) {
        let found = match bank.node(part) {
            Node::Op(op) => {
                let args: Vec<Value> = bank.children(part).iter().map(|c| known[c]).collect();
                bank.language().op(op).builtin.unwrap().eval(&args).unwrap()
            }
            Node::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => *value,
            Node::Leaf(leaf) => {
                let name = leaf.to_string().bytes().fold(seed, |n, byte| {
                    (n ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
                });
                // Small numbers, the ends, and any.
                let word = match name % 4 {
                    0 => name >> 60,
                    1 => (name >> 61).wrapping_neg(),
                    2 => 1 << (name >> 58),
                    _ => name,
                };
                match bank.language().literal_kind(leaf.sort).unwrap() {
                    LiteralKind::Bits(width) => Value::Bits(Bits::new(width, word)),
                    _ => Value::Bool(word & 1 == 1),
                }
            }
        };
        known.insert(part, found);
    }
    known[&term]
}

fn parsed(text: &str) -> Result<String, String> {
    let mut bank = bank();
    match read_c_expression(&mut bank, text, CType::UNSIGNED) {
        Ok(function) => Ok(bank.text(function.unwrap().term)),
        Err(mistake) => Err(mistake.to_string()),
    }
}

#[test]
fn operands_are_converted_by_their_types() {
    for (text, term) in [
        ("uint8_t a, b; a + b", "(+:32 (zext:8:32 a) (zext:8:32 b))"),
        ("int8_t a; unsigned b; a < b", "(<:32 (sext:8:32 a) b)"),
        ("int8_t a; long b; a < b", "(<s:64 (sext:8:64 a) b)"),
        ("int a; a >> 3", "(>>s:32 a 3)"),
        ("uint16_t a; a >> 3", "(>>s:32 (zext:16:32 a) 3)"),
        ("a >> 3", "(>>:32 a 3)"),
        ("int a; a / 3u", "(/:32 a 3)"),
        ("int a; a / 3", "(/s:32 a 3)"),
        ("int a; (uint8_t)a == 255", "(==:32 (zext:8:32 (trunc:32:8 a)) 255)"),
        ("!a", "(! (!=:32 a 0))"),
        ("a && b < 2", "(&& (!=:32 a 0) (<:32 b 2))"),
        ("(a < b) + 1", "(+:32 (zext:1:32 (<:32 a b)) 1)"),
        ("a > b ? 1 : -1", "(select:32 (<:32 b a) 1 4294967295)"),
        ("uint64_t a; int b; b ? a : b", "(select:64 (!=:32 b 0) a (sext:32:64 b))"),
        ("a + 0xffffffffff", "(+:64 (zext:32:64 a) 1099511627775)"),
        ("a << b << 1 | c & ~d", "(|:32 (<<:32 (<<:32 a b) 1) (&:32 c (~:32 d)))"),
        ("(bool)7 + true", "2"),
        ("long a; __builtin_ctzl(a)", "(trunc:64:32 (ctz:64 a))"),
        ("rotl_16(a, 3)", "(rotl:16 (trunc:32:16 a) 3)"),
    ] {
        assert_eq!(parsed(text).as_deref(), Ok(term), "{text}");
    }
}

#[test]
fn what_can_not_be_said_has_its_place() {
    let deep = "(".repeat(1_000);
    for (text, mistake) in [
        ("a +", "1:4: expected a name, a number"),
        ("a b", "1:3: expected an operator"),
        ("*a", "1:1: pointers can't be said"),
        ("a[1]", "1:2: arrays, structures and pointers can't be said"),
        ("a++", "1:2: '++' inside of an expression"),
        ("f(a)", "1:1: the function 'f' is not known"),
        ("rotl_16(a)", "1:1: 'rotl_16' takes 2 arguments, found 1"),
        ("sizeof(a)", "1:1: sizeof can't be said"),
        ("float x; x", "1:1: expected a name, a number"),
        ("1.5", "1:1: '1.5' is no integer"),
        ("a /* b", "1:3: '/*' is never closed"),
        ("unsigned signed a; a", "1:1: expected an integer type"),
        ("int a; long a; a", "1:13: 'a' is declared twice"),
        ("99999999999999999999", "1:1: '99999999999999999999' does not fit in 64 bits"),
        (&deep, "nested more than 200 deep"),
    ] {
        let found = parsed(text).unwrap_err();
        assert!(found.contains(mistake), "{text}: {found}");
    }
    let wrong = |text: &str| read_c_file(&mut bank(), text).unwrap_err().to_string();
    for (text, mistake) in [
        ("int f(int a) { }", "1:14: a way through 'f' ends without a return"),
        ("int f(int a) { if (a) return 1; }", "a way through 'f' ends"),
        ("int f(int a) { int b; return b; }", "1:30: 'b' has no value here"),
        ("int f(int a) { b = 1; return a; }", "1:16: 'b' is not declared"),
        ("int f(int a) { int a = 1; return a; }", "1:20: 'a' is declared already"),
        ("int f(int a) { return a; return a; }", "1:26: never reached"),
        ("int f(int a) { for (;;) ; }", "1:16: 'for' can't be said"),
        ("int f(int *a) { return 0; }", "1:11: pointers can't be said"),
        ("void f(int a) { }", "1:1: a function that returns nothing can't be said"),
        ("int f(int a) { int b[3]; return a; }", "1:21: arrays can't be said"),
        ("struct s f(int a) { }", "1:1: expected a function"),
        ("int f(int a) { return a", "1:24: expected ';', found the end"),
    ] {
        let found = wrong(text);
        assert!(found.contains(mistake), "{text}: {found}");
    }
}

#[test]
fn ways_through_a_function_become_choices() {
    let mut bank = bank();
    let mut term = |body: &str| {
        let file =
            read_c_file(&mut bank, &format!("int f(int a, bool c, bool d) {{ {body} }}")).unwrap();
        let term = file.functions[0].term;
        bank.text(term)
    };
    for (body, expected) in [
        ("if (c) return 1; return 2;", "(select:32 c 1 2)"),
        ("if (c) return 1; else return 2;", "(select:32 c 1 2)"),
        ("int x = 1; if (c) x = 2; return x;", "(select:32 c 2 1)"),
        ("int x; if (c) x = 2; else { x = 3; } return x;", "(select:32 c 2 3)"),
        ("int x; if (c) x = 2; return x;", "2"),
        (
            "if (c) { if (d) return 1; a = 5; } return a;",
            "(select:32 (&& c d) 1 (select:32 c 5 a))",
        ),
        (
            "if (c) return 1; if (d) return 2; return 3;",
            "(select:32 c 1 (select:32 (&& (! c) d) 2 3))",
        ),
        ("a += 1; a <<= 2; --a; return a;", "(-:32 (<<:32 (+:32 a 1) 2) 1)"),
        ("{ int b = a; a = b + b; } int b = a; return b;", "(+:32 a a)"),
    ] {
        assert_eq!(term(body), expected, "{body}");
    }
}

#[test]
fn what_may_have_no_value_is_written_only_where_the_input_computes_it() {
    let mut bank = bank();
    let mut written = |text: &str, term: &str| {
        let function = read_c_expression(&mut bank, text, CType::UNSIGNED).unwrap().unwrap();
        let term = bank.parse(term, Some(bank.sort(function.term))).unwrap();
        c_function(&bank, &function, None, term).unwrap().0
    };
    assert_eq!(written("x << n", "(<<:32 (+:32 x 1) n)"), "x + 1 << n");
    assert_eq!(written("x + n", "(<<:32 x n)"), "shl_32(x, n)");
    assert_eq!(written("c ? x << n : 0", "(<<:32 x n)"), "shl_32(x, n)");
    assert_eq!(written("c && x << n", "(!=:32 (<<:32 x n) 0)"), "shl_32(x, n) != 0");
    assert_eq!(written("x + n", "(<<:32 x (&:32 n 31))"), "x << (n & 31)");
    assert_eq!(written("x / n", "(%:32 x n)"), "x % n");
    assert_eq!(written("x + n", "(%:32 x n)"), "mod_32(x, n)");
    assert_eq!(written("x + n", "(%:32 x 7)"), "x % 7");
    assert_eq!(written("int x, n; x / n", "(%s:32 x n)"), "x % n");
    assert_eq!(written("int x, n; x / n", "(%s:32 n x)"), "mods_32(n, x)");
    assert_eq!(written("int x; x + 0", "(+:32 x x)"), "(uint32_t)x + x");
    assert_eq!(
        written("uint16_t x; x + 0", "(zext:16:32 (*:16 x x))"),
        "(uint16_t)((uint32_t)x * x)"
    );
    assert_eq!(written("int x; x - 1", "(-:32 0 (neg:32 x))"), "0 - -(uint32_t)x");
}

/// A term of a width made of the choices, by all operators of the language.
fn term(
    bank: &mut TermBank,
    bits: u32,
    choices: &mut impl Iterator<Item = u64>,
    depth: u32,
) -> TermId {
    let language = bank.language().clone();
    let kind = |bits: u32| match bits {
        1 => LiteralKind::Bool,
        _ => LiteralKind::Bits(Width::new(bits.into()).unwrap()),
    };
    let bits_of = |kind: LiteralKind| match kind {
        LiteralKind::Bits(width) => width.bits(),
        _ => 1,
    };
    let sort = language.literals.iter().find(|(known, _)| *known == kind(bits)).unwrap().1;
    let mut next = || choices.next().unwrap_or(0);
    let choice = next();
    if depth == 0 || choice % 7 == 0 {
        let value = match choice / 7 % 3 {
            0 if bits == 1 => LeafValue::Literal(Value::Bool(next() % 2 == 0)),
            0 => {
                let (number, shift) = (next(), next() % 64);
                LeafValue::Literal(Value::Bits(Bits::new(
                    Width::new(bits.into()).unwrap(),
                    number >> shift,
                )))
            }
            other => LeafValue::Variable(format!("v{bits}{}", ["a", "b", "c"][other as usize])),
        };
        return bank.leaf(&Leaf { sort, value });
    }
    let ops: Vec<OpId> = (0..language.operators.len() as u32)
        .map(OpId)
        .filter(|op| language.op(*op).result == sort)
        .collect();
    let op = ops[(choice / 7) as usize % ops.len()];
    let args: Vec<TermId> = (language.op(op).args.iter())
        .map(|sort| term(bank, bits_of(language.literal_kind(*sort).unwrap()), choices, depth - 1))
        .collect();
    bank.apply(op, &args)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_for_a_term_is_read_as_one_with_its_values(
        choices in proptest::collection::vec(any::<u64>(), 1..200), size in 1..6u32, result in 0..9usize,
        signs in any::<u16>(), seed in any::<u64>(),
    ) {
        let mut bank = bank();
        let result = [(1, false), (8, false), (8, true), (16, false), (16, true), (32, false), (32, true), (64, false), (64, true)][result];
        let ctype = |(bits, signed): (u32, bool)| match (bits, signed) {
            (1, _) => "bool".to_owned(),
            (bits, true) => format!("int{bits}_t"),
            (bits, false) => format!("uint{bits}_t"),
        };
        // All variables that there may be, each with its own sign.
        let parameters: Vec<String> = [1, 8, 16, 32, 64].iter().enumerate().flat_map(|(i, &bits)| {
            [0, 1].map(|j| {
                let signed = bits > 1 && signs >> (2 * i + j) & 1 == 1;
                format!("{} v{bits}{}", ctype((bits, signed)), ["b", "c"][j])
            })
        }).collect();
        let head = format!("{} f({})", ctype(result), parameters.join(", "));
        let file = read_c_file(&mut bank, &format!("{head} {{ return 0; }}")).unwrap();
        let term = term(&mut bank, result.0, &mut choices.into_iter(), size);
        let (text, _) = c_function(&bank, &file.functions[0], Some(&file), term).unwrap();
        let again = read_c_file(&mut bank, &text);
        let again = again.map_err(|mistake| TestCaseError::fail(format!("{mistake}\n{text}")))?;
        let [a, b] = [term, again.functions[0].term].map(|term| value(&bank, term, seed));
        prop_assert_eq!(a, b, "{}\n{}", text, bank.text(term));
    }
}

#[test]
fn a_file_keeps_what_is_no_function_and_helpers_are_written_once() {
    let mut bank = bank();
    let file = read_c_file(&mut bank, FUNCTIONS).unwrap();
    let names: Vec<&str> = file.functions.iter().map(|f| f.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["f", "g"]);
    let unchanged = file.with(&[None, None], "");
    assert_eq!(unchanged, FUNCTIONS);
    let g = &file.functions[1];
    let term = bank.parse("(rotl:64 a (zext:8:64 n))", None).unwrap();
    let (text, helpers) = c_function(&bank, g, Some(&file), term).unwrap();
    let new = file.with(&[None, Some(text)], &helpers);
    assert!(
        new.starts_with("#include <stdint.h>") && new.contains("return rotl_64(a, n);"),
        "{new}"
    );
    let again = read_c_file(&mut bank, &new).unwrap();
    let names: Vec<&str> = again.functions.iter().map(|f| f.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["f", "g"]);
    assert_eq!(again.functions[1].term, term);
    assert_eq!(c_function(&bank, &again.functions[1], Some(&again), term).unwrap().1, "");
}
