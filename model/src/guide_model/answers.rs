//! How a model answers many questions at once, apart from the banks of their terms.

use super::GuideModel;
use crate::decoding::decode::{DecodeOptions, Decoder, Task, Written};
use crate::decoding::grammars::Lent;
use crate::decoding::tree_builder::TreeBuilder;
use crate::network::batch::encoder_batch;
use crate::network::kernels::dropout::Dropout;
use crate::network::transformer::Memory;
use anyhow::Result;
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
pub(super) struct Question {
    /// The sort of its terms.
    pub(super) sort: SortId,
    pub(super) start: TreeBuilder,
    pub(super) target: TreeBuilder,
    pub(super) renaming: Renaming,
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
    fn encode(&self, questions: &[Question]) -> Result<Memory> {
        let side = |side: fn(&Question) -> &TreeBuilder| {
            let trees: Vec<&TreeBuilder> = questions.iter().map(side).collect();
            encoder_batch(self.features, &trees)
        };
        let (start, target) = (side(|q| &q.start), side(|q| &q.target));
        Ok(self.network.encode(&start, &target, &Dropout::none())?)
    }

    /// What is written for each question, the likeliest first.
    pub(super) fn write_all(
        &self,
        questions: &[Question],
        options: &DecodeOptions,
    ) -> Result<Vec<Vec<Written>>> {
        let total = questions.len().saturating_mul(options.guides);
        let rows = total.div_ceil(rayon::current_num_threads()).clamp(LEAST_ROWS, MOST_ROWS);
        let decode = |chunk: &[Question]| {
            let decoder = Decoder {
                network: &self.network,
                vocabulary: &self.vocabulary,
                features: self.features,
                memory: &self.encode(chunk)?,
            };
            let mut grammars = FxHashMap::default();
            let tasks = chunk.iter().map(|question| self.task(question, options, &mut grammars));
            decoder.run(&tasks.collect::<Vec<_>>())
        };
        let each = (rows / options.guides).max(1);
        let written: Vec<Vec<Vec<Written>>> =
            questions.par_chunks(each).map(decode).collect::<Result<_>>()?;
        Ok(written.into_iter().flatten().collect())
    }

    /// A question as the decoder sees it. What a grammar allows depends on its variables and on the
    /// size alone.
    fn task<'a>(
        &'a self,
        question: &Question,
        options: &DecodeOptions,
        grammars: &mut FxHashMap<Vec<SortId>, Rc<RefCell<Lent<'a>>>>,
    ) -> Task<'a> {
        let renaming = &question.renaming;
        let sorts: Vec<SortId> = renaming.renamed().map(|leaf| leaf.sort).collect();
        let lend = || self.grammars.lend(&self.vocabulary, renaming, options.max_size);
        let new = || Rc::new(RefCell::new(lend()));
        Task {
            grammar: grammars.entry(sorts).or_insert_with(new).clone(),
            options: *options,
            sort: question.sort,
            stream: stream(&question.start, &question.target),
        }
    }
}
