//! An e-graph in the JSON of the crate `egraph-serialize`, which extraction-gym and egraph-visualizer read.

use egraph::{Amount, BestTerms, Id, Node};
use serde::Serialize;
use serde_json::Number;
use std::io::{Result, Write};

/// An e-node. A child is an e-node, which stands for its class.
#[derive(Serialize)]
struct Entry<'a> {
    op: &'a str,
    children: Vec<String>,
    eclass: String,
    cost: Number,
    subsumed: bool,
}

/// Writes a rebuilt e-graph: e-nodes by class, each with what it costs by itself in the first measure of
/// the cost (those without a known cost are left out), the classes of `roots`, and the sort of each class.
///
/// # Errors
/// What writing says.
pub fn write_serialized(best: &BestTerms<'_>, roots: &[Id], out: &mut dyn Write) -> Result<()> {
    let egraph = best.egraph();
    // A class without a term of a known cost has no place in a file that is there to extract from.
    let classes = || egraph.classes().filter(|&class| best.cost(class).is_some());
    let name = |node: Id| format!("{}.{}", egraph.find(node).0, node.0);
    write!(out, "{{\"nodes\":{{")?;
    let mut between = "";
    for class in classes() {
        for &node in egraph.nodes(class) {
            let children = egraph.children(node).iter();
            let children: Option<Vec<String>> =
                children.map(|&child| best.node(child).map(name)).collect();
            let (Some(cost), Some(children)) = (best.own(node), children) else { continue };
            let text;
            let op = match egraph.node(node) {
                Node::Op(op) => &egraph.system().language.op(op).name,
                Node::Leaf(leaf) => {
                    text = leaf.to_string();
                    &text
                }
            };
            let cost = match best.amount(cost) {
                Amount { numerator, denominator: 1 } => Number::from(numerator),
                amount => Number::from_f64(amount.value()).unwrap_or_else(|| 0.into()),
            };
            let entry = Entry { op, children, eclass: class.0.to_string(), cost, subsumed: false };
            write!(out, "{between}\n\"{}\":{}", name(node), serde_json::to_string(&entry)?)?;
            between = ",";
        }
    }
    let roots: Vec<String> = roots.iter().map(|&root| egraph.find(root).0.to_string()).collect();
    write!(out, "\n}},\n\"root_eclasses\":{},\n\"class_data\":{{", serde_json::to_string(&roots)?)?;
    let mut between = "";
    for class in classes() {
        let sort = egraph.system().language.sort_name(egraph.sort(class));
        let data = serde_json::json!({ "type": sort });
        write!(out, "{between}\n\"{}\":{data}", class.0)?;
        between = ",";
    }
    writeln!(out, "\n}}}}")
}
