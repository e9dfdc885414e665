//! Proofs with one field changed, in every field: the checker accepts exactly those in which
//! every step still follows, by a naive test on the text of the terms that shares nothing with
//! the checker.

use crate::common;
use egraph::{
    Caps, Condition, Explainer, Expr, FlatProof, How, Justification, Limits, Pattern, Proof, Rule,
    RuleId, StepRef, Steps, System, TermBank, TermId, VarId, check, check_flat,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

// The naive test: terms are text, instances are made by replacing text.

fn parts(term: &str) -> Vec<String> {
    let Some(inner) = term.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return vec![term.to_owned()];
    };
    let mut all = vec![String::new()];
    let mut depth = 0;
    for c in inner.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match c {
            ' ' if depth == 0 => all.push(String::new()),
            c => all.last_mut().unwrap().push(c),
        }
    }
    all
}

fn is_bool(term: &str) -> bool {
    ["<", "&&", "!"].contains(&parts(term)[0].as_str()) && term.starts_with('(')
}

fn number(text: &str) -> Option<i128> {
    text.parse().ok()
}

fn evaluate(expr: &Expr, value: &dyn Fn(VarId) -> Option<i128>) -> Option<i128> {
    let result = match expr {
        Expr::Value(v) => number(&v.to_string())?,
        Expr::Var(var) => value(*var)?,
        Expr::Apply(op, args) => {
            let args: Vec<i128> = args.iter().map(|a| evaluate(a, value)).collect::<Option<_>>()?;
            apply(op.name(), &args)?
        }
    };
    i64::try_from(result).is_ok().then_some(result)
}

fn apply(op: &str, args: &[i128]) -> Option<i128> {
    Some(match (op, args) {
        ("+", [a, b]) => a + b,
        ("-", [a, b]) => a - b,
        ("*", [a, b]) => a * b,
        ("/" | "%", [_, 0]) => 0,
        ("/", [a, b]) => a.div_euclid(*b),
        ("%", [a, b]) => a.rem_euclid(*b),
        ("min", [a, b]) => *a.min(b),
        ("<", [a, b]) => i128::from(a < b),
        (">", [a, b]) => i128::from(a > b),
        ("==", [a, b]) => i128::from(a == b),
        ("!=", [a, b]) => i128::from(a != b),
        ("&&", [a, b]) => a & b,
        ("!", [a]) => 1 - a,
        _ => return None,
    })
}

fn instance(system: &System, pattern: &Pattern, terms: &[String]) -> Option<String> {
    Some(match pattern {
        Pattern::Var(var) => terms[usize::from(var.0)].clone(),
        Pattern::Leaf(leaf) => leaf.to_string(),
        Pattern::Function(..) => return None,
        Pattern::Op(op, args) => {
            let mut text = format!("({}", system.language.op(*op).name);
            for arg in args {
                text += " ";
                text += &instance(system, arg, terms)?;
            }
            text + ")"
        }
        Pattern::Compute(expr, _) => {
            evaluate(expr, &|var| number(&terms[usize::from(var.0)]))?.to_string()
        }
    })
}

fn naive_rule(system: &System, rule: &Rule, terms: &[String], from: &str, to: &str) -> bool {
    let value = |var: VarId| number(&terms[usize::from(var.0)]);
    let sorts_fit = terms.iter().zip(&rule.variables.sorts).all(|(t, &sort)| {
        // 0 and 1 are literals of both sorts; a test system's variables are integers.
        let bool_sort = system.language.sort_name(sort) == "Bool";
        is_bool(t) == bool_sort || bool_sort && ["0", "1"].contains(&t.as_str())
    });
    terms.len() == rule.variables.names.len()
        && sorts_fit
        && instance(system, &rule.lhs, terms).as_deref() == Some(from)
        && instance(system, &rule.rhs, terms).as_deref() == Some(to)
        && rule.conditions.iter().all(|condition| match condition {
            Condition::Const(var) => value(*var).is_some(),
            Condition::Holds(expr) => evaluate(expr, &value) == Some(1),
        })
}

fn naive_fold(from: &str, to: &str) -> bool {
    let parts = parts(from);
    let args: Option<Vec<i128>> = parts[1..].iter().map(|p| number(p)).collect();
    let value = args.filter(|a| !a.is_empty()).and_then(|args| apply(&parts[0], &args));
    value.is_some_and(|v| i64::try_from(v).is_ok() && v.to_string() == to)
}

fn naive_proof(system: &System, bank: &TermBank, proof: &Proof) -> bool {
    let text = |t: TermId| bank.text(t);
    let follows = |(index, step): (usize, egraph::Step<'_>)| {
        let ends = |r: &StepRef| (r.step as usize) < index;
        let (from, to) = (text(step.from), text(step.to));
        match step.how {
            How::Rule(RuleId(rule), terms) => {
                let terms: Vec<String> = terms.iter().map(|&t| text(t)).collect();
                system
                    .rules
                    .get(rule as usize)
                    .is_some_and(|rule| naive_rule(system, rule, &terms, &from, &to))
            }
            How::Fold => naive_fold(&from, &to),
            How::Congruence(children) => {
                let (from, to) = (parts(&from), parts(&to));
                from.len() == to.len()
                    && from.len() == children.len() + 1
                    && from[0] == to[0]
                    && children.iter().enumerate().all(|(i, child)| match child {
                        None => from[i + 1] == to[i + 1],
                        Some(r) => {
                            ends(r) && {
                                let (a, b) = proof.steps.ends(*r);
                                (text(a), text(b)) == (from[i + 1].clone(), to[i + 1].clone())
                            }
                        }
                    })
            }
            How::Chain(links) => {
                let mut at = from.clone();
                for link in links {
                    if !ends(link) || text(proof.steps.ends(*link).0) != at {
                        return false;
                    }
                    at = text(proof.steps.ends(*link).1);
                }
                at == to
            }
            How::Fact(..) => false,
        }
    };
    (proof.root.step as usize) < proof.steps.len() && proof.steps.iter().enumerate().all(follows)
}

fn naive_flat(system: &System, bank: &TermBank, proof: &FlatProof) -> bool {
    let step_follows = |i: usize| {
        let step = &proof.steps[i];
        let (mut a, mut b) = (bank.text(proof.terms[i]), bank.text(proof.terms[i + 1]));
        for &child in &step.path {
            let (of_a, of_b) = (parts(&a), parts(&b));
            let child = child as usize + 1;
            let same = of_a.len() == of_b.len()
                && child < of_a.len()
                && (0..of_a.len()).all(|i| i == child || of_a[i] == of_b[i]);
            if !same {
                return false;
            }
            (a, b) = (of_a[child].clone(), of_b[child].clone());
        }
        let (left, right) = if step.forward { (a, b) } else { (b, a) };
        match step.rule {
            Justification::Fold => naive_fold(&left, &right),
            Justification::Rule(RuleId(rule)) => {
                let terms: Vec<String> = step.substitution.iter().map(|&t| bank.text(t)).collect();
                let rule = system.rules.get(rule as usize);
                rule.is_some_and(|rule| naive_rule(system, rule, &terms, &left, &right))
            }
        }
    };
    proof.terms.len() == proof.steps.len() + 1 && (0..proof.steps.len()).all(step_follows)
}

// The corruptions.

fn other_term(rng: &mut ChaCha8Rng, bank: &TermBank, like: TermId) -> TermId {
    // Often a term of the same sort, so that the change is not refused for its sort alone.
    for _ in 0..20 {
        let t = TermId(rng.random_range(0..bank.len() as u32));
        if t != like && bank.sort(t) == bank.sort(like) {
            return t;
        }
    }
    TermId(rng.random_range(0..bank.len() as u32))
}

/// A step that can be changed.
#[derive(Clone, Debug)]
struct Written {
    from: TermId,
    to: TermId,
    how: Reason,
}

#[derive(Clone, Debug)]
enum Reason {
    Rule(RuleId, Vec<TermId>),
    Fold,
    Congruence(Vec<Option<StepRef>>),
    Chain(Vec<StepRef>),
}

fn written(proof: &Proof) -> Vec<Written> {
    let write = |step: egraph::Step<'_>| {
        let how = match step.how {
            How::Rule(rule, terms) => Reason::Rule(rule, terms.to_vec()),
            How::Fold => Reason::Fold,
            How::Congruence(children) => Reason::Congruence(children.to_vec()),
            How::Chain(links) => Reason::Chain(links.to_vec()),
            How::Fact(..) => unreachable!("the system has no analyses"),
        };
        Written { from: step.from, to: step.to, how }
    };
    proof.steps.iter().map(write).collect()
}

fn as_proof(written: &[Written], root: StepRef) -> Proof {
    let mut steps = Steps::default();
    for Written { from, to, how } in written {
        let how = match how {
            Reason::Rule(rule, terms) => How::Rule(*rule, terms),
            Reason::Fold => How::Fold,
            Reason::Congruence(children) => How::Congruence(children),
            Reason::Chain(links) => How::Chain(links),
        };
        steps.push(*from, *to, how);
    }
    Proof { steps, root }
}

/// Changes one field of one step; says which kind of field, for the count.
fn corrupt(
    rng: &mut ChaCha8Rng,
    system: &System,
    bank: &TermBank,
    proof: &Proof,
) -> (Proof, usize) {
    let (mut all, mut root) = (written(proof), proof.root);
    let index = rng.random_range(0..all.len());
    let steps = all.len() as u32;
    let earlier = rng.random_range(0..steps.max(1));
    let kind = rng.random_range(0..8);
    let step = &mut all[index];
    match kind {
        0 => step.from = other_term(rng, bank, step.from),
        1 => step.to = other_term(rng, bank, step.to),
        2 => std::mem::swap(&mut step.from, &mut step.to),
        3 => root = StepRef { step: rng.random_range(0..steps + 2), ..root },
        4 => {
            step.how = match rng.random_range(0..4) {
                0 => Reason::Fold,
                1 => Reason::Chain(Vec::new()),
                2 => Reason::Congruence(vec![None, None]),
                _ => Reason::Rule(RuleId(rng.random_range(0..4)), vec![step.from, step.to]),
            }
        }
        5 => match &mut step.how {
            Reason::Rule(rule, _) => {
                *rule = RuleId(rng.random_range(0..system.rules.len() as u32 + 1))
            }
            Reason::Congruence(children) if !children.is_empty() => {
                let i = rng.random_range(0..children.len());
                children[i] = None;
            }
            Reason::Chain(links) => {
                links.pop();
            }
            _ => step.how = Reason::Chain(Vec::new()),
        },
        6 => match &mut step.how {
            Reason::Rule(_, terms) if !terms.is_empty() => {
                let i = rng.random_range(0..terms.len());
                terms[i] = other_term(rng, bank, terms[i]);
            }
            Reason::Congruence(children) if !children.is_empty() => {
                let i = rng.random_range(0..children.len());
                children[i] = Some(StepRef { step: earlier, reversed: rng.random() });
            }
            Reason::Chain(links) if !links.is_empty() => {
                let i = rng.random_range(0..links.len());
                links[i] = StepRef { step: earlier, reversed: rng.random() };
            }
            _ => step.to = other_term(rng, bank, step.to),
        },
        _ => match &mut step.how {
            Reason::Rule(_, terms) => {
                terms.pop();
            }
            Reason::Congruence(children) => children.push(None),
            Reason::Chain(links) if !links.is_empty() => {
                let i = rng.random_range(0..links.len());
                links[i] = links[i].flip();
            }
            _ => step.from = other_term(rng, bank, step.from),
        },
    }
    (as_proof(&all, root), kind)
}

fn corrupt_flat(
    rng: &mut ChaCha8Rng,
    system: &System,
    bank: &TermBank,
    proof: &mut FlatProof,
) -> usize {
    let index = rng.random_range(0..proof.steps.len());
    let kind = rng.random_range(0..6);
    let step = &mut proof.steps[index];
    match kind {
        0 => {
            let i = rng.random_range(0..proof.terms.len());
            proof.terms[i] = other_term(rng, bank, proof.terms[i]);
        }
        1 => step.forward = !step.forward,
        2 => step.path.push(rng.random_range(0..2)),
        3 => {
            if step.path.pop().is_none() {
                step.path.push(7);
            }
        }
        4 => {
            step.rule =
                Justification::Rule(RuleId(rng.random_range(0..system.rules.len() as u32 + 1)))
        }
        _ => match step.substitution.len() {
            0 => step.rule = Justification::Rule(RuleId(0)),
            n => {
                let i = rng.random_range(0..n);
                step.substitution[i] = other_term(rng, bank, step.substitution[i]);
            }
        },
    }
    kind
}

/// Changed proofs over the e-graph of `start`, until `refused` of them no longer follow.
fn refuse(start: &str, seed: u64, refused: usize) {
    let system = common::system(common::INTEGERS);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse(start, None).unwrap();
    let limits = Limits { iterations: Some(5), nodes: Some(800), ..Default::default() };
    let egraph = common::grow(&system, &bank, &[start], limits);
    let classes: Vec<_> = egraph.classes().filter(|&c| egraph.nodes(c).len() > 1).collect();
    let mut explainer = Explainer::new(&egraph);
    let mut of_kind = [0usize; 8];
    let mut of_flat_kind = [0usize; 6];
    let mut accepted = 0usize;
    while of_kind.iter().chain(&of_flat_kind).sum::<usize>() < refused {
        let nodes = egraph.nodes(classes[rng.random_range(0..classes.len())]);
        let pick = |rng: &mut ChaCha8Rng| nodes[rng.random_range(0..nodes.len())];
        let (a, b) = (pick(&mut rng), pick(&mut rng));
        let (a, b) = (egraph.term(&mut bank, a), egraph.term(&mut bank, b));
        if bank.size(a) > 25 || bank.size(b) > 25 || a == b {
            continue;
        }
        let proof = explainer.explain(&mut bank, a, b).unwrap();
        if proof.len() > 120 {
            continue;
        }
        assert!(naive_proof(&system, &bank, &proof), "the naive test refuses a real proof");
        let flat = proof.flatten(&mut bank, Caps { steps: 300, term_size: 200 });
        for _ in 0..25 {
            let (wrong, kind) = corrupt(&mut rng, &system, &bank, &proof);
            let naive = naive_proof(&system, &bank, &wrong);
            let checked = check(&system, &bank, &wrong);
            assert_eq!(checked.is_ok(), naive, "{checked:?}: kind {kind}, {wrong:?}");
            if naive {
                accepted += 1
            } else {
                of_kind[kind] += 1
            }
            let Ok(mut wrong) = flat.clone() else { continue };
            let kind = corrupt_flat(&mut rng, &system, &bank, &mut wrong);
            let naive = naive_flat(&system, &bank, &wrong);
            let checked = check_flat(&system, &bank, &wrong);
            assert_eq!(checked.is_ok(), naive, "{checked:?}: kind {kind}, {wrong:?}");
            if naive { accepted += 1 } else { of_flat_kind[kind] += 1 }
        }
    }
    let all = of_kind.iter().chain(&of_flat_kind);
    assert!(all.clone().all(|&n| n > refused / 100), "{of_kind:?} {of_flat_kind:?}");
    assert!(accepted > 100, "{accepted}: some changes are harmless, and must be accepted");
}

// Together 100,000 proofs that no longer follow; four tests, so that they run side by side.

#[test]
fn exactly_when_a_step_no_longer_follows_in_quotients() {
    refuse("(+ (/ (* x 8) 4) (* (+ y 3) 1))", 7, 25_000);
}

#[test]
fn exactly_when_a_step_no_longer_follows_in_minima() {
    refuse("(min (+ x (- y y)) (+ 2 x))", 8, 25_000);
}

#[test]
fn exactly_when_a_step_no_longer_follows_in_products() {
    refuse("(/ (* (+ x y) 6) 3)", 9, 25_000);
}

#[test]
fn exactly_when_a_step_no_longer_follows_in_conditions() {
    refuse("(&& (< (+ x 3) y) (! (! (< (+ 2 y) (* 1 z)))))", 10, 25_000);
}
