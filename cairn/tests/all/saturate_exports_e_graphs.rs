//! `cairn saturate --export`: JSON in the form of the crate `egraph-serialize`, with as many e-nodes and
//! classes as the e-graph has, Graphviz, and a page; proofs as pages.

use crate::common::cairn;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use tempfile::TempDir;

/// As `egraph_serialize::EGraph` 0.3 reads it, and nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Serialized {
    nodes: BTreeMap<String, Entry>,
    root_eclasses: Vec<String>,
    class_data: BTreeMap<String, ClassData>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    op: String,
    children: Vec<String>,
    eclass: String,
    cost: f64,
    subsumed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassData {
    r#type: String,
}

/// Exports an e-graph; gives e-nodes and classes, as the last iteration says.
fn export(directory: &TempDir, args: &[&str], files: &[&str]) -> (u64, u64) {
    let mut command = cairn(directory);
    command.args(["saturate", "--format", "json"]).args(args);
    files.iter().for_each(|file| {
        command.args(["--export", file]);
    });
    let output = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    (last["e_nodes"].as_u64().unwrap(), last["e_classes"].as_u64().unwrap())
}

fn read(directory: &TempDir, name: &str) -> String {
    std::fs::read_to_string(directory.path().join(name)).unwrap()
}

#[test]
fn json_has_every_e_node_and_the_cheapest_terms() {
    let directory = tempfile::tempdir().unwrap();
    let prop = ["--system", "prop", "--term", "(-> (& a b) (| b c))", "--nodes", "3000"];
    let (nodes, classes) = export(&directory, &prop, &["g.json"]);
    let text = read(&directory, "g.json");
    let found: Serialized = serde_json::from_str(&text).unwrap();
    assert_eq!(found.nodes.len() as u64, nodes);
    let named: BTreeSet<&String> = found.nodes.values().map(|node| &node.eclass).collect();
    assert_eq!(named.len() as u64, classes);
    assert!(named.iter().all(|class| found.class_data[*class].r#type == "Bool"));
    assert!(found.nodes.values().all(|node| node.cost == 1.0 && !node.subsumed));
    assert!(found.nodes.values().any(|node| node.op == "->"));
    // What can be extracted from it is what the command extracts: the formula is true.
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    loop {
        let before = best.clone();
        for node in found.nodes.values() {
            let parts = node.children.iter().map(|child| found.nodes[child].eclass.as_str());
            let parts: Option<f64> = parts.map(|class| best.get(class)).sum();
            if let Some(cost) = parts.map(|parts| parts + node.cost) {
                let known = best.entry(&node.eclass).or_insert(cost);
                *known = known.min(cost);
            }
        }
        if best == before {
            break;
        }
    }
    assert_eq!(found.root_eclasses.len(), 1);
    assert_eq!(best[found.root_eclasses[0].as_str()], 1.0);
    // The same bytes again, over the earlier file.
    export(&directory, &prop, &["g.json"]);
    assert_eq!(read(&directory, "g.json"), text);
}

#[test]
fn costs_of_the_system_are_those_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let rules = "(sort S) (variable S :cost 2) (op f (S) S :cost 5) (op g (S) S)
        (rewrite (f ?a) (g ?a))";
    std::fs::write(directory.path().join("s.rules"), rules).unwrap();
    let args = ["--system", "s.rules", "--term", "(f (f x))", "--cost", "cost"];
    export(&directory, &args, &["g.json", "g.html"]);
    let found: Serialized = serde_json::from_str(&read(&directory, "g.json")).unwrap();
    let costs: BTreeSet<String> =
        found.nodes.values().map(|node| format!("{} {}", node.op, node.cost)).collect();
    assert_eq!(Vec::from_iter(costs), ["f 5", "g 1", "x 2"]);
    assert!(read(&directory, "g.html").contains("<code>(g (g x))</code>"));
}

#[test]
fn graphviz_has_a_box_for_each_class_and_an_arrow_for_each_child() {
    let directory = tempfile::tempdir().unwrap();
    let args = ["--system", "ring", "--term", "(+ x (* 2 x))", "--nodes", "100"];
    let (nodes, classes) = export(&directory, &args, &["g.dot", "g.json"]);
    let text = read(&directory, "g.dot");
    assert_eq!(text.matches("subgraph cluster_").count() as u64, classes);
    assert_eq!(text.matches(" [label=\"").count() as u64, nodes);
    let found: Serialized = serde_json::from_str(&read(&directory, "g.json")).unwrap();
    let children: usize = found.nodes.values().map(|node| node.children.len()).sum();
    assert_eq!(text.matches(" -> ").count(), children);
    assert_eq!(text.matches("peripheries=2").count(), 1);
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}

#[test]
fn a_page_draws_small_e_graphs_and_lists_large_ones() {
    let directory = tempfile::tempdir().unwrap();
    let page = |nodes: &str| {
        let args = ["--system", "halide", "--term", "(+ x (- y x))", "--nodes", nodes];
        let counts = export(&directory, &args, &["g.html"]);
        (counts, read(&directory, "g.html"))
    };
    let ((nodes, classes), small) = page("40");
    assert_eq!(small.matches("<rect class=\"class").count() as u64, classes);
    assert_eq!(small.matches("<rect class=\"node").count() as u64, nodes);
    assert_eq!(small.matches("<div id=\"c").count() as u64, classes);
    assert!(!small.contains("<script"));
    let ((_, classes), large) = page("2000");
    assert!(!large.contains("<svg"));
    assert_eq!(large.matches("<div id=\"c").count() as u64, classes.min(2_000));
}

#[test]
fn other_names_and_other_files_are_refused_before_any_work() {
    let directory = tempfile::tempdir().unwrap();
    let export = |file: &str| {
        let mut command = cairn(&directory);
        command.args(["saturate", "--system", "ring", "--term", "(+ x 1)", "--export", file]);
        let output = command.assert().code(2).get_output().clone();
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(export("g.svg").contains("expected a name that ends in .dot"));
    std::fs::write(directory.path().join("mine.json"), "{\"a\": 1}").unwrap();
    assert!(export("mine.json").contains("mine.json"));
    assert_eq!(read(&directory, "mine.json"), "{\"a\": 1}");
}

#[test]
fn proofs_are_pages_too() {
    let directory = tempfile::tempdir().unwrap();
    let proof = |format: &str| {
        let mut command = cairn(&directory);
        command.args(["explain", "--system", "ring", "--start", "(+ (* 2 x) (* 3 x))"]);
        command.args(["--target", "(* 5 x)", "--format", format]);
        String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
    };
    let text = proof("text");
    let terms = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let page = proof("html");
    assert!(page.contains("<title>Cairn: a proof</title>"));
    let terms = terms.count();
    assert_eq!(page.matches("<li").count(), terms);
    // Each step but the end opens its rule and its two terms.
    assert_eq!(page.matches("<details class=\"step\"").count(), terms - 1);
    assert!(
        page.contains("<code>(+ (* ?a ?c) (* ?b ?c))</code>")
            || page.contains("<code>(* ?a (+ ?b ?c))</code>")
    );
    assert!(page.contains("constant folding"));
}

#[test]
fn facts_of_classes_are_shown() {
    let directory = tempfile::tempdir().unwrap();
    let term = "(+ 1/2 (abs x))";
    let bounds = ["--system", "bounds", "--term", term, "--iterations", "2"];
    export(&directory, &bounds, &["g.dot", "g.html"]);
    assert!(read(&directory, "g.dot").contains("; lo = 1/2\""));
    assert!(read(&directory, "g.html").contains("<p class=\"note\">lo = 1/2</p>"));
    let mut command = cairn(&directory);
    command.args(["saturate"]).args(bounds);
    let output = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("known of it: lo = 1/2\n"), "{text}");
}

#[test]
fn data_sets_of_systems_with_analyses_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = cairn(&directory);
    command.args(["generate", "--system", "bounds", "--seeds", "bounds", "--out", "d"]);
    let output = command.assert().code(2).get_output().stderr.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(
        text.contains("bounds has analyses: a row of a data set has no place for the facts"),
        "{text}"
    );
    assert!(!directory.path().join("d").exists());
}
