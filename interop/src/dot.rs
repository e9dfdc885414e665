//! An e-graph for Graphviz: a box for each class with its e-nodes in it, an arrow from each e-node to the
//! classes of its children.

use egraph::{BestTerms, Id, Node};
use std::io::{Result, Write};

/// Writes a rebuilt e-graph. The e-nodes of best terms are drawn bold, the boxes of the classes of `roots`
/// with two lines.
///
/// # Errors
/// What writing says.
pub fn write_dot(best: &BestTerms<'_>, roots: &[Id], out: &mut dyn Write) -> Result<()> {
    let egraph = best.egraph();
    let roots: Vec<Id> = roots.iter().map(|&root| egraph.find(root)).collect();
    writeln!(out, "digraph egraph {{")?;
    writeln!(out, "  compound=true; clusterrank=local; node [shape=box, style=rounded];")?;
    for class in egraph.classes() {
        let mut label = best.text(class);
        let facts = egraph.facts_text(class);
        if !facts.is_empty() {
            label += &format!("; {facts}");
        }
        let peripheries = if roots.contains(&class) { 2 } else { 1 };
        writeln!(out, "  subgraph cluster_{} {{", class.0)?;
        writeln!(
            out,
            "    style=dashed; peripheries={peripheries}; label=\"{}: {label}\";",
            class.0
        )?;
        let chosen = best.node(class);
        for &node in egraph.nodes(class) {
            let label = match egraph.node(node) {
                Node::Leaf(leaf) => leaf.to_string(),
                Node::Op(op) => egraph.system().language.op(op).name.clone(),
            };
            let bold = if chosen == Some(node) { ", penwidth=2.5" } else { "" };
            writeln!(out, "    n{} [label=\"{}\"{bold}];", node.0, escaped(&label))?;
        }
        writeln!(out, "  }}")?;
    }
    for class in egraph.classes() {
        for &node in egraph.nodes(class) {
            for (place, &child) in egraph.children(node).iter().enumerate() {
                // Graphviz knows arrows between nodes only, which are cut off at a cluster's border.
                let Some(&inner) = egraph.nodes(child).first() else { continue };
                let head = match child == class {
                    true => format!("n{}", node.0),
                    false => format!("n{}", inner.0),
                };
                let cut = if child == class {
                    String::new()
                } else {
                    format!("lhead=cluster_{}, ", child.0)
                };
                writeln!(out, "  n{} -> {head} [{cut}taillabel=\"{place}\"];", node.0)?;
            }
        }
    }
    writeln!(out, "}}")
}

fn escaped(label: &str) -> String {
    let mut text = String::new();
    for c in label.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push('\u{fffd}'),
            c => text.push(c),
        }
    }
    text
}
