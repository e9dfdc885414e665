//! A workload in slotted-egraphs. No term binds a name, so no e-node has slots; what is measured
//! is what the slots cost where they are not needed.

use crate::Run;
use crate::workloads::{Stop, Workload};
use egraph::{DisplayPattern, Pattern, Rule, System};
use slotted_egraphs::{
    AppliedId, EGraph, Language, LanguageChildren, RecExpr, Rewrite, Slot, Symbol, SyntaxElem,
    apply_rewrites, define_language,
};
use std::time::Instant;

define_language! {
    pub enum Term {
        Add(AppliedId, AppliedId) = "+",
        Mul(AppliedId, AppliedId) = "*",
        Pow(AppliedId, AppliedId) = "pow",
        Succ(AppliedId) = "Succ",
        And(AppliedId, AppliedId) = "&",
        Or(AppliedId, AppliedId) = "|",
        Implies(AppliedId, AppliedId) = "->",
        Not(AppliedId) = "~",
        // Variables, literals, operators without arguments.
        Leaf(Symbol),
    }
}

/// Runs slotted-egraphs.
pub fn run(workload: &Workload, system: &System) -> Run {
    let rules: Vec<Rewrite<Term>> = system.rules.iter().map(|r| rewrite(system, r)).collect();
    let start = RecExpr::<Term>::parse(&workload.start).expect("a term of the language above");
    let iterations = match workload.stop {
        Stop::Saturated(_) => u64::MAX,
        Stop::Iterations(n) => n,
    };
    let began = Instant::now();
    let mut egraph = EGraph::<Term>::default();
    egraph.add_expr(start);
    for _ in 0..iterations {
        if !apply_rewrites(&mut egraph, &rules) {
            break;
        }
    }
    Run {
        seconds: began.elapsed().as_secs_f64(),
        nodes: egraph.total_number_of_nodes(),
        classes: Some(egraph.ids().len()),
    }
}

fn rewrite(system: &System, rule: &Rule) -> Rewrite<Term> {
    assert!(rule.conditions.is_empty(), "{}: conditions are not translated", rule.name);
    let show = |pattern: &Pattern| {
        DisplayPattern { language: &system.language, variables: &rule.variables, pattern }
            .to_string()
    };
    Rewrite::new(&rule.name, &show(&rule.lhs), &show(&rule.rhs))
}
