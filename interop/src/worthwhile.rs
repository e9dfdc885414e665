//! Which of several replacements to make, where parts that occur more than once count once.

use egraph::Cost;

/// Which of so many replacements to make: all, or only those each of which makes the whole cost less. `cost` is that of the
/// whole with some of them.
pub(crate) fn worthwhile(count: usize, cost: &mut dyn FnMut(&[bool]) -> Option<Cost>) -> Vec<bool> {
    let (all, mut chosen) = (vec![true; count], vec![false; count]);
    let Some(mut least) = cost(&chosen) else { return all };
    if cost(&all).is_some_and(|all| all < least) {
        return all;
    }
    for i in 0..count {
        chosen[i] = true;
        match cost(&chosen).filter(|cost| *cost < least) {
            Some(less) => least = less,
            None => chosen[i] = false,
        }
    }
    chosen
}
