//! What an e-graph of both terms of a question holds apart although its values are equal, and which of it keeps the two terms
//! apart.

use crate::missing::points::{Points, Values};
use crate::rules::following::Reach;
use egraph::{
    BestTerms, CostFunction, EGraph, Leaf, LeafValue, RuleChoice, SortId, TermBank, TermId,
    explain, saturate_until,
};
use rustc_hash::FxHashMap;

/// The ruleset of what is assumed; no file has this name.
const ASSUMED: &str = "?assumed";
/// Pairs of an e-graph that are looked at.
const MOST: usize = 1_000;

/// Pairs of terms of classes that are not one although their values are equal, the larger one first: of each class the
/// smallest term, beside the smallest one of all of these classes, or the literal that they come to. The smallest ones, and these
/// first.
pub fn apart(egraph: &EGraph, bank: &mut TermBank, points: &mut Points) -> Vec<(TermId, TermId)> {
    let size = CostFunction::size();
    let best = BestTerms::of(egraph, &size);
    let mut equal: FxHashMap<(SortId, Box<Values>), Vec<TermId>> = FxHashMap::default();
    for class in egraph.classes() {
        let Some(term) = best.term(bank, class) else { continue };
        let sort = bank.sort(term);
        let Some(values) = points.of(bank, term) else { continue };
        if values.iter().any(Result::is_ok) {
            equal.entry((sort, values.into())).or_default().push(term);
        }
    }
    let mut pairs = Vec::new();
    for ((sort, values), mut terms) in equal {
        if let Ok(value) = values[0]
            && values.iter().all(|other| *other == Ok(value))
        {
            let literal = bank.leaf(&Leaf { sort, value: LeafValue::Literal(value) });
            if !terms.contains(&literal) {
                terms.push(literal);
            }
        }
        terms.sort_by_key(|&term| (bank.size(term), bank.text(term)));
        pairs.extend(terms[1..].iter().map(|&term| (term, terms[0])));
    }
    pairs.sort_by_key(|&(a, b)| (bank.size(a) + bank.size(b), bank.text(a), bank.text(b)));
    pairs.truncate(MOST);
    pairs
}

/// Which pairs are needed to make two terms of an e-graph equal: those that the proof uses when all of them are assumed, the first
/// ones first. None if that does not make them equal, or makes different literals equal.
pub fn needed(
    mut egraph: EGraph,
    bank: &mut TermBank,
    [start, target]: [TermId; 2],
    pairs: &[(TermId, TermId)],
    reach: Reach,
) -> Vec<usize> {
    if egraph.assume(ASSUMED, bank, pairs).is_err() {
        return Vec::new();
    }
    egraph.rebuild();
    let classes = [start, target].map(|end| egraph.add_term(bank, end));
    let equal = |egraph: &EGraph| egraph.find(classes[0]) == egraph.find(classes[1]);
    if !equal(&egraph) {
        saturate_until(&mut egraph, &reach.config(RuleChoice::All), equal);
    }
    if !equal(&egraph) || egraph.conflict().is_some() {
        return Vec::new();
    }
    let Some(proof) = explain(&egraph, bank, start, target) else { return Vec::new() };
    let number = |rule| {
        let name = &egraph.system().rule(rule).name;
        let number = name.strip_prefix(ASSUMED)?.strip_prefix('-')?;
        number.parse::<usize>().ok()?.checked_sub(1)
    };
    // Rules are in the order of the pairs.
    let used = proof.rules().into_iter().filter_map(number);
    used.filter(|&number| number < pairs.len()).collect()
}
