//! Proofs as theorems of Lean 4, read back by a parser of this file's own, which replays them: every
//! name is bound, every step is the instance of a hypothesis under its context, premises hold, and the
//! block leads from one side of the statement to the other.

use egraph::{
    Caps, EGraph, Explainer, Limits, SaturationConfig, Shortener, System, TermBank, proof_to_lean,
    saturate,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// An expression of Lean, as far as the theorems need any.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Atom(String),
    Group(Vec<Tree>),
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let mut token = c.to_string();
        match c {
            ' ' => continue,
            '(' | ')' | '{' | '}' | ',' => {}
            '«' => {
                for c in chars.by_ref() {
                    token.push(c);
                    if c == '»' {
                        break;
                    }
                }
            }
            _ => {
                while let Some(c) = chars.next_if(|c| !" (){},«".contains(*c)) {
                    token.push(c);
                }
            }
        }
        tokens.push(token);
    }
    tokens
}

/// What stands up to a closing parenthesis or the end, as one group.
fn group(tokens: &mut impl Iterator<Item = String>) -> Tree {
    let mut items = Vec::new();
    while let Some(token) = tokens.next() {
        match token.as_str() {
            "(" | "{" => items.push(group(tokens)),
            ")" | "}" => break,
            _ => items.push(Tree::Atom(token)),
        }
    }
    match items.len() {
        1 => items.remove(0),
        _ => Tree::Group(items),
    }
}

fn tree(text: &str) -> Tree {
    let all = tokens(text);
    let opened = all.iter().filter(|t| ["(", "{"].contains(&t.as_str())).count();
    assert_eq!(opened, all.iter().filter(|t| [")", "}"].contains(&t.as_str())).count(), "{text}");
    group(&mut all.into_iter())
}

impl Tree {
    fn items(&self) -> &[Tree] {
        match self {
            Tree::Atom(_) => std::slice::from_ref(self),
            Tree::Group(items) => items,
        }
    }

    fn is(&self, text: &str) -> bool {
        *self == Tree::Atom(text.to_owned())
    }

    /// The parts between occurrences of a token.
    fn split(&self, at: &str) -> Vec<Tree> {
        let parts = self.items().split(|item| item.is(at));
        parts
            .map(|part| match part {
                [one] => one.clone(),
                more => Tree::Group(more.to_vec()),
            })
            .collect()
    }

    fn replaced(&self, by: &BTreeMap<String, Tree>) -> Tree {
        match self {
            Tree::Atom(name) => by.get(name).cloned().unwrap_or_else(|| self.clone()),
            Tree::Group(items) => Tree::Group(items.iter().map(|item| item.replaced(by)).collect()),
        }
    }

    fn names(&self, names: &mut BTreeSet<String>) {
        match self {
            Tree::Atom(name) if name.starts_with('«') => {
                names.insert(name.clone());
            }
            Tree::Atom(_) => {}
            Tree::Group(items) => items.iter().for_each(|item| item.names(names)),
        }
    }

    fn number(&self) -> Option<i128> {
        match self {
            Tree::Atom(text) => text.parse().ok(),
            Tree::Group(_) => None,
        }
    }

    /// With all arithmetic done.
    fn value(&self) -> Tree {
        let Tree::Group(items) = self else { return self.clone() };
        let items: Vec<Tree> = items.iter().map(Tree::value).collect();
        let atom = |text: String| Tree::Atom(text);
        let int = |n: i128| atom(n.to_string());
        let word = |i: usize| match &items[i] {
            Tree::Atom(text) => text.as_str(),
            Tree::Group(_) => "",
        };
        let truth = |tree: &Tree| match tree {
            Tree::Atom(text) if text == "true" || text == "false" => Some(text == "true"),
            _ => None,
        };
        if let [condition, a, b] = &items[..]
            && let (Some(x), Some(y), op) = (condition.number(), b.number(), a)
            && let Tree::Atom(op) = op
        {
            return match op.as_str() {
                "+" => int(x + y),
                "-" => int(x - y),
                "*" => int(x * y),
                "/" => int(if y == 0 { 0 } else { x.div_euclid(y) }),
                "%" => int(if y == 0 { x } else { x.rem_euclid(y) }),
                "<" => atom((x < y).to_string()),
                "≤" => atom((x <= y).to_string()),
                ">" => atom((x > y).to_string()),
                "≥" => atom((x >= y).to_string()),
                "=" => atom((x == y).to_string()),
                "≠" => atom((x != y).to_string()),
                other => panic!("unknown operator {other}"),
            };
        }
        match items.len() {
            2 if word(0) == "-" && items[1].number().is_some() => int(-items[1].number().unwrap()),
            2 if word(0) == "decide" => items[1].clone(),
            2 if word(0) == "¬" => atom((!truth(&items[1]).expect("a truth value")).to_string()),
            3 if word(0) == "min" => {
                int(items[1].number().unwrap().min(items[2].number().unwrap()))
            }
            3 if word(0) == "max" => {
                int(items[1].number().unwrap().max(items[2].number().unwrap()))
            }
            3 if ["∧", "∨", "="].contains(&word(1)) && truth(&items[0]).is_some() => {
                let (x, y) = (truth(&items[0]).unwrap(), truth(&items[2]).unwrap());
                atom(
                    match word(1) {
                        "∧" => x && y,
                        "∨" => x || y,
                        _ => x == y,
                    }
                    .to_string(),
                )
            }
            // if b = 0 then 0 else a % b
            10 if word(0) == "if" => {
                let (b, a) = (items[1].number().unwrap(), items[7].number().unwrap());
                int(if b == 0 { 0 } else { a.rem_euclid(b) })
            }
            _ => Tree::Group(items),
        }
    }
}

/// A hypothesis: what it binds, its premises, its two sides.
struct Hypothesis {
    variables: Vec<String>,
    premises: Vec<Tree>,
    sides: [Tree; 2],
}

fn hypothesis(of: &Tree) -> Hypothesis {
    let items = of.items();
    let (mut variables, mut rest) = (Vec::new(), of.clone());
    if items[0].is("∀") {
        let comma = items.iter().position(|item| item.is(",")).unwrap();
        for binder in &items[1..comma] {
            let [Tree::Atom(name), colon, _] = binder.items() else { panic!("{binder:?}") };
            assert!(colon.is(":"));
            variables.push(name.clone());
        }
        rest = Tree::Group(items[comma + 1..].to_vec());
    }
    let mut premises = rest.split("→");
    let conclusion = premises.pop().unwrap();
    let sides = conclusion.split("=").try_into().unwrap();
    Hypothesis { variables, premises, sides }
}

/// Replays a theorem; gives the number of its steps.
fn replay(text: &str) -> usize {
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("theorem «"));
    let mut bound: BTreeSet<String> = BTreeSet::new();
    let mut hypotheses: BTreeMap<String, Hypothesis> = BTreeMap::new();
    let mut statement = None;
    for line in lines.by_ref() {
        if let Some(of) = line.trim().strip_prefix(": ") {
            statement = Some(tree(of.strip_suffix(" :=").unwrap()));
            break;
        }
        let binder = tree(line);
        let [Tree::Atom(name), colon, of @ ..] = binder.items() else { panic!("{line}") };
        assert!(colon.is(":"), "{line}");
        let mut names = BTreeSet::new();
        Tree::Group(of.to_vec()).names(&mut names);
        let of = Tree::Group(of.to_vec());
        if name.starts_with("«rule ") || name.starts_with("«fold ") {
            let found = hypothesis(&of);
            names.retain(|name| !found.variables.contains(name));
            hypotheses.insert(name.clone(), found);
        }
        assert!(names.is_subset(&bound), "{line}: not bound before: {names:?}");
        assert!(bound.insert(name.clone()), "{name} is bound twice");
    }
    let [start, end]: [Tree; 2] = statement.expect("a statement").split("=").try_into().unwrap();
    assert_eq!(lines.next(), Some("  calc"));
    let (mut at, mut steps) = (None, 0);
    for line in lines {
        let (relation, reason) = line.split_once(" := ").unwrap();
        let [left, right]: [Tree; 2] = tree(relation).split("=").try_into().unwrap();
        let left = at.take().unwrap_or_else(|| {
            assert_eq!(left, start);
            left.clone()
        });
        if reason != "rfl" {
            step(&left, &right, reason, &hypotheses);
            steps += 1;
        }
        let mut names = BTreeSet::new();
        right.names(&mut names);
        assert!(names.is_subset(&bound), "{line}");
        at = Some(right);
    }
    assert_eq!(at, Some(end));
    steps
}

/// Checks that a reason proves that two terms are equal.
fn step(left: &Tree, right: &Tree, reason: &str, hypotheses: &BTreeMap<String, Hypothesis>) {
    let (reason, backwards) = match reason.strip_suffix(".symm") {
        Some(forwards) => (forwards, true),
        None => (reason, false),
    };
    let reason = tree(reason);
    let (context, instance) = match reason.items() {
        [word, function, instance] if word.is("congrArg") => {
            let [_, binder, arrow, body @ ..] = function.items() else { panic!("{function:?}") };
            assert!(arrow.is("=>") && binder.items()[0].is("«·»"));
            let body = match body {
                [one] => one.clone(),
                more => Tree::Group(more.to_vec()),
            };
            (body, instance.clone())
        }
        _ => (Tree::Atom("«·»".to_owned()), reason.clone()),
    };
    let [Tree::Atom(name), args @ ..] = instance.items() else { panic!("{instance:?}") };
    let of = &hypotheses[name];
    let (values, proofs) = args.split_at(of.variables.len());
    assert_eq!(proofs, vec![tree("(by decide)"); of.premises.len()]);
    let by: BTreeMap<String, Tree> =
        of.variables.iter().cloned().zip(values.iter().cloned()).collect();
    for premise in &of.premises {
        assert!(premise.replaced(&by).value().is("true"), "{premise:?} {by:?}");
    }
    let within = |side: &Tree| {
        let hole = BTreeMap::from([("«·»".to_owned(), side.replaced(&by))]);
        context.replaced(&hole).value()
    };
    let [mut from, mut to] = of.sides.clone();
    if backwards {
        std::mem::swap(&mut from, &mut to);
    }
    assert_eq!(within(&from), left.value(), "{reason:?}");
    assert_eq!(within(&to), right.value(), "{reason:?}");
}

/// The theorem that two terms are equal.
fn theorem(system: &str, from: &str, to: &str) -> String {
    let path = format!("../configs/systems/{system}.rules");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    theorem_of(&Arc::new(System::load(&path).unwrap()), from, to)
}

fn theorem_of(system: &Arc<System>, from: &str, to: &str) -> String {
    let mut bank = TermBank::new(system.language.clone());
    let from = bank.parse(from, None).unwrap();
    let to = bank.parse(to, Some(bank.sort(from))).unwrap();
    let mut egraph = EGraph::new(system.clone());
    let (a, b) = (egraph.add_term(&bank, from), egraph.add_term(&bank, to));
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate(&mut egraph, &config, &mut |egraph, _| match egraph.find(a) == egraph.find(b) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    let proof = Explainer::new(&egraph).explain(&mut bank, from, to).expect("they are equal");
    let caps = Caps { steps: 1_000, term_size: 1_000 };
    let flat = proof.flatten(&mut bank, caps).unwrap();
    let flat = Shortener::new(system).shorten(&mut bank, &flat, caps.term_size);
    proof_to_lean(system, &bank, &flat, "equal").unwrap()
}

#[test]
fn ten_proofs_of_ring() {
    for (from, to) in [
        ("(+ x x)", "(* 2 x)"),
        ("(+ (* 2 x) (* 3 x))", "(* 5 x)"),
        ("(+ x (* -1 x))", "0"),
        ("(- x y)", "(* -1 (- y x))"),
        ("(- x (+ y z))", "(- (- x y) z)"),
        ("(* x (- y z))", "(- (* x y) (* x z))"),
        ("(* (+ x y) (+ x y))", "(+ (* x x) (+ (* 2 (* x y)) (* y y)))"),
        ("(* (+ x y) (- x y))", "(- (* x x) (* y y))"),
        ("(* (+ x 3) (+ x 1))", "(+ (+ (* x x) (* 4 x)) 3)"),
        ("(* (+ x 1) (- x 1))", "(- (* x x) 1)"),
    ] {
        let text = theorem("ring", from, to);
        assert!(replay(&text) > 0, "{text}");
    }
}

#[test]
fn conditions_computed_literals_and_truth_values() {
    for (system, from, to) in [
        ("halide", "(<= (+ (* 2 x) (* 2 y)) (* 2 z))", "(<= (+ y x) z)"),
        ("halide", "(/ (+ (* x 12) y) 4)", "(+ (* x 3) (/ y 4))"),
        ("halide", "(< (% x 8) 8)", "1"),
        ("halide", "(! (&& (< x y) (< 1 2)))", "(<= y x)"),
        ("halide", "(min x (+ x (max 3 2)))", "x"),
        ("halide", "(% (+ x (% 7 4)) 3)", "(% x 3)"),
        ("prop", "(-> (& p q) p)", "1"),
        ("bitvectors", "(shl (shl a 1) 2)", "(shl a 3)"),
        ("math", "(d x (pow x 3))", "(* 3 (pow x 2))"),
        ("tiling", "(o (o f g) h)", "(o f (o g h))"),
    ] {
        let text = theorem(system, from, to);
        assert!(replay(&text) > 0, "{text}");
    }
}

#[test]
fn nothing_to_prove_is_reflexivity() {
    assert_eq!(replay(&theorem("ring", "(+ x 1)", "(+ x 1)")), 0);
}

#[test]
fn names_that_lean_has_are_other_names() {
    let text = "(sort Int) (op min (Int Int) Int) (op decide (Int) Int) (variable Int)
        (literal i64 Int) (analysis constant)
        (rewrite (decide (min ?a ?b)) (min ?b ?a) :when ((< ?a (min ?b 9))))";
    let system = Arc::new(System::parse(text).unwrap());
    let text = theorem_of(&system, "(decide (min 1 (min 4 5)))", "(min 4 1)");
    assert!(text.contains("(«min here» : «sort Int» →"), "{text}");
    assert!(replay(&text) > 0);
}

#[test]
fn a_name_that_lean_can_not_quote_is_refused() {
    let system = "(sort S) (variable S) (op f (S) S) (rewrite (f ?a) ?a :name »)";
    let system = Arc::new(System::parse(system).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let (from, to) = (bank.parse("(f x)", None).unwrap(), bank.parse("x", None).unwrap());
    let mut egraph = EGraph::new(system.clone());
    egraph.add_term(&bank, from);
    saturate(&mut egraph, &SaturationConfig::default(), &mut |_, _| ControlFlow::Continue(()));
    let proof = Explainer::new(&egraph).explain(&mut bank, from, to).unwrap();
    let flat = proof.flatten(&mut bank, Caps { steps: 9, term_size: 9 }).unwrap();
    assert!(proof_to_lean(&system, &bank, &flat, "t").unwrap_err().contains('»'));
}

#[test]
#[should_panic(expected = "assertion")]
fn a_step_that_is_wrong_is_seen_by_this_parser() {
    let text = theorem("ring", "(+ (* 2 x) (* 3 x))", "(* 5 x)");
    let broken = text.replacen("«rule distribute»", "«rule add-comm»", 9);
    let broken = broken.replace(" 3)", " 4)");
    replay(&broken);
}
