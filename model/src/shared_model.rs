//! One model for many threads, whose questions are answered in batches.

use crate::decoding::choices::Choices;
use crate::decoding::decode::{DecodeOptions, Written};
use crate::decoding::queue::Queue;
use crate::decoding::score::Likelihood;
use crate::guide_model::{Guide, GuideModel, Question, ToScore, ToWrite, Value};
use anyhow::Result;
use egraph::{TermBank, TermId};

/// Questions of a batch.
const MOST: usize = 256;

/// A model that the threads of an evaluation share: what one of them asks is answered together
/// with what the others ask at that time, to the same bits as if it were asked alone. `C` is what
/// terms are written within.
///
/// Threads block while they wait, so more of them than cores are needed for large batches.
pub struct SharedModel<'m, C: Choices> {
    model: &'m GuideModel,
    writing: Queue<'m, ToWrite<C>, Vec<Written>>,
    scoring: Queue<'m, ToScore, Vec<Likelihood>>,
    valuing: Queue<'m, Question, Value>,
}

impl<'m, C: Choices + 'm> SharedModel<'m, C> {
    /// Shares `model`, which then answers at most `workers` batches at a time: the number of cores,
    /// or one on a GPU.
    pub fn new(model: &'m GuideModel, workers: usize) -> SharedModel<'m, C> {
        SharedModel {
            model,
            writing: Queue::new(workers, MOST, |requests: Vec<_>| model.write_all(&requests)),
            scoring: Queue::new(workers, MOST, |requests: Vec<_>| model.score_all(&requests)),
            valuing: Queue::new(workers, MOST, |questions: Vec<_>| model.value_all(&questions)),
        }
    }

    /// The model itself.
    pub fn model(&self) -> &'m GuideModel {
        self.model
    }

    /// As [`GuideModel::guides`] for one task, or [`GuideModel::guides_within`] if there are
    /// choices.
    ///
    /// # Errors
    /// As there.
    pub fn guides(
        &self,
        bank: &mut TermBank,
        task: (TermId, TermId),
        choices: Option<C>,
        options: &DecodeOptions,
    ) -> Result<Vec<Guide>> {
        options.check()?;
        let Some((_, question)) = self.model.questions(bank, &[task])?.pop() else {
            return Ok(Vec::new());
        };
        let request = ToWrite { question: question.clone(), options: *options, choices };
        let written = self.writing.ask(request)?;
        self.model.read_back(bank, &question, &written, options.guides)
    }

    /// As [`GuideModel::log_likelihoods`].
    ///
    /// # Errors
    /// As there.
    pub fn log_likelihoods(
        &self,
        bank: &TermBank,
        task: (TermId, TermId),
        terms: &[TermId],
        max_size: usize,
    ) -> Result<Vec<Option<Likelihood>>> {
        let Some((_, question)) = self.model.questions(bank, &[task])?.pop() else {
            return Ok(vec![None; terms.len()]);
        };
        let (request, places) = self.model.to_score(bank, question, terms, max_size);
        let found = self.scoring.ask(request)?;
        Ok(places.into_iter().map(|place| place.map(|i| found[i])).collect())
    }

    /// As [`GuideModel::values`] for one pair.
    ///
    /// # Errors
    /// As there.
    pub fn value(&self, bank: &TermBank, pair: (TermId, TermId)) -> Result<Option<Value>> {
        match self.model.questions(bank, &[pair])?.pop() {
            Some((_, question)) => self.valuing.ask(question).map(Some),
            None => Ok(None),
        }
    }
}
