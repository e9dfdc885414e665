//! A workload as an egglog program.
//!
//! Operators are called `op0`, `op1`, … (egglog has functions called `+`), and each sort has the
//! constructors `var-…` and `lit-…` for its variables and literals. A rule with a bare variable
//! on the left must be grounded: it is written once per constructor of the sort.

use crate::Run;
use crate::workloads::{Stop, Workload};
use egraph::{Leaf, LeafValue, Node, Pattern, Rule, SortId, System, TermBank, TermId};
use std::collections::HashSet;
use std::fmt::Write;
use std::time::Instant;

/// Runs egglog on one thread, with its proof encoding or without.
pub fn run(workload: &Workload, system: &System, proofs: bool) -> Run {
    let (bank, start) = workload.start_term(system);
    let engine = if proofs { egglog::EGraph::new_with_proofs() } else { egglog::EGraph::default() };
    let mut engine = engine.with_num_threads(1);
    let mut run = |program: &str| {
        engine.parse_and_run_program(None, program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    };
    let constructors = constructors(system);
    run(&declarations(system, &constructors));
    run(&term(&bank, system, start));
    let began = Instant::now();
    run(&match workload.stop {
        Stop::Saturated(_) => "(run-schedule (saturate (run)))".to_owned(),
        Stop::Iterations(n) => format!("(run {n})"),
    });
    let seconds = began.elapsed().as_secs_f64();
    let (mut nodes, mut classes) = (0, HashSet::new());
    for constructor in &constructors {
        let count = |node: egglog::Enode<'_>| {
            nodes += 1;
            classes.insert(node.eclass);
        };
        engine.constructor_enodes(&constructor.name, count).expect("a constructor");
    }
    Run { nodes, classes: (!proofs).then_some(classes.len()), seconds }
}

struct Constructor {
    name: String,
    args: Vec<String>,
    sort: SortId,
}

fn constructors(system: &System) -> Vec<Constructor> {
    let language = &system.language;
    let sort = |s: &SortId| language.sort_name(*s).to_owned();
    let operators = language.operators.iter().enumerate().map(|(i, op)| Constructor {
        name: format!("op{i}"),
        args: op.args.iter().map(sort).collect(),
        sort: op.result,
    });
    let leaf = |kind: &str, arg: &str, sort: SortId| Constructor {
        name: format!("{kind}-{}", language.sort_name(sort)),
        args: vec![arg.to_owned()],
        sort,
    };
    let variables = language.variables.iter().map(|s| leaf("var", "String", *s));
    let literals = language.literals.iter().map(|(_, s)| leaf("lit", "i64", *s));
    operators.chain(variables).chain(literals).collect()
}

fn declarations(system: &System, constructors: &[Constructor]) -> String {
    let language = &system.language;
    let mut text = String::new();
    for sort in &language.sorts {
        writeln!(text, "(sort {sort})").unwrap();
    }
    for Constructor { name, args, sort } in constructors {
        let sort = language.sort_name(*sort);
        writeln!(text, "(constructor {name} ({}) {sort})", args.join(" ")).unwrap();
    }
    for rule in &system.rules {
        assert!(rule.conditions.is_empty(), "{}: conditions are not translated", rule.name);
        text += &rewrite(system, rule, constructors);
    }
    text
}

fn rewrite(system: &System, rule: &Rule, constructors: &[Constructor]) -> String {
    let show = |side| pattern(system, rule, side);
    let (left, right) = (show(&rule.lhs), show(&rule.rhs));
    if !matches!(rule.lhs, Pattern::Var(_)) {
        return format!("(rewrite {left} {right})\n");
    }
    let sort = rule.lhs.sort(&system.language, &rule.variables);
    let grounded = |c: &Constructor| {
        let args: String = (0..c.args.len()).map(|i| format!(" a{i}")).collect();
        format!("(rule ((= {left} ({}{args}))) ((union {left} {right})))\n", c.name)
    };
    constructors.iter().filter(|c| c.sort == sort).map(grounded).collect()
}

fn leaf(system: &System, leaf: &Leaf) -> String {
    let sort = system.language.sort_name(leaf.sort);
    match &leaf.value {
        LeafValue::Variable(name) => format!("(var-{sort} \"{name}\")"),
        LeafValue::Literal(value) => format!("(lit-{sort} {value})"),
        LeafValue::Bound(index) => panic!("${index}: bound variables are not translated"),
    }
}

fn pattern(system: &System, rule: &Rule, side: &Pattern) -> String {
    match side {
        Pattern::Var(var) => rule.variables.names[var.0 as usize].clone(),
        Pattern::Leaf(of) => leaf(system, of),
        Pattern::Op(op, args) => {
            let args: String =
                args.iter().map(|a| " ".to_owned() + &pattern(system, rule, a)).collect();
            format!("(op{}{args})", op.0)
        }
        Pattern::Compute(..) | Pattern::Function(..) => {
            panic!("{}: computations are not translated", rule.name)
        }
    }
}

fn term(bank: &TermBank, system: &System, t: TermId) -> String {
    match bank.node(t) {
        Node::Leaf(of) => leaf(system, of),
        Node::Op(op) => {
            let arg = |c: &TermId| " ".to_owned() + &term(bank, system, *c);
            let args: String = bank.children(t).iter().map(arg).collect();
            format!("(op{}{args})", op.0)
        }
    }
}
