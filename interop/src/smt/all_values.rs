//! All assignments of a statement over words and truth values, without any solver.

use super::evaluated::{Compared, compare};
use super::statement::Statement;
use egraph::{LiteralKind, Value};
use std::sync::atomic::{AtomicBool, Ordering};

/// After so many assignments somebody may want the end.
const A_WHILE: u64 = 1 << 12;

/// Compares both sides of a statement on all assignments, if there are at most `most`.
///
/// Gives how many there are, or the first assignment on which the sides differ; `None` where there are more,
/// where something does not fit, or where `asked` is set meanwhile.
pub fn go_through(
    statement: &Statement,
    most: u64,
    asked: &AtomicBool,
) -> Option<Result<u64, Vec<Value>>> {
    let choices: Vec<u64> =
        statement.kinds.iter().map(|kind| kind.count()).collect::<Option<_>>()?;
    let all = choices.iter().try_fold(1u64, |all, some| all.checked_mul(*some))?;
    if all > most {
        return None;
    }
    let mut numbers = vec![0; choices.len()];
    let mut values: Vec<Value> = statement.kinds.iter().map(|kind| value(*kind, 0)).collect();
    for done in 0.. {
        if done % A_WHILE == 0 && asked.load(Ordering::SeqCst) {
            return None;
        }
        match compare(statement, &values) {
            Compared::Same | Compared::DoesNotApply => {}
            Compared::Differs(..) => return Some(Err(values)),
            Compared::TooLarge => return None,
        }
        let Some(at) = (0..numbers.len()).find(|&at| numbers[at] + 1 < choices[at]) else {
            return Some(Ok(all));
        };
        for (i, number) in numbers[..=at].iter_mut().enumerate() {
            *number = if i == at { *number + 1 } else { 0 };
            values[i] = value(statement.kinds[i], *number);
        }
    }
    None
}

fn value(kind: LiteralKind, number: u64) -> Value {
    kind.of_bits(number).expect("other kinds have no choices")
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::{System, Width};

    fn statement(rule: &str) -> Statement {
        let text = format!(
            "(sort Word) (sort Bool) (op + (Word Word) Word) (op - (Word Word) Word) (op & (Word Word) Word)
             (op << (Word Word) Word) (op >> (Word Word) Word) (op < (Word Word) Bool) (op / (Word Word) Word)
             (literal (bits 64) Word) (literal bool Bool) (variable Word) {rule}"
        );
        let system = System::parse(&text).unwrap();
        Statement::of(&system, &system.rules[0]).unwrap()
    }

    fn through(rule: &str, width: u64) -> Option<Result<u64, Vec<Value>>> {
        let statement = statement(rule).at_width(Width::new(width).unwrap()).unwrap();
        go_through(&statement, 1 << 16, &AtomicBool::default())
    }

    #[test]
    fn all_assignments_at_small_widths_are_compared_and_no_more() {
        for width in 1..=8 {
            let commute = through("(rewrite (+ ?a ?b) (+ ?b ?a))", width);
            assert_eq!(commute, Some(Ok(1 << (2 * width))), "{width}");
            let shifted = through("(rewrite (>> (<< ?a ?n) ?n) ?a)", width);
            assert!(matches!(shifted, Some(Err(_))), "{width}");
        }
        assert_eq!(through("(rewrite (+ ?a ?b) (+ ?b ?a))", 9), None);
        // True at one bit only.
        assert_eq!(through("(rewrite (+ ?a ?a) (- ?a ?a))", 1), Some(Ok(2)));
        assert!(matches!(through("(rewrite (+ ?a ?a) (- ?a ?a))", 2), Some(Err(_))));
    }

    #[test]
    fn what_differs_at_one_assignment_of_65536_is_found() {
        let last = "(rewrite (< (& ?a ?b) 18446744073709551615) 1)";
        let word = |n| Value::word(Width::new(8).unwrap(), n);
        assert_eq!(through(last, 8), Some(Err(vec![word(255), word(255)])));
        let when = "(rewrite (/ ?a ?a) 1 :when ((!= ?a 0)))";
        let never = AtomicBool::default();
        assert_eq!(go_through(&statement(when), 1 << 16, &never), None, "words of 64 bits");
        let small = statement(when).at_width(Width::new(4).unwrap()).unwrap();
        assert!(go_through(&small, 1 << 16, &never).is_some());
        assert_eq!(go_through(&small, 1 << 16, &AtomicBool::new(true)), None, "stopped");
    }
}
