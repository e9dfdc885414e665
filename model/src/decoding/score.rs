//! The probability of given terms, all nodes of many terms at once.

use crate::decoding::grammar::{Grammar, Tokens};
use crate::decoding::sampling::log_sum_exp;
use crate::decoding::tree_builder::TreeBuilder;
use crate::network::batch::{Features, decoder_batch};
use crate::network::kernels::dropout::Dropout;
use crate::network::transformer::{Memory, Transformer};
use crate::tokens::vocabulary::{Token, Vocabulary};
use anyhow::Result;
use egraph::SortId;
use rayon::prelude::*;

/// Tokens of a batch, padding included: enough for the products to be fast, few enough that what
/// is computed of them stays in a core's cache.
const BATCH: usize = 1_024;

/// How likely a term is as the answer to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likelihood {
    /// ln of the probability that the model gives the term among all that it may write.
    pub log_p: f32,
    /// The number of tokens that spell it; `log_p / tokens` compares terms of different sizes.
    pub tokens: u32,
}

/// A given term with what else could stand at each of its nodes.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    tree: TreeBuilder,
    allowed: Vec<Tokens>,
}

impl Given {
    /// Reads the tokens of a term of `sort`; `None` if the grammar does not allow them.
    pub(crate) fn read(
        vocabulary: &Vocabulary,
        grammar: &mut Grammar,
        sort: SortId,
        tokens: &[Token],
    ) -> Option<Given> {
        let mut given =
            Given { tree: TreeBuilder::new(sort), allowed: Vec::with_capacity(tokens.len()) };
        for token in tokens {
            let allowed = grammar.allowed(&given.tree);
            allowed.binary_search(token).ok()?;
            given.allowed.push(allowed);
            given.tree.push(vocabulary, *token).ok()?;
        }
        given.tree.next_slot().is_none().then_some(given)
    }

    /// The number of its tokens.
    pub(crate) fn tokens(&self) -> usize {
        self.allowed.len()
    }
}

/// The likelihoods of terms, each `given` with the row of `memory` that holds its question.
/// Computes in the current rayon pool; what is found for a term depends neither on it nor on the
/// other terms.
pub(crate) fn log_likelihoods(
    network: &Transformer,
    features: Features,
    memory: &Memory,
    given: &[(u32, &Given)],
) -> Result<Vec<Likelihood>> {
    let length = |i: usize| given[i].1.tokens();
    // Those of equal length together: little is padding.
    let mut order: Vec<usize> = (0..given.len()).collect();
    order.sort_by_key(|i| length(*i));
    let mut batches: Vec<&[usize]> = Vec::new();
    let mut rest = &order[..];
    while !rest.is_empty() {
        let fits = |n: &usize| *n * length(rest[*n - 1]) <= BATCH;
        let n = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
        let (batch, more) = rest.split_at(n);
        batches.push(batch);
        rest = more;
    }
    let score = |batch: &&[usize]| -> Result<Vec<(usize, Likelihood)>> {
        let trees: Vec<&TreeBuilder> = batch.iter().map(|i| &given[*i].1.tree).collect();
        let (guide, tokens) = decoder_batch(features, &trees);
        let rows: Vec<u32> = batch.iter().map(|i| given[*i].0).collect();
        let logits = network.decode(&guide, memory, Some(&rows), &Dropout::none())?;
        let logits: Vec<f32> = logits.flatten_all()?.to_vec1()?; // [batch · nodes, tokens]
        let (nodes, width) = (tokens.len() / batch.len(), logits.len() / tokens.len());
        let one = |(row, i): (usize, &usize)| {
            let allowed = &given[*i].1.allowed;
            let mut log_p = 0.0;
            for (at, allowed) in allowed.iter().enumerate() {
                let logits = &logits[(row * nodes + at) * width..][..width];
                let whole = log_sum_exp(allowed.iter().map(|t| logits[*t as usize]));
                log_p += logits[tokens[row * nodes + at] as usize] - whole;
            }
            (*i, Likelihood { log_p, tokens: allowed.len() as u32 })
        };
        Ok(batch.iter().enumerate().map(one).collect())
    };
    let scored: Vec<Vec<(usize, Likelihood)>> =
        batches.par_iter().map(score).collect::<Result<_>>()?;
    let mut likelihoods = vec![Likelihood { log_p: 0.0, tokens: 0 }; given.len()];
    for (i, likelihood) in scored.into_iter().flatten() {
        likelihoods[i] = likelihood;
    }
    Ok(likelihoods)
}
