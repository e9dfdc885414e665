//! Built-in operators have the same values in `scripts/check_proof.py` as in Cairn, on corners and random literals.

use egraph::{Bits, Builtin, LiteralKind, Value, Width, evaluate};
use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const NAMES: &str = "+ - * / % min max abs & | ^ ~ << >> and or xor neg not shl shr < <= > >= == != && || ! /s %s >>s \
     <s <=s >s >=s mins maxs rotl rotr popcount clz ctz select concat zext:8 zext:1:64 sext:8 sext:64 trunc:1 \
     trunc:32:8 extract:0:8 extract:2:1 extract:24:8 +:8 select:8 nothing";

/// Values of a kind: its ends, small ones and others, as texts of literals.
fn values(kind: LiteralKind) -> Vec<Value> {
    let texts: &[&str] = match kind {
        LiteralKind::Bool => &["0", "1"],
        LiteralKind::I64 => {
            &["0", "1", "-1", "2", "-7", "63", "64", "9223372036854775807", "-9223372036854775808"]
        }
        LiteralKind::Rational => &["0", "1", "-1/2", "7/3", "9223372036854775807"],
        LiteralKind::F64 => &["0", "0.1", "-2.5", "1e300", "5e-324"],
        LiteralKind::Bits(width) => {
            let ends = [0, 1, 2, 5, width.bits().into(), 1u64 << (width.bits() - 1), u64::MAX];
            let others = [(1u64 << (width.bits() - 1)) - 1, u64::MAX - 2, 0x1234_5678_9abc_def7];
            let word = |value: &u64| Value::Bits(Bits::new(width, *value));
            return ends.iter().chain(&others).map(word).collect();
        }
    };
    texts.iter().map(|text| kind.read(text).unwrap()).collect()
}

/// As the checker writes a value: its kind, and a text.
fn said(value: Value) -> String {
    let kind = match value.kind() {
        LiteralKind::I64 => "\"i\"".to_owned(),
        LiteralKind::Bool => "\"b\"".to_owned(),
        LiteralKind::Rational => "\"q\"".to_owned(),
        LiteralKind::F64 => "\"f\"".to_owned(),
        LiteralKind::Bits(width) => width.bits().to_string(),
    };
    format!("[{kind}, \"{value}\"]")
}

#[test]
fn built_in_operators_have_the_same_values() {
    let words = [1, 4, 8, 32, 64].map(|bits| LiteralKind::Bits(Width::new(bits).unwrap()));
    let others = [LiteralKind::I64, LiteralKind::Bool, LiteralKind::Rational, LiteralKind::F64];
    let kinds = [&others[..], &words[..]].concat();
    let mut lines = String::new();
    let mut meant = 0;
    for name in NAMES.split_whitespace() {
        for &a in &kinds {
            let pairs = kinds.iter().map(|&b| vec![a, b]);
            let choices = [LiteralKind::Bool].map(|c| vec![c, a, a]);
            for args in [vec![a]].into_iter().chain(pairs).chain(choices) {
                let known = Builtin::named(name).and_then(|known| known.on(&args));
                let all = args.iter().fold(vec![Vec::new()], |rows, kind| {
                    let longer = |row: &Vec<Value>| {
                        values(*kind)
                            .into_iter()
                            .map(|value| [&row[..], &[value]].concat())
                            .collect()
                    };
                    rows.iter().flat_map(|row| -> Vec<Vec<Value>> { longer(row) }).collect()
                });
                // Where there is no such operator, one row says so.
                for row in all.into_iter().take(if known.is_some() { 400 } else { 1 }) {
                    let value = evaluate(name, &row);
                    assert!(known.is_some() || value.is_none(), "{name} {row:?}: {value:?}");
                    assert!(
                        value.is_none_or(|value| Some(value.kind()) == known),
                        "{name} {row:?}"
                    );
                    meant += usize::from(value.is_some());
                    let args: Vec<String> = row.into_iter().map(said).collect();
                    let value = value.map_or("null".to_owned(), said);
                    writeln!(lines, "[\"{name}\", [{}], {value}]", args.join(", ")).unwrap();
                }
            }
        }
    }
    assert!(meant > 10_000, "{meant}");
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts");
    let program = "import json, sys
from check_proof import builtin, read_literal, shown
for line in sys.stdin:
    op, args, value = json.loads(line)
    args = [read_literal(kind, text) for kind, text in args]
    assert None not in args, line
    found = builtin(op, args)
    found = None if found is None else [found[0], shown(found)]
    value = value and [value[0], shown(read_literal(*value))]
    assert found == value, f'{line} {found}'
print('alike')";
    let mut checker = Command::new("python3")
        .args(["-c", program])
        .current_dir(scripts)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    _ = checker.stdin.take().unwrap().write_all(lines.as_bytes());
    let output = checker.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "alike\n", "{said}");
}
