//! How a model answers many questions at once, apart from the banks of their terms.

use super::GuideModel;
use crate::decoding::choices::{Choices, Within};
use crate::decoding::decode::{DecodeOptions, Decoder, Task, Written};
use crate::decoding::grammars::Lent;
use crate::decoding::score::{Given, Likelihood, log_likelihoods};
use crate::decoding::tree_builder::TreeBuilder;
use crate::network::batch::encoder_batch;
use crate::network::kernels::dropout::Dropout;
use crate::network::transformer::Memory;
use anyhow::{Context, Result, ensure};
use dataset_gen::seeds::normal_form::Renaming;
use egraph::SortId;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Hypotheses that one thread decodes at a time: enough for the products to be fast, few enough
/// that what is computed of them stays in a core's cache.
const LEAST_ROWS: usize = 32;
const MOST_ROWS: usize = 256;

/// A task as tokens, apart from the bank of its terms.
#[derive(Clone)]
pub(crate) struct Question {
    /// The sort of its terms.
    pub(super) sort: SortId,
    pub(super) start: TreeBuilder,
    pub(super) target: TreeBuilder,
    pub(super) renaming: Renaming,
}

/// A question to write guides for.
pub(crate) struct ToWrite<C> {
    pub(crate) question: Question,
    pub(crate) options: DecodeOptions,
    /// The set of terms to write in, if there is one.
    pub(crate) choices: Option<C>,
}

/// A question, and terms whose likelihood as its answers is asked for.
pub(crate) struct ToScore {
    pub(super) question: Question,
    pub(super) given: Vec<Given>,
}

impl Question {
    /// The tokens of start and target.
    pub(crate) fn tokens(&self) -> usize {
        self.start.tokens().len() + self.target.tokens().len()
    }
}

impl<C> ToWrite<C> {
    /// How much work it is beside others: hypotheses.
    pub(crate) fn work(&self) -> usize {
        self.options.width()
    }
}

impl ToScore {
    /// How much work it is beside others: tokens to be read.
    pub(crate) fn work(&self) -> usize {
        self.question.tokens() + self.given.iter().map(Given::tokens).sum::<usize>()
    }
}

/// A number that depends on the task alone (FNV-1a over its tokens), so that its samples do not
/// depend on which other tasks are asked for with it.
fn stream(start: &TreeBuilder, target: &TreeBuilder) -> u64 {
    let tokens = start.tokens().iter().chain(&[u32::MAX]).chain(target.tokens());
    tokens.fold(0xcbf2_9ce4_8422_2325, |hash, token| {
        (hash ^ u64::from(*token)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl GuideModel {
    /// Encodes questions.
    fn encode(&self, questions: &[&Question]) -> Result<Memory> {
        let side = |side: fn(&Question) -> &TreeBuilder| {
            let trees: Vec<&TreeBuilder> = questions.iter().map(|q| side(q)).collect();
            encoder_batch(self.features, &trees)
        };
        let (start, target) = (side(|q| &q.start), side(|q| &q.target));
        Ok(self.network.encode(&start, &target, &Dropout::none())?)
    }

    /// What is written for each question, the likeliest first.
    pub(crate) fn write_all<C: Choices>(
        &self,
        requests: &[ToWrite<C>],
    ) -> Result<Vec<Vec<Written>>> {
        let total: usize = requests.iter().map(|r| r.options.width()).sum();
        let share = total.div_ceil(rayon::current_num_threads()).clamp(LEAST_ROWS, MOST_ROWS);
        let mut chunks: Vec<&[ToWrite<C>]> = Vec::new();
        let mut rest = requests;
        while !rest.is_empty() {
            let mut rows = 0;
            let fits = |r: &&ToWrite<C>| {
                rows += r.options.width();
                rows <= share
            };
            let (chunk, more) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            chunks.push(chunk);
            rest = more;
        }
        let decode = |chunk: &&[ToWrite<C>]| {
            let questions: Vec<&Question> = chunk.iter().map(|r| &r.question).collect();
            let decoder = Decoder {
                network: &self.network,
                vocabulary: &self.vocabulary,
                features: self.features,
                memory: &self.encode(&questions)?,
            };
            let mut grammars = FxHashMap::default();
            let tasks = chunk.iter().map(|r| self.task(r, &mut grammars));
            decoder.run(&mut tasks.collect::<Vec<_>>())
        };
        let written: Vec<Vec<Vec<Written>>> =
            chunks.par_iter().map(decode).collect::<Result<_>>()?;
        Ok(written.into_iter().flatten().collect())
    }

    /// A request as the decoder sees it. What a grammar allows depends on its variables and on the
    /// size alone.
    fn task<'a, C: Choices>(
        &'a self,
        request: &'a ToWrite<C>,
        grammars: &mut FxHashMap<(Vec<SortId>, usize), Rc<RefCell<Lent<'a>>>>,
    ) -> Task<'a, C> {
        let ToWrite { question, options, choices } = request;
        let (vocabulary, renaming) = (&self.vocabulary, &question.renaming);
        let sorts: Vec<SortId> = renaming.renamed().map(|leaf| leaf.sort).collect();
        let lend = || self.grammars.lend(vocabulary, renaming, options.max_size);
        let new = || Rc::new(RefCell::new(lend()));
        Task {
            grammar: grammars.entry((sorts, options.max_size)).or_insert_with(new).clone(),
            within: Within::new(vocabulary, renaming, choices.clone(), options.max_size),
            options: *options,
            sort: question.sort,
            stream: stream(&question.start, &question.target),
        }
    }

    /// The likelihoods of the given terms of each request.
    pub(crate) fn score_all(&self, requests: &[ToScore]) -> Result<Vec<Vec<Likelihood>>> {
        let questions: Vec<&Question> = requests.iter().map(|r| &r.question).collect();
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let memory = self.encode(&questions)?;
        let given: Vec<(u32, &Given)> = (0u32..)
            .zip(requests)
            .flat_map(|(row, request)| request.given.iter().map(move |given| (row, given)))
            .collect();
        let mut found = log_likelihoods(&self.network, self.features, &memory, &given)?.into_iter();
        Ok(requests.iter().map(|r| found.by_ref().take(r.given.len()).collect()).collect())
    }

    /// ln of the steps between the terms of each question of each request.
    pub(crate) fn value_all(&self, requests: &[Vec<Question>]) -> Result<Vec<Vec<f32>>> {
        ensure!(self.config.value_head, "the model has no value head");
        let questions: Vec<&Question> = requests.iter().flatten().collect();
        // Those of equal length together: little is padding.
        let mut order: Vec<usize> = (0..questions.len()).collect();
        order.sort_by_key(|i| {
            [&questions[*i].start, &questions[*i].target].map(|t| t.tokens().len())
        });
        let of_chunk = |chunk: &[usize]| -> Result<Vec<f32>> {
            let questions: Vec<&Question> = chunk.iter().map(|i| questions[*i]).collect();
            let found = self.network.values(&self.encode(&questions)?)?;
            Ok(found.context("the model has no value head")?.to_vec1()?)
        };
        let found: Vec<Vec<f32>> =
            order.par_chunks(LEAST_ROWS).map(of_chunk).collect::<Result<_>>()?;
        let mut values = vec![0.0; questions.len()];
        for (i, value) in order.iter().zip(found.into_iter().flatten()) {
            values[*i] = value;
        }
        let mut values = values.into_iter();
        Ok(requests.iter().map(|r| values.by_ref().take(r.len()).collect()).collect())
    }
}

/// What was found for those of `count` pairs that stand at `places`.
pub(crate) fn at_places(places: &[usize], found: &[f32], count: usize) -> Vec<Option<f32>> {
    let mut all = vec![None; count];
    for (place, found) in places.iter().zip(found) {
        all[*place] = Some(*found);
    }
    all
}
