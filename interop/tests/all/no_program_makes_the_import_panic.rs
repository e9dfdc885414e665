//! Random texts, and random changes of a good program. What is made of them is a rules file.

use crate::common::import_egglog;
use egraph::System;
use proptest::prelude::*;

const PROGRAM: &str = include_str!("../arithmetic.egg");

/// The program with some characters overwritten.
fn damaged() -> impl Strategy<Value = String> {
    let changes = prop::collection::vec((0..PROGRAM.len(), "[ -~()?é\"]"), 0..6);
    changes.prop_map(move |changes| {
        let mut chars: Vec<char> = PROGRAM.chars().collect();
        for (at, with) in changes {
            if let (Some(place), Some(c)) = (chars.get_mut(at), with.chars().next()) {
                *place = c;
            }
        }
        chars.into_iter().collect()
    })
}

fn stays_a_rules_file(program: &str) {
    let Ok(imported) = import_egglog(program) else { return };
    assert!(imported.declarations == 0 || System::parse(&imported.rules).is_ok(), "{program}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn damaged_programs(text in damaged()) {
        stays_a_rules_file(&text);
    }

    #[test]
    fn anything(text in "[()?+*a-z0-9 ;:\\-\n\"]{0,80}") {
        stays_a_rules_file(&text);
    }
}
