use crate::smt::solvers;
use egraph::System;
use interop::*;
use std::sync::atomic::AtomicBool;
use std::time::*;
#[test]
fn shipped() {
    let Some(solvers) = solvers() else { return };
    let secs: u64 = std::env::var("SECS").map_or(5, |s| s.parse().unwrap());
    let limits = Limits { time: Duration::from_secs(secs), assignments: 1 << 12 };
    let only = std::env::var("ONLY").unwrap_or_default();
    let rule_only = std::env::var("RULE").unwrap_or_default();
    for name in std::env::var("SYSTEMS").unwrap().split(',') {
        let text = std::fs::read_to_string(format!(
            "{}/../configs/systems/{name}.rules",
            env!("CARGO_MANIFEST_DIR")
        ))
        .unwrap();
        let system = System::parse(&text).unwrap();
        let solvers: Vec<_> =
            solvers.iter().filter(|s| s.to_string().contains(&only)).cloned().collect();
        for rule in &system.rules {
            if !rule_only.is_empty() && !rule_only.split(',').any(|r| r == rule.name) {
                continue;
            }
            let begin = Instant::now();
            let v = match Statement::of(&system, rule) {
                Ok(s) => {
                    if !rule_only.is_empty() {
                        println!("{}", query(&s, Extent::Unbounded, true).unwrap());
                    }
                    judge(&s, &solvers, limits, &AtomicBool::new(false))
                }
                Err(e) => Verdict::NotExpressible(e),
            };
            println!("{name} {}: {:.2?} {v:?}", rule.name, begin.elapsed());
        }
    }
}
