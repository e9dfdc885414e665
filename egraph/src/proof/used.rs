//! Which of the matches that were applied an explanation rests on.

use crate::graph::egraph::EGraph;
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::proof::explain::Explainer;
use crate::term::bank::{TermBank, TermId};
use rustc_hash::FxHashSet;

/// For each of the matches that were applied while the e-graph grew, whether the explanation of `a` = `b`
/// uses it; `None` if the e-graph does not represent both in one class. A match is the number of its rule, the
/// matched e-node and the other ids that the rule binds.
pub fn used_matches<'a>(
    egraph: &EGraph,
    bank: &mut TermBank,
    matches: impl IntoIterator<Item = (u32, &'a [Id])>,
    a: TermId,
    b: TermId,
) -> Option<Vec<bool>> {
    let mut explainer = Explainer::new(egraph);
    explainer.explain(bank, a, b)?;
    let mut used: FxHashSet<(u32, Box<[Id]>)> = FxHashSet::default();
    for owner in explainer.proved() {
        let Some(edge) = egraph.forest().edge(owner) else { continue };
        if let Reason::Rule { rule, bound } = edge.reason {
            let matched = if edge.forward { owner } else { edge.to };
            let others = egraph.system().rewrites[rule.0 as usize].stride() - 1;
            let ids = std::iter::once(matched).chain(bound[..others].iter().copied());
            used.insert((rule.0, ids.collect()));
        }
    }
    let is_used = |(rule, ids): (u32, &[Id])| used.contains(&(rule, ids.into()));
    Some(matches.into_iter().map(is_used).collect())
}
