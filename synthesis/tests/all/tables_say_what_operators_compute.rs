//! Operators that tables say: each rule that is found is true of all values, what is found decides the group of six elements, and
//! what is wrong with a file is said with its place.

use crate::common::search_with;
use egraph::{System, TermBank};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use synthesis::{FindOptions, TablesFile, find};

/// The value of a side of a rule, by the file of tables.
fn value(tables: &Json, side: &egraph::Pattern, system: &System, values: &[usize]) -> usize {
    match side {
        egraph::Pattern::Var(var) => values[usize::from(var.0)],
        egraph::Pattern::Op(op, args) => {
            let mut entry = &tables["operators"][&system.language.op(*op).name];
            for arg in args {
                entry = &entry[value(tables, arg, system, values)];
            }
            let names = tables["sorts"]["S"].as_array().unwrap();
            names.iter().position(|name| name == entry).unwrap()
        }
        other => panic!("{other:?}"),
    }
}

/// How many rules were found, all of which are true of all values.
fn true_rules(language: &str, tables: &Json, size: u16) -> usize {
    let place = tempfile::tempdir().unwrap();
    let options = FindOptions { size: Some(size), ..FindOptions::default() };
    let text = tables.to_string();
    let file = TablesFile { name: "tables.json", text: &text };
    let outcome = search_with(language, Some(file), &options, &place.path().join("out"));
    let text = std::fs::read_to_string(&outcome.file).unwrap();
    let system = System::parse(&text).unwrap();
    let elements = tables["sorts"]["S"].as_array().unwrap().len();
    for rule in &system.rules {
        let variables = rule.variables.names.len() as u32;
        for number in 0..elements.pow(variables) {
            let values: Vec<usize> =
                (0..variables).map(|v| number / elements.pow(v) % elements).collect();
            let sides = [&rule.lhs, &rule.rhs].map(|side| value(tables, side, &system, &values));
            assert_eq!(sides[0], sides[1], "{} at {values:?}\n{text}", rule.name);
        }
    }
    outcome.rules.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rules_of_drawn_tables_are_true(
        elements in 1usize..=5,
        drawn in proptest::collection::vec(0usize..5, 1 + 5 + 25 + 125),
    ) {
        let name = |at: usize| format!("e{}", drawn[at] % elements);
        let row = |at: usize| (0..elements).map(|i| name(at + i)).collect::<Vec<_>>();
        let rows = |at: usize| (0..elements).map(|i| row(at + 5 * i)).collect::<Vec<_>>();
        let tables = json!({
            "sorts": {"S": (0..elements).map(|i| format!("e{i}")).collect::<Vec<_>>()},
            "operators": {
                "c": name(0),
                "f": row(1),
                "g": rows(6),
                "h": (0..elements).map(|i| rows(31 + 25 * i)).collect::<Vec<_>>(),
            },
        });
        let language = "(sort S) (op c () S) (op f (S) S) (op g (S S) S) (op h (S S S) S)";
        true_rules(language, &tables, 4);
    }
}

/// The permutations of three things.
fn permutations() -> Vec<[usize; 3]> {
    let all = (0..27).map(|n| [n / 9, n / 3 % 3, n % 3]);
    all.filter(|[a, b, c]| a != b && b != c && a != c).collect()
}

#[test]
fn what_is_found_proves_what_groups_are_known_for() {
    let all = permutations();
    let name = |p: &[usize; 3]| format!("{}{}{}", p[0], p[1], p[2]);
    let then = |p: &[usize; 3], q: &[usize; 3]| name(&[q[p[0]], q[p[1]], q[p[2]]]);
    let back = |p: &[usize; 3]| {
        let at = |i| p.iter().position(|j| *j == i).unwrap();
        name(&[at(0), at(1), at(2)])
    };
    let tables = json!({
        "sorts": {"S": all.iter().map(name).collect::<Vec<_>>()},
        "operators": {
            "id": "012",
            "back": all.iter().map(back).collect::<Vec<_>>(),
            "then": all.iter().map(|p| all.iter().map(|q| then(p, q)).collect::<Vec<_>>())
                .collect::<Vec<_>>(),
        },
    });
    let language = "(sort S) (op id () S) (op back (S) S) (op then (S S) S) (variable S)";
    assert!(true_rules(language, &tables, 5) >= 6);
    let place = tempfile::tempdir().unwrap();
    let text = tables.to_string();
    let file = TablesFile { name: "tables.json", text: &text };
    let options = FindOptions { size: Some(5), ..FindOptions::default() };
    let outcome = search_with(language, Some(file), &options, &place.path().join("out"));
    let system = Arc::new(System::parse(&std::fs::read_to_string(outcome.file).unwrap()).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let left = bank.parse("(back (then x (then y (back z))))", None).unwrap();
    let right = bank.parse("(then z (then (back y) (back x)))", None).unwrap();
    let mut graph = egraph::EGraph::new(system.clone());
    let (a, b) = (graph.add_term(&bank, left), graph.add_term(&bank, right));
    let limits = egraph::Limits { nodes: Some(4_000), ..egraph::Limits::default() };
    let config = egraph::SaturationConfig { limits, ..egraph::SaturationConfig::default() };
    egraph::saturate_until(&mut graph, &config, |graph| graph.find(a) == graph.find(b));
    assert_eq!(graph.find(a), graph.find(b));
}

/// Tables over words and truth values stand beside what is built in.
#[test]
fn tables_go_with_words() {
    let language = "(sort W) (sort B) (op odd (W) B) (op + (W W) W) (op ! (B) B)
        (literal (bits 2) W) (literal bool B) (analysis constant)";
    let tables = json!({"operators": {"odd": [false, true, 0, "1"]}});
    let place = tempfile::tempdir().unwrap();
    let text = tables.to_string();
    let file = TablesFile { name: "t.json", text: &text };
    let options = FindOptions { size: Some(5), ..FindOptions::default() };
    let outcome = search_with(language, Some(file), &options, &place.path().join("out"));
    let text = std::fs::read_to_string(outcome.file).unwrap();
    assert!(text.contains("(birewrite (odd (+ ?a 1)) (! (odd ?a))"), "{text}");
    assert!(outcome.rules.iter().all(|(_, found)| found.proved));
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let language =
        "(sort S) (sort W) (sort I) (op f (S) S) (op g (S W) S) (op k (I) I) (op + (W W) W)
        (literal (bits 4) W) (literal i64 I)";
    let good = || {
        let row = vec!["a"; 16];
        json!({"sorts": {"S": ["a", "b"]}, "operators": {"f": ["b", "a"], "g": [row, row]}})
    };
    let with = |place: &str, what: Json| {
        let mut tables = good();
        *tables.pointer_mut(place).unwrap() = what;
        tables.to_string()
    };
    for (text, expected) in [
        (good().to_string(), "operator k is not built in and without a table"),
        ("{".to_owned(), "t.json: no tables"),
        ("[{}, {}]".to_owned(), "no tables: expected an object with the keys"),
        (r#"{"operators": {"f": [], "f": []}}"#.to_owned(), "the key 'f' comes twice"),
        (json!({"operators": {}, "sort": {}}).to_string(), "unknown field `sort`"),
        (with("/sorts", json!({"s": ["a"]})), "no sort is called 's' (did you mean 'S'?)"),
        (with("/sorts", json!({"W": ["a"]})), "sorts: W has literals"),
        (with("/sorts/S", json!([])), "sorts: S has 0 values, expected 1 to 65536"),
        (with("/sorts/S", json!(["a", "a"])), "S has the value a twice"),
        (with("/operators/f", json!(["a"])), "operators: f: found a list of 1, expected one of 2"),
        (with("/operators/f", json!("a")), "operators: f: found \"a\", expected a list of 2"),
        (with("/operators/f/0", json!("c")), "operators: f[0]: found c, expected a value of S"),
        (
            with("/operators/g/1/3", json!(["a"])),
            "operators: g[1][3]: found [\"a\"], expected a value",
        ),
        (with("/operators", json!({"ff": []})), "no operator is called 'ff'"),
        (with("/operators", json!({"+": []})), "operators: +: it is built in"),
        (with("/operators", json!({"k": []})), "operators: k: the values of I can't be listed"),
    ] {
        let (aim, ends) = FindOptions::default().settle().unwrap();
        let place = tempfile::tempdir().unwrap();
        let run = support::Run { threads: Some(1), seed: 0, quiet: true };
        let out = place.path().join("out");
        let file = Some(TablesFile { name: "t.json", text: &text });
        let found = find(
            ("s.rules", language),
            file,
            (&aim, ends),
            Vec::new(),
            (&run, Arc::default()),
            &out,
        );
        let error = format!("{:#}", found.unwrap_err());
        assert!(error.contains(expected), "{error}\nexpected {expected}");
        assert!(!out.exists());
    }
}

/// A rule that the file has is looked at, too: from a false one everything follows.
#[test]
fn a_false_rule_of_the_file_is_refused() {
    let language = "(sort S) (op f (S) S) (variable S) (rewrite (f ?a) ?a :name own)";
    let text = json!({"sorts": {"S": ["a", "b"]}, "operators": {"f": ["b", "a"]}}).to_string();
    let (aim, ends) = FindOptions::default().settle().unwrap();
    let place = tempfile::tempdir().unwrap();
    let run = support::Run { threads: Some(1), seed: 0, quiet: true };
    let file = Some(TablesFile { name: "t.json", text: &text });
    let with = (&run, Arc::default());
    let found = find(
        ("s.rules", language),
        file,
        (&aim, ends),
        Vec::new(),
        with,
        &place.path().join("out"),
    );
    let error = found.unwrap_err().to_string();
    assert_eq!(error, "s.rules: rule 'own' is false by the tables, where ?a = a");
}
