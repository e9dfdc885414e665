//! `cairn check` and `scripts/check_proof.py` accept the same of many files that were proofs before they
//! were changed at random. `CAIRN_MUTANTS=100000` asks for so many, in place of a few thousand.

use crate::both_checkers_say_the_same::LEAVES;
use crate::common::random::Random;
use crate::common::{cairn, shipped};
use egraph::{System, TermBank, check, proof_from_json};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Systems, shipped or as text, and what they prove: rules, folding, conditions, computed literals, facts of
/// all kinds, binders and functions on terms.
const PROOFS: [(&str, &str, &str); 16] = [
    ("halide", "(+ (* 2 a) 0)", "(* a 2)"),
    ("halide", "(- (* (+ xo 1) 12) (+ (* xo 12) (+ xi 1)))", "(- 11 xi)"),
    ("halide", "(% (+ (* xo 16) (+ xi 2)) 16)", "(% (+ xi 2) 16)"),
    ("bounds", "(/ (+ 1 (square x)) (+ 1 (square x)))", "1"),
    ("bounds", "(* (+ (abs x) 1/2) (/ y (+ (abs x) 1/2)))", "y"),
    ("bounds", "(abs (+ 1 (abs x)))", "(+ (abs x) 1)"),
    ("words", "(+:32 (*:32 x 3) x)", "(<<:32 x 2)"),
    ("words", "(^:32 (^:32 x 255) 15)", "(^:32 x 240)"),
    ("lambda", "(app (app (lam x (lam y (app x y))) a) b)", "(app a b)"),
    ("lambda", "(lam x (app (lam y (app y y)) x))", "(lam y (app y y))"),
    ("lambda", "(if (= a b) (+ a a) (+ a b))", "(+ a b)"),
    ("prop", "(| (& p (~ q)) (& p q))", "p"),
    (FACTS, "(g (f y) (f y))", "1"),
    (FACTS, "(lam x (f x))", "(lam x (g x 0))"),
    (DOUBLES, "(+ (+ x 0) 1.5)", "(+ x 1.5)"),
    (DOUBLES, "(+ (* 2 1.25) (+ x 0))", "(+ 2.5 x)"),
];

const FACTS: &str = "(sort E)\n(op f (E) E)\n(op g (E E) E)\n(op lam ((bind E E)) E)\n(literal i64 E)\n\
    (variable E)\n(analysis constant)\n(analysis tag E E :merge (min old new))\n\
    (analysis top E E :merge (max old new))\n(transfer (top (f ?a)) (+ (tag ?a) 7))\n\
    (transfer (tag (variable ?x)) 3)\n(transfer (tag ?c) ?c)\n\
    (transfer (tag (f ?a)) (+ (tag ?a) 1))\n(transfer (tag (f ?a)) 2)\n\
    (rewrite (g ?a ?a) (compute (- (tag ?a) 1)) :when ((> (top ?a) 1)) :name less)\n\
    (birewrite (f ?x) (g ?x 0) :name zero)\n";
const DOUBLES: &str = "(sort R)\n(op + (R R) R)\n(op * (R R) R)\n(literal f64 R)\n(variable R)\n\
    (analysis constant)\n(rewrite (+ ?a 0) ?a :name zero)\n(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)\n";

/// What may stand where a text does, beside [`LEAVES`].
const TEXTS: [&str; 6] = ["a\u{1c}b", "a\u{85}b", "a\u{feff}", "é", "fold", "rule"];

fn leaf_text(random: &mut Random) -> &'static str {
    let number = random.below(LEAVES.len() + TEXTS.len());
    LEAVES.get(number).unwrap_or_else(|| &TEXTS[number - LEAVES.len()])
}

/// The places in a document, as JSON pointers.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                places(item, &format!("{here}/{i}"), found);
            }
        }
        Value::Object(fields) => {
            for (key, item) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(item, &format!("{here}/{key}"), found);
            }
        }
        _ => {}
    }
}

/// Changes one place of a proof.
fn change(proof: &mut Value, random: &mut Random) {
    let mut all = Vec::new();
    places(proof, "", &mut all);
    let other = proof.pointer(&all[random.below(all.len())]).unwrap().clone();
    let [terms, steps] = ["terms", "steps"].map(|key| proof[key].as_array().map_or(0, Vec::len));
    // The steps are what matters most, and the terms after them.
    let kind = ["/steps", "/steps", "/steps", "/terms", ""][random.below(5)];
    let of_kind: Vec<&String> = all.iter().filter(|place| place.starts_with(kind)).collect();
    if of_kind.is_empty() {
        return;
    }
    let place = (*random.of(&of_kind)).clone();
    match random.below(11) {
        0 => return add(proof, random),
        1 | 2 => return copy(proof, other, random),
        3 | 4 => return leaf(proof, random),
        _ => {}
    }
    if let Some(value) = proof.pointer_mut(&place) {
        alter(value, other, [terms, steps], random);
    }
}

/// Puts another leaf in place of one wherever it stands: all is as right as before, but what a condition, a
/// computation or a function makes of it.
fn leaf(proof: &mut Value, random: &mut Random) {
    let Some(terms) = proof["terms"].as_array_mut() else { return };
    let mut leaves: Vec<&mut Value> =
        terms.iter_mut().filter_map(|term| term.get_mut("leaf")).collect();
    if !leaves.is_empty() {
        let number = random.below(leaves.len());
        *leaves[number] = leaf_text(random).into();
    }
}

/// Adds a copy of a step, on which nothing rests, with one change: all else about it is right.
fn copy(proof: &mut Value, other: Value, random: &mut Random) {
    let counts = ["terms", "steps"].map(|key| proof[key].as_array().map_or(0, Vec::len));
    let Some(steps) = proof["steps"].as_array_mut().filter(|steps| !steps.is_empty()) else {
        return;
    };
    let mut copy = random.of(steps).clone();
    let mut all = Vec::new();
    places(&copy, "", &mut all);
    if let Some(value) = copy.pointer_mut(&all[random.below(all.len())]) {
        alter(value, other, counts, random);
    }
    steps.push(copy);
}

/// Changes a value, perhaps into another of the document.
fn alter(value: &mut Value, other: Value, [terms, steps]: [usize; 2], random: &mut Random) {
    if random.below(10) == 0 {
        *value = other;
        return;
    }
    match value {
        Value::Number(number) => {
            let number = number.as_u64().unwrap_or(0);
            *value = match random.below(10) {
                0 | 1 => number.saturating_add(1).into(),
                2 | 3 => number.saturating_sub(1).into(),
                4 | 5 => random.below(terms).into(),
                6 | 7 => random.below(steps).into(),
                8 => serde_json::json!({ "reverse": number }),
                _ => random
                    .of(&[
                        (-1).into(),
                        1.0.into(),
                        u32::MAX.into(),
                        u64::MAX.into(),
                        true.into(),
                        Value::Null,
                        number.to_string().into(),
                    ])
                    .clone(),
            };
        }
        Value::String(text) => match random.below(3) {
            0 => *text = leaf_text(random).to_owned(),
            1 => text.push_str(["-rev", " ", "0", "?"][random.below(4)]),
            _ => {
                let mut left: Vec<char> = text.chars().collect();
                if !left.is_empty() {
                    left.remove(random.below(left.len()));
                }
                *text = left.into_iter().collect();
            }
        },
        Value::Array(items) => match random.below(5) {
            0 if !items.is_empty() => drop(items.remove(random.below(items.len()))),
            1 if !items.is_empty() => {
                let item = random.of(items).clone();
                items.insert(random.below(items.len()), item);
            }
            2 if items.len() > 1 => {
                let (a, b) = (random.below(items.len()), random.below(items.len()));
                items.swap(a, b);
            }
            3 => items.push(other),
            _ => items.reverse(),
        },
        Value::Object(fields) => of_object(fields, other, random),
        Value::Null => *value = random.below(steps).into(),
        Value::Bool(_) => *value = Value::Null,
    }
}

fn of_object(fields: &mut Map<String, Value>, other: Value, random: &mut Random) {
    let keys: Vec<String> = fields.keys().cloned().collect();
    match random.below(6) {
        0 | 1 if fields.contains_key("from") && fields.contains_key("to") => {
            let (from, to) = (fields["from"].clone(), fields["to"].clone());
            fields.insert("from".to_owned(), to);
            fields.insert("to".to_owned(), from);
        }
        2 if fields.contains_key("reverse") => {
            fields.insert("reverse".to_owned(), random.below(9).into());
        }
        3 if !keys.is_empty() => drop(fields.remove(random.of(&keys))),
        4 if keys.len() > 1 => {
            let (a, b) = (random.of(&keys).clone(), random.of(&keys).clone());
            let (at_a, at_b) = (fields[&a].clone(), fields[&b].clone());
            fields.insert(a, at_b);
            fields.insert(b, at_a);
        }
        _ => {
            let key = ["because", "note", "leaf", "args", "?z", "chain"][random.below(6)];
            fields.insert(key.to_owned(), other);
        }
    }
}

/// Adds a step that nothing else speaks of; perhaps it becomes the root.
fn add(proof: &mut Value, random: &mut Random) {
    let Some(steps) = proof["steps"].as_array().cloned().filter(|steps| !steps.is_empty()) else {
        return;
    };
    let (last, step, other) = (steps.len(), random.of(&steps).clone(), random.of(&steps));
    let (from, to) = (step["from"].clone(), step["to"].clone());
    let reference = steps.iter().position(|earlier| *earlier == step).unwrap_or_default();
    let terms = proof["terms"].as_array().map_or(0, Vec::len);
    let (term, beside) = (random.below(terms), random.below(terms));
    let of_fact = |step: &Value| {
        let how = step["how"].as_object()?.values().next()?;
        how.get("analysis").cloned()
    };
    let analysis = of_fact(&step).or_else(|| steps.iter().find_map(of_fact));
    let analysis = analysis.unwrap_or_else(|| "lo".into());
    let reverse = serde_json::json!({ "reverse": reference });
    let (how, because) = match random.below(12) {
        0 => (step["how"].clone(), step["because"].clone()),
        1 => (serde_json::json!({ "chain": [] }), Value::Null),
        2 => (serde_json::json!({ "chain": [reference] }), Value::Null),
        3 => (serde_json::json!({ "chain": [reference, reverse, reference] }), Value::Null),
        4 => (serde_json::json!({ "congruence": [reference, null] }), Value::Null),
        5 => (serde_json::json!({ "congruence": [] }), Value::Null),
        6 => (serde_json::json!({ "congruence": [null, null] }), Value::Null),
        7 => ("fold".into(), Value::Null),
        8 => (serde_json::json!({ "fold": null }), Value::Null),
        9 => (
            serde_json::json!({ "merge": { "analysis": analysis } }),
            serde_json::json!([reference, reference]),
        ),
        10 => (
            serde_json::json!({ "equality": { "analysis": analysis } }),
            serde_json::json!([random.below(last), reference]),
        ),
        _ => (other["how"].clone(), other["because"].clone()),
    };
    let ends = [
        [from.clone(), to.clone()],
        [from.clone(), from],
        [to, step["from"].clone()],
        [term.into(), term.into()],
        [term.into(), beside.into()],
    ];
    let [from, to] = random.of(&ends).clone();
    let mut added = serde_json::json!({ "from": from, "to": to, "how": how });
    if !because.is_null() {
        added["because"] = because;
    }
    if let Some(steps) = proof["steps"].as_array_mut() {
        steps.push(added);
    }
    if random.below(3) == 0 {
        (proof["start"], proof["end"]) = (from, to);
        proof["root"] = last.into();
    }
}

/// One mutant, on one line.
fn mutant(proof: &Value, random: &mut Random) -> String {
    let mut changed = proof.clone();
    for _ in 0..1 + random.below(3) {
        change(&mut changed, random);
        if !changed.is_object() {
            break;
        }
    }
    let mut text = changed.to_string();
    // Of some, the text: what is hardly a tree any more.
    if random.below(10) == 0 {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = *random.of(&ends);
        let more =
            ["0", "-", ".0", "e1", " ", "\"", ",", "NaN", "null,", "\\ud800", "[", "\"root\":0,"];
        text.insert_str(at, more[random.below(more.len())]);
    }
    // Of some, a variable that has a term twice, which no tree of keys and values can say.
    if random.below(20) == 0 {
        let variables: Vec<usize> = text.match_indices("\"?").map(|(at, _)| at).collect();
        if !variables.is_empty() {
            let at = *random.of(&variables);
            let length = text[at..].find([',', '}']).unwrap_or(0);
            let twice = format!("{},", &text[at..at + length]);
            text.insert_str(at, &twice);
        }
    }
    text
}

/// What the kernel says of a file.
fn by_kernel(system: &System, text: &str) -> &'static str {
    let accepts = || {
        let mut bank = TermBank::new(system.language.clone());
        proof_from_json(system, &mut bank, text)
            .is_ok_and(|proof| check(system, &bank, &proof).is_ok())
    };
    match catch_unwind(AssertUnwindSafe(accepts)) {
        Ok(true) => "accepted",
        Ok(false) => "refused",
        Err(_) => "panicked",
    }
}

/// What the script says of each line of a file; nothing where there is no Python.
fn by_python(directory: &TempDir, rules: &str, lines: &str) -> Option<Vec<String>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/check_proof.py");
    let mut command = Command::new("python3");
    command.current_dir(directory.path()).arg(script).args(["--lines", lines, "--system", rules]);
    let said = String::from_utf8(command.output().ok()?.stdout).unwrap();
    Some(said.lines().map(str::to_owned).collect())
}

#[test]
fn both_checkers_agree_on_mutants_of_proofs() {
    let asked = std::env::var("CAIRN_MUTANTS").ok();
    let count = asked.map_or(3_200, |count| count.parse().expect("a number in CAIRN_MUTANTS"));
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let (mut accepted, mut all, mut differences) = (0u64, 0u64, String::new());
    for (number, (system, from, to)) in PROOFS.into_iter().enumerate() {
        let (rules, file) = (format!("{number}.rules"), format!("{number}.json"));
        match system.contains('(') {
            true => std::fs::write(path(&rules), system).unwrap(),
            false => {
                std::fs::copy(shipped(&format!("systems/{system}.rules")), path(&rules)).unwrap();
            }
        }
        let mut explain = cairn(&directory);
        explain.args(["explain", "--quiet", "--system", &rules, "--start", from, "--target", to]);
        explain.args(["--out", &file]).assert().success();
        let proof = std::fs::read_to_string(path(&file)).unwrap();
        let proof: Value = serde_json::from_str(&proof).unwrap();
        let mut random = Random(number as u64);
        // The first is whole.
        let mut mutants = vec![proof.to_string()];
        mutants.extend((0..count / PROOFS.len()).map(|_| mutant(&proof, &mut random)));
        std::fs::write(path("mutants"), mutants.join("\n") + "\n").unwrap();
        let Some(said) = by_python(&directory, &rules, "mutants") else {
            eprintln!("left out: there is no python3");
            return;
        };
        assert_eq!(said.len(), mutants.len());
        let system = System::load(&path(&rules)).unwrap();
        for (i, (mutant, said)) in mutants.iter().zip(said).enumerate() {
            let verdict = by_kernel(&system, mutant);
            if i == 0 {
                assert_eq!((verdict, said.as_str()), ("accepted", "accepted"), "{from}");
            }
            all += 1;
            accepted += u64::from(verdict == "accepted");
            if verdict != said.split(':').next().unwrap_or_default() {
                let shown: String = mutant.chars().take(2_000).collect();
                let _ = writeln!(differences, "{from}: {verdict}, but {said}: {shown}");
            }
        }
    }
    println!(
        "{all} mutants, of which {accepted} were accepted; {} differences",
        differences.lines().count()
    );
    assert!(differences.is_empty(), "{differences}");
    assert!(accepted * 50 > all && accepted < all / 2, "{accepted} of {all}");
}
