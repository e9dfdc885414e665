//! Rules that are too large are refused before they take memory, and many are read in linear time.

use crate::ONE_AT_A_TIME;
use crate::counting::{LIVE, PEAK};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A balanced pattern with so many leaves, all different.
fn balanced(range: std::ops::Range<usize>) -> String {
    match range.len() {
        1 => format!("?x{}", range.start),
        n => {
            let middle = range.start + n / 2;
            format!("(+ {} {})", balanced(range.start..middle), balanced(middle..range.end))
        }
    }
}

#[test]
fn rules_are_refused_before_they_take_memory() {
    let _guard = ONE_AT_A_TIME.lock();
    let parse = |leaves: usize, rules: usize| {
        let mut text = "(sort S) (op + (S S) S)".to_owned();
        for n in 0..rules {
            text += &format!("\n(rewrite {} ?x0 :name r{n})", balanced(0..leaves));
        }
        let before = LIVE.load(Relaxed);
        PEAK.store(before, Relaxed);
        let result = egraph::System::parse(&text);
        (result.map(|system| system.rules.len()), PEAK.load(Relaxed) - before, text.len())
    };
    for (leaves, reason) in [(8_000, "too many variables"), (4_000, "too large")] {
        let (result, peak, _) = parse(leaves, 10);
        let error = result.unwrap_err();
        assert!(
            error.to_string().starts_with("2:") && error.to_string().contains(reason),
            "{error}"
        );
        assert!(peak < 32 << 20, "{peak}");
    }
    let (result, peak, bytes) = parse(257, 100);
    assert_eq!(result.unwrap(), 100);
    assert!(peak < 100 * bytes, "{peak} for {bytes}");
}

#[test]
fn a_hundred_thousand_rules_are_read_in_seconds() {
    let _guard = ONE_AT_A_TIME.lock();
    let mut text = "(sort S) (op f (S) S)".to_owned();
    for n in 0..100_000 {
        text += &format!("(op g{n} (S) S)\n(rewrite (f ?x) (g{n} ?x) :name a-rule-number-{n})\n");
    }
    let began = Instant::now();
    assert_eq!(egraph::System::parse(&text).unwrap().rules.len(), 100_000);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    text += "(rewrite (f ?x) ?x :name a-rule-number-7)";
    let error = egraph::System::parse(&text).unwrap_err().to_string();
    assert!(error.contains("a second rule is called 'a-rule-number-7'"), "{error}");
}
