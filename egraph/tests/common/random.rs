//! Random terms of any language, and systems drawn at random.

use super::shipped;
use egraph::{EGraph, Id, Language, Node, SortId, System, TermBank, TermId};
use rand::{Rng, RngExt};
use std::path::Path;

/// What may be literals, of one kind or another.
const LITERALS: [&str; 9] = ["0", "1", "2", "3", "-1", "7", "18446744073709551615", "true", "0.5"];

/// A random term of about `size` nodes as text, `ground` without variables where literals can stand; `None` where the
/// sort has no leaves.
pub fn term_text(
    rng: &mut impl Rng,
    language: &Language,
    sort: SortId,
    size: usize,
    ground: bool,
) -> Option<String> {
    let operators: Vec<usize> = (0..language.operators.len())
        .filter(|&op| {
            language.operators[op].result == sort && !language.operators[op].args.is_empty()
        })
        .collect();
    if size > 1 && !operators.is_empty() {
        let op = &language.operators[operators[rng.random_range(0..operators.len())]];
        let mut left = size - 1;
        let mut text = format!("({}", op.name);
        for (i, &arg) in op.args.iter().enumerate() {
            let rest = op.args.len() - i;
            let part = if rest == 1 { left } else { rng.random_range(0..=left) };
            left -= part;
            text += &format!(" {}", term_text(rng, language, arg, part, ground)?);
        }
        return Some(text + ")");
    }
    let mut leaves: Vec<String> = Vec::new();
    if language.variables.contains(&sort) && !(ground && language.literal_kind(sort).is_some()) {
        // Variables are as frequent as literals.
        leaves.extend((0..2).flat_map(|_| ["x", "y", "z"]).map(str::to_owned));
    }
    if let Some(kind) = language.literal_kind(sort) {
        leaves.extend(
            LITERALS.into_iter().filter(|text| kind.read(text).is_some()).map(str::to_owned),
        );
    }
    let constants = language.operators.iter().filter(|op| op.result == sort && op.args.is_empty());
    leaves.extend(constants.map(|op| op.name.clone()));
    match leaves.is_empty() {
        false => Some(leaves.swap_remove(rng.random_range(0..leaves.len()))),
        // A sort of applications alone.
        true if size == 0 => None,
        true => operators.first().and_then(|_| term_text(rng, language, sort, 2, ground)),
    }
}

/// Random terms of the system, and of seeds where it binds variables or random terms can't be had.
pub fn terms(
    rng: &mut impl Rng,
    name: &str,
    bank: &mut TermBank,
    count: usize,
    size: usize,
) -> Vec<TermId> {
    let language = bank.language().clone();
    let results: Vec<SortId> = language.operators.iter().map(|op| op.result).collect();
    let mut found = Vec::new();
    for _ in 0..20 * count {
        if found.len() == count || language.has_binders() {
            break;
        }
        let sort = results[rng.random_range(0..results.len())];
        let ground = rng.random_range(0..3) == 0;
        let text = term_text(rng, &language, sort, size, ground);
        found.extend(text.and_then(|text| bank.parse(&text, Some(sort)).ok()));
    }
    if found.len() < count {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/seeds/{name}.txt"));
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('(')).collect();
        assert!(!lines.is_empty(), "{name}: no random term, and no seeds");
        while found.len() < count {
            found.push(bank.parse(lines[rng.random_range(0..lines.len())], None).unwrap());
        }
    }
    found
}

/// The names of all shipped systems.
pub fn shipped_names() -> Vec<String> {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems");
    let files = std::fs::read_dir(systems).unwrap().map(|file| file.unwrap().path());
    let rules = files.filter(|path| path.extension().is_some_and(|e| e == "rules"));
    let mut names: Vec<String> =
        rules.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names.iter().for_each(|name| drop(shipped(name)));
    names
}

/// A system with folding, free operators and random rules. What the rules say need not be true of numbers: then a run
/// ends with two literals that are equal, and what was found until then has proofs all the same.
pub fn system_text(rng: &mut impl Rng) -> String {
    let mut text = String::from(
        "(sort S) (variable S) (literal i64 S) (analysis constant)
        (op + (S S) S) (op * (S S) S) (op neg (S) S) (op f (S S) S) (op g (S) S)\n",
    );
    let wide = rng.random_range(0..3) == 0;
    if wide {
        text += "(op h (S S S) S)\n";
    }
    let facts = rng.random_range(0..3) == 0;
    if facts {
        text += "(analysis lo S S :merge (max old new)) (transfer (lo ?c) ?c)
            (transfer (lo (+ ?a ?b)) (+ (lo ?a) (lo ?b)))\n";
    }
    for (i, law) in [
        "(rewrite (+ ?a ?b) (+ ?b ?a)",
        "(rewrite (* ?a ?b) (* ?b ?a)",
        "(rewrite (+ ?a 0) ?a",
        "(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c)",
        "(rewrite (* ?a 1) ?a",
        "(rewrite (* ?a 0) 0",
        "(birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c))",
        "(rewrite (+ ?a (neg ?a)) 0",
        "(rewrite (neg ?a) (* -1 ?a)",
        "(rewrite (+ ?a ?a) (* 2 ?a)",
        "(rewrite (neg (neg ?a)) ?a",
    ]
    .iter()
    .enumerate()
    {
        if rng.random_range(0..2) == 0 {
            text += &format!("{law} :name law{i})\n");
        }
    }
    for i in 0..rng.random_range(1..6) {
        let depth = rng.random_range(2..4);
        let lhs = pattern(rng, depth, wide, &["?a", "?b", "?c", "?a", "0", "1"], true);
        let known: Vec<&str> =
            ["?a", "?b", "?c"].into_iter().filter(|var| lhs.contains(var)).collect();
        // Literals that parts of the right-hand side may fold to, more often than variables.
        let leaves: Vec<&str> =
            known.into_iter().chain(["0", "1", "2", "3", "0", "1", "2", "-1"]).collect();
        let depth = rng.random_range(0..4);
        let rhs = pattern(rng, depth, wide, &leaves, false);
        text += &format!("(rewrite {lhs} {rhs} :name random{i})\n");
    }
    text
}

/// A random pattern; at its root stands a free operator if that is asked for, so that few rules are false of numbers.
fn pattern(rng: &mut impl Rng, depth: u32, wide: bool, leaves: &[&str], free: bool) -> String {
    if depth == 0 || (!free && rng.random_range(0..4) == 0) {
        return leaves[rng.random_range(0..leaves.len())].to_owned();
    }
    let all = ["f", "g", "+", "*", "neg"];
    let op = match rng.random_range(0..6) {
        0 if wide => "h",
        i if free => all[i % 2],
        i => all[i % 5],
    };
    let arity = match op {
        "g" | "neg" => 1,
        "h" => 3,
        _ => 2,
    };
    let args: Vec<String> =
        (0..arity).map(|_| pattern(rng, depth - 1, wide, leaves, false)).collect();
    format!("({op} {})", args.join(" "))
}

/// A random term of a class: a random e-node over random e-nodes of its children's classes, each as it was added.
pub fn member(rng: &mut impl Rng, egraph: &EGraph, bank: &mut TermBank, class: Id) -> TermId {
    let pick = |rng: &mut dyn Rng, class: Id| {
        let nodes = egraph.nodes(class);
        nodes[(rng.next_u32() as usize) % nodes.len()]
    };
    let node = pick(rng, class);
    let Node::Op(op) = egraph.node(node) else { return egraph.term(bank, node) };
    // Under a binder another term of the class may have other loose indices.
    if egraph.system().language.has_binders() {
        return egraph.term(bank, node);
    }
    let children = egraph.children(node).to_vec();
    let children: Vec<Id> =
        children.into_iter().map(|child| pick(rng, egraph.find(child))).collect();
    let children: Vec<TermId> =
        children.into_iter().map(|child| egraph.term(bank, child)).collect();
    bank.apply(op, &children)
}

/// The system, from its text.
pub fn parsed(text: &str) -> std::sync::Arc<System> {
    std::sync::Arc::new(System::parse(text).unwrap_or_else(|e| panic!("{e}: {text}")))
}

/// The text of a system without about half of its rules, chosen at random.
pub fn part_of(rng: &mut impl Rng, text: &str) -> String {
    let (mut kept, mut form, mut depth) = (String::new(), String::new(), 0);
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default();
        form += line;
        form.push('\n');
        depth += line.matches('(').count() as i64 - line.matches(')').count() as i64;
        if depth == 0 {
            let rules = form.matches("rewrite ").count();
            if rules == 0 || rng.random_range(0..2) == 0 {
                kept += &form;
            }
            form.clear();
        }
    }
    kept
}
