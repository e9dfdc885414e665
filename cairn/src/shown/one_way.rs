//! What it means that nothing else is derived, where some rules go one way only.

use egraph::{System, one_way_rules};
use support::counted;

/// How many rules have no rule that leads back, and what follows from it; as the end of a sentence,
/// empty if there is none.
pub fn one_way(system: &System, so: &str) -> String {
    match one_way_rules(system) {
        0 => String::new(),
        rules => {
            let all = counted(system.rules.len() as u64, "rule");
            let go = if rules == 1 { "goes" } else { "go" };
            format!("; {rules} of {all} {go} one way only, so {so}")
        }
    }
}
