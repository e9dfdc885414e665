//! Sketch satisfaction and extraction against brute force over all terms of an e-graph.

use crate::common;
use egraph::{
    EGraph, Id, Limits, Node, Sketch, TermBank, TermId, extract_sketch, extract_smallest,
    sketch_satisfied,
};

/// All terms of a class with at most `size` nodes.
fn enumerate(egraph: &EGraph, bank: &mut TermBank, class: Id, size: u64) -> Vec<TermId> {
    let mut found = Vec::new();
    if size == 0 {
        return found;
    }
    for &node in egraph.nodes(class) {
        let children = egraph.children(node);
        let mut argument_lists: Vec<(Vec<TermId>, u64)> = vec![(Vec::new(), size - 1)];
        for (i, &child) in children.iter().enumerate() {
            let after = (children.len() - 1 - i) as u64;
            let mut longer = Vec::new();
            for (args, left) in argument_lists {
                for t in enumerate(egraph, bank, child, left.saturating_sub(after)) {
                    let args: Vec<TermId> = args.iter().copied().chain([t]).collect();
                    longer.push((args, left - bank.size(t)));
                }
            }
            argument_lists = longer;
        }
        for (args, _) in argument_lists {
            found.push(match egraph.node(node) {
                Node::Op(op) => bank.apply(op, &args),
                Node::Leaf(leaf) => bank.leaf(leaf),
            });
        }
    }
    found
}

#[test]
fn as_brute_force_does() {
    let system = common::system(common::INTEGERS);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(+ (* x 2) (- y y))", None).unwrap();
    let limits = Limits { iterations: Some(3), nodes: Some(400), ..Default::default() };
    let egraph = common::grow(&system, &bank, &[start], limits);
    let root = egraph.lookup(&bank, start).unwrap();
    let terms = enumerate(&egraph, &mut bank, root, 11);
    assert!(terms.len() > 100, "{}", terms.len());
    for text in [
        "?",
        "(+ ? ?)",
        "(* 2 ?)",
        "(contains y)",
        "(+ ? (contains (- ? y)))",
        "(contains (+ ? (* ? -1)))",
        "(only-contains (or x y 0 2 -1))",
        "(or (- ? ?) (+ y ?))",
        "(contains (min ? ?))",
        "(+ (* x 2) (- y y))",
        "(+ (only-contains (or x 2)) (contains y))",
        "(contains (only-contains (or y 0 -1)))",
        "(or x ?)",
        "(contains ?)",
        "(- (contains (or 2 x)) (contains (or 2 x)))",
    ] {
        let sketch = Sketch::parse(&system.language, text, None).unwrap();
        assert_eq!(sketch.display(&system.language).to_string(), text);
        let satisfying = terms.iter().filter(|&&t| sketch.accepts(&bank, t));
        let least = satisfying.map(|&t| bank.size(t)).min();
        let found = extract_sketch(&egraph, &mut bank, root, &sketch);
        for class in egraph.classes().collect::<Vec<Id>>() {
            let satisfied = sketch_satisfied(&egraph, class, &sketch);
            let found = extract_sketch(&egraph, &mut bank, class, &sketch);
            assert_eq!(satisfied, found.is_some(), "{text}");
        }
        if let Some(t) = found {
            assert!(sketch.accepts(&bank, t), "{text}: {}", bank.text(t));
            assert_eq!(egraph.lookup(&bank, t), Some(root));
        }
        match least {
            Some(_) => assert_eq!(found.map(|t| bank.size(t)), least, "{text}"),
            None => assert!(found.is_none_or(|t| bank.size(t) > 11), "{text}"),
        }
    }
    let smallest = extract_smallest(&egraph, &mut bank, root);
    assert_eq!(bank.size(smallest), terms.iter().map(|&t| bank.size(t)).min().unwrap());
}

#[test]
fn mistakes_are_reported_with_their_place() {
    let system = common::system(common::INTEGERS);
    for (text, message) in [
        ("(contains)", "1:1: expected (contains sketch)"),
        ("(or)", "1:1: expected (or sketch …)"),
        ("(+ ?x 1)", "1:4: '?x' in a sketch"),
        ("(+ ? (pow x 2))", "1:7: unknown operator 'pow'"),
        ("(+ ? (< x 2))", "1:6: expected a term of sort Int, but '<' has sort Bool"),
        ("(! 7)", "1:4: '7' is not a literal of sort Bool (0 or 1)"),
    ] {
        let error = Sketch::parse(&system.language, text, None).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn of_deep_terms_and_of_terms_that_share_their_subterms() {
    let rules = "(sort S) (op c () S) (op g (S) S) (op p (S S) S) (op h (S) S) (op d (S) S)
        (rewrite (d ?x) (p ?x ?x) :name double)";
    let system = common::system(rules);
    let mut bank = TermBank::new(system.language.clone());
    let mut egraph = EGraph::new(system.clone());
    let [c, g, p] = ["c", "g", "p"].map(|name| system.language.operator(name).unwrap());
    let c = bank.apply(c, &[]);
    let deep = (0..50_000).fold(c, |term, _| bank.apply(g, &[term]));
    let shared = (0..50).fold(c, |term, _| bank.apply(p, &[term, term]));
    let ids = [deep, shared].map(|term| egraph.add_term(&bank, term));
    egraph.rebuild();
    for (id, term) in ids.into_iter().zip([deep, shared]) {
        assert_eq!(extract_smallest(&egraph, &mut bank, egraph.find(id)), term);
        let class = egraph.find(id);
        for text in ["(only-contains c)", "(contains c)", "(contains (only-contains c))"] {
            let sketch = Sketch::parse(&system.language, text, None).unwrap();
            assert_eq!(extract_sketch(&egraph, &mut bank, class, &sketch), Some(term), "{text}");
            assert!(sketch.accepts(&bank, term), "{text}");
        }
        for text in ["(contains (d ?))", "(only-contains (d ?))"] {
            let sketch = Sketch::parse(&system.language, text, None).unwrap();
            assert!(!sketch.accepts(&bank, term), "{text}");
        }
    }
}

#[test]
fn a_term_with_more_nodes_than_can_be_counted_is_extracted() {
    let system = common::system(common::INTEGERS);
    let mut bank = TermBank::new(system.language.clone());
    let mut term = bank.parse("x", None).unwrap();
    let plus = system.language.operator("+").unwrap();
    for _ in 0..70 {
        term = bank.apply(plus, &[term, term]);
    }
    let mut egraph = EGraph::new(system);
    let class = egraph.add_term(&bank, term);
    egraph.rebuild();
    assert_eq!(extract_smallest(&egraph, &mut bank, class), term);
}
