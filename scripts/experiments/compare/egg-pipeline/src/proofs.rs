//! Proofs of pairs of terms, flat, under caps; and their triples.

use crate::egg_language::ENode;
use crate::grow::Grown;
use crate::options::Options;
use crate::random::Random;
use crate::text::size;
use egg::{Explanation, RecExpr, TreeTerm};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

/// Before loops are cut a proof may have so many times the steps that it may have then.
const UNCUT: usize = 5;

/// What came of all pairs so far.
#[derive(Default)]
pub struct Proofs {
    pub pairs: usize,
    pub too_long: usize,
    pub too_large: usize,
    pub too_short: usize,
    pub triples: usize,
    /// Steps of each proof that was kept.
    pub lengths: Vec<usize>,
    /// Seconds that explaining and flattening took.
    pub seconds: f64,
}

impl Proofs {
    /// Tab-separated triples of proofs between some pairs of the terms.
    pub fn triples(
        &mut self,
        grown: &mut Grown,
        terms: &[RecExpr<ENode>],
        options: &Options,
        random: &mut Random,
    ) -> Vec<String> {
        let pair = |i: usize| move |j: usize| (i, j);
        let mut pairs: Vec<(usize, usize)> = (0..terms.len())
            .flat_map(|i| (0..terms.len()).filter(move |&j| j != i).map(pair(i)))
            .collect();
        random.shuffle(&mut pairs);
        pairs.truncate(options.pairs);
        let (mut triples, mut kept) = (Vec::new(), 0);
        for (i, j) in pairs {
            if kept == options.kept {
                break;
            }
            let began = Instant::now();
            let proof = self.proof(grown, &terms[i], &terms[j], options);
            self.seconds += began.elapsed().as_secs_f64();
            let Some(proof) = proof else { continue };
            kept += 1;
            self.lengths.push(proof.len() - 1);
            split(&proof, options.cutoff, &mut triples);
        }
        self.triples += triples.len();
        triples
    }

    /// The terms of a proof, if it is under the caps and long enough to be split.
    fn proof(
        &mut self,
        grown: &mut Grown,
        start: &RecExpr<ENode>,
        end: &RecExpr<ENode>,
        options: &Options,
    ) -> Option<Vec<String>> {
        self.pairs += 1;
        let mut explanation = grown.egraph.explain_equivalence(start, end);
        if flat_steps(&explanation) > (UNCUT * options.max_steps) as f64 {
            self.too_long += 1;
            return None;
        }
        let flat = explanation.make_flat_explanation();
        if flat.iter().any(|term| size(term) > options.max_term_size) {
            self.too_large += 1;
            return None;
        }
        let symbols = &grown.egraph.analysis.symbols;
        let texts = flat.iter().map(|term| {
            let mut text = String::new();
            grown.names.write(symbols, term, &mut text);
            text
        });
        let terms = without_loops(texts);
        if terms.len() - 1 > options.max_steps {
            self.too_long += 1;
            return None;
        }
        if terms.len() - 1 < options.cutoff {
            self.too_short += 1;
            return None;
        }
        Some(terms)
    }

    pub fn mean(&self) -> f64 {
        self.lengths.iter().sum::<usize>() as f64 / self.lengths.len().max(1) as f64
    }

    pub fn median(&self) -> usize {
        let mut lengths = self.lengths.clone();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().unwrap_or(0)
    }
}

/// Steps of the flat proof, counted on the tree with its shared parts: there can be 10^17.
fn flat_steps(explanation: &Explanation<ENode>) -> f64 {
    type Known = HashMap<*const TreeTerm<ENode>, f64>;
    fn steps(term: &Rc<TreeTerm<ENode>>, known: &mut Known) -> f64 {
        if let Some(&steps) = known.get(&Rc::as_ptr(term)) {
            return steps;
        }
        let own = f64::from(term.forward_rule.is_some() || term.backward_rule.is_some());
        let children = term.child_proofs.iter().flatten();
        let all = own + children.map(|child| steps(child, known)).sum::<f64>();
        known.insert(Rc::as_ptr(term), all);
        all
    }
    let mut known = Known::new();
    explanation.explanation_trees.iter().map(|term| steps(term, &mut known)).sum()
}

/// Goes on from the first place where a term stands each time that it comes again.
fn without_loops(terms: impl Iterator<Item = String>) -> Vec<String> {
    let mut path: Vec<String> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for term in terms {
        match places.get(&term) {
            Some(&place) => path.drain(place + 1..).for_each(|left| {
                places.remove(&left);
            }),
            None => {
                places.insert(term.clone(), path.len());
                path.push(term);
            }
        }
    }
    path
}

/// The first, the middle and the last term, then both halves alike.
fn split(proof: &[String], cutoff: usize, triples: &mut Vec<String>) {
    let steps = proof.len() - 1;
    if steps >= cutoff {
        let middle = steps / 2;
        triples.push(format!("{}\t{}\t{}", proof[0], proof[middle], proof[steps]));
        split(&proof[..=middle], cutoff, triples);
        split(&proof[middle..], cutoff, triples);
    }
}
