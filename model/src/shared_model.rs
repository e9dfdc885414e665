//! One model for many threads, whose questions are answered in batches.

use crate::decoding::choices::Choices;
use crate::decoding::decode::{DecodeOptions, Written};
use crate::decoding::queue::{Queue, Timed};
use crate::decoding::score::Likelihood;
use crate::guide_model::{Guide, GuideModel, Question, ToScore, ToWrite, at_places};
use anyhow::Result;
use egraph::{TermBank, TermId};
use std::time::Instant;

/// Questions of a batch.
const MOST: usize = 256;

/// A model that the threads of an evaluation share: what one of them asks is answered together
/// with what the others ask at that time, to the same bits as if it were asked alone, and with the
/// seconds that were computed for it. `C` is what terms are written within.
///
/// A batch is answered in the rayon pool of one of those who asked. Threads block while they wait, so
/// more of them than workers are needed for large batches.
pub struct SharedModel<'m, C: Choices> {
    model: &'m GuideModel,
    writing: Queue<'m, ToWrite<C>, Vec<Written>>,
    scoring: Queue<'m, ToScore, Vec<Likelihood>>,
    valuing: Queue<'m, Vec<Question>, Vec<f32>>,
}

impl<'m, C: Choices + 'm> SharedModel<'m, C> {
    /// Shares `model`, which then answers at most `workers` batches at a time, and one on a GPU.
    pub fn new(model: &'m GuideModel, workers: usize) -> SharedModel<'m, C> {
        let workers = if model.is_on_cpu() { workers } else { 1 };
        let write = |requests: Vec<_>| model.write_all(&requests);
        let score = |requests: Vec<_>| model.score_all(&requests);
        let value = |requests: Vec<_>| model.value_all(&requests);
        SharedModel {
            model,
            writing: Queue::new(workers, MOST, ToWrite::work, write),
            scoring: Queue::new(workers, MOST, ToScore::work, score),
            valuing: Queue::new(
                workers,
                MOST,
                |pairs| pairs.iter().map(Question::tokens).sum(),
                value,
            ),
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
    ) -> Result<Timed<Vec<Guide>>> {
        options.check()?;
        let began = Instant::now();
        let Some((_, question)) = self.model.questions(bank, &[task])?.pop() else {
            return Ok(timed(began, Vec::new()));
        };
        let request = ToWrite { question: question.clone(), options: *options, choices };
        let before = began.elapsed().as_secs_f64();
        let written = self.writing.ask(request)?;
        let began = Instant::now();
        let guides = self.model.read_back(bank, &question, &written.answer, options.guides)?;
        Ok(timed(began, guides).and(before + written.seconds))
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
    ) -> Result<Timed<Vec<Option<Likelihood>>>> {
        let began = Instant::now();
        let Some((_, question)) = self.model.questions(bank, &[task])?.pop() else {
            return Ok(timed(began, vec![None; terms.len()]));
        };
        let (request, places) = self.model.to_score(bank, question, terms, max_size);
        let before = began.elapsed().as_secs_f64();
        let Timed { answer, seconds } = self.scoring.ask(request)?;
        let found = places.into_iter().map(|place| place.map(|i| answer[i])).collect();
        Ok(Timed { answer: found, seconds: before + seconds })
    }

    /// As [`GuideModel::values`].
    ///
    /// # Errors
    /// As there.
    pub fn values(
        &self,
        bank: &TermBank,
        pairs: &[(TermId, TermId)],
    ) -> Result<Timed<Vec<Option<f32>>>> {
        let began = Instant::now();
        let (places, questions): (Vec<usize>, Vec<Question>) =
            self.model.questions(bank, pairs)?.into_iter().unzip();
        let before = began.elapsed().as_secs_f64();
        let Timed { answer, seconds } = self.valuing.ask(questions)?;
        Ok(Timed { answer: at_places(&places, &answer, pairs.len()), seconds: before + seconds })
    }
}

/// What this thread has worked on since then.
fn timed<A>(began: Instant, answer: A) -> Timed<A> {
    Timed { answer, seconds: began.elapsed().as_secs_f64() }
}

impl<A> Timed<A> {
    /// With the seconds of something else.
    fn and(self, seconds: f64) -> Timed<A> {
        Timed { seconds: self.seconds + seconds, ..self }
    }
}
