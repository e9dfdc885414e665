//! A small e-graph in each of the formats.

use egraph::{BestTerms, CostFunction, EGraph, SaturationConfig, System, TermBank, saturate};
use interop::{write_dot, write_serialized};
use std::ops::ControlFlow;
use std::sync::Arc;

const SYSTEM: &str = "(sort S) (op f (S S) S :cost 5) (op \"q\" () S) (variable S :cost 2)";

/// What a writer makes of the e-graph of `(f x "q")`.
fn written(writer: impl Fn(&BestTerms<'_>, &[egraph::Id], &mut Vec<u8>)) -> String {
    let system = Arc::new(System::parse(SYSTEM).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse("(f x \"q\")", None).unwrap();
    let mut egraph = EGraph::new(system.clone());
    let root = egraph.add_term(&bank, term);
    saturate(&mut egraph, &SaturationConfig::default(), &mut |_, _| ControlFlow::Continue(()));
    let cost = CostFunction::named(&system, "cost").unwrap();
    let mut text = Vec::new();
    writer(&BestTerms::of(&egraph, &cost), &[root], &mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn graphviz_has_boxes_of_classes_with_quoted_labels() {
    let text = written(|best, roots, out| write_dot(best, roots, out).unwrap());
    assert!(text.starts_with("digraph egraph {\n") && text.ends_with("}\n"));
    assert_eq!(text.matches("subgraph cluster_").count(), 3);
    assert_eq!(text.matches(" -> ").count(), 2);
    assert!(text.contains(r#"label="\"q\"""#), "{text}");
    assert!(text.contains("peripheries=2; label=\"2: 8\""), "{text}");
}

#[test]
fn json_has_the_cost_of_each_node_by_itself() {
    let text = written(|best, roots, out| write_serialized(best, roots, out).unwrap());
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let costs: Vec<(&str, u64)> = found["nodes"]
        .as_object()
        .unwrap()
        .values()
        .map(|node| (node["op"].as_str().unwrap(), node["cost"].as_u64().unwrap()))
        .collect();
    assert_eq!(costs, [("x", 2), ("\"q\"", 1), ("f", 5)]);
    assert_eq!(found["nodes"]["2.2"]["children"], serde_json::json!(["0.0", "1.1"]));
    assert_eq!(found["root_eclasses"], serde_json::json!(["2"]));
    assert_eq!(found["class_data"]["2"]["type"], "S");
}
