//! What docs/systems.md says of rule files is so: its examples are read, its mistakes are reported
//! as it says.

use egraph::System;
use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/systems.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn examples_are_whole_files() {
    let page = page();
    let examples: Vec<&str> =
        page.split("```rules\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 3, "{} examples", examples.len());
    for example in examples {
        let system = System::parse(example).unwrap_or_else(|e| panic!("{e}\n{example}"));
        assert!(!system.rules.is_empty());
    }
}

#[test]
fn mistakes_have_the_messages_shown() {
    let page = page();
    let table = page.split("| file | message |").nth(1).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('`').collect())
        .collect();
    assert!(rows.len() >= 4, "{} mistakes", rows.len());
    for row in rows {
        let text = format!("(sort Int) (literal i64 Int)\n(op + (Int Int) Int)\n{}", row[1]);
        assert_eq!(System::parse(&text).unwrap_err().to_string(), row[3]);
    }
}
