//! Whether egg is slower with [`crate::egg_side`]'s language than with one from its own macro.

use crate::egg_side;
use crate::workloads::{Run, Workload};
use egg::{Id, Symbol, define_language};
use egraph::{DisplayPattern, Pattern, Rule, System};

define_language! {
    enum Native {
        "+" = Add([Id; 2]),
        "*" = Mul([Id; 2]),
        "pow" = Pow([Id; 2]),
        "Zero" = Zero,
        "Succ" = Succ(Id),
        "&" = And([Id; 2]),
        "|" = Or([Id; 2]),
        "->" = Implies([Id; 2]),
        "~" = Not(Id),
        Literal(i32),
        Variable(Symbol),
    }
}

/// Whether the workload can be run in [`Native`].
pub fn has(system: &System) -> bool {
    system.rules.iter().all(|rule| rule.literal_vars().is_empty())
        && !system.language.constant_folding
}

/// Runs egg with [`Native`].
pub fn run(workload: &Workload, system: &System) -> Run {
    let pattern = |rule: &Rule, pattern: &Pattern| -> egg::Pattern<Native> {
        let (language, variables) = (&system.language, &rule.variables);
        let shown = DisplayPattern { language, variables, pattern }.to_string();
        shown.parse().expect("a pattern of the language above")
    };
    let rule = |rule: &Rule| {
        egg::Rewrite::new(rule.name.as_str(), pattern(rule, &rule.lhs), pattern(rule, &rule.rhs))
            .expect("a rule whose variables are bound")
    };
    let rules: Vec<egg::Rewrite<Native, ()>> = system.rules.iter().map(rule).collect();
    let start = workload.start.parse().expect("a term of the language above");
    egg_side::grow(workload, (), &rules, &start, false)
}
