//! How long a training takes, measured before its first step.

use crate::training::examples::batches::Batches;
use crate::training::examples::data::Example;
use crate::training::examples::token_file::Examples;
use crate::training::forecast::duration;
use crate::training::step::Fitting;
use anyhow::Result;
use std::time::Instant;
use support::counted;

/// Seconds after which no further batch is measured.
const SECONDS: f64 = 1.0;
/// The part of the training after which none is, either.
const SHARE: f64 = 0.02;

/// What is left to do of a training.
pub struct Ahead<'a> {
    /// The place of the next step.
    pub batches: &'a Batches<'a>,
    /// Steps.
    pub steps: u64,
    /// The triples of a validation.
    pub validation: &'a [Example],
    /// Validations.
    pub validations: u64,
}

impl Ahead<'_> {
    /// One line on how long it takes.
    ///
    /// # Errors
    /// As [`Ahead::seconds`].
    pub fn line(&self, fitting: &Fitting<'_>, examples: &Examples) -> Result<String> {
        let time = duration(self.seconds(fitting, examples)?);
        let steps = counted(self.steps, "step");
        Ok(format!("{steps} and {} take about {time}", counted(self.validations, "validation")))
    }

    /// Seconds that it takes.
    ///
    /// Computes loss and gradient of the batches that come next, and throws them away: neither the
    /// network nor the place in the data changes. It begins with as many parts of a batch as are
    /// computed at a time, and doubles them up to a whole batch, so that a short training does not wait
    /// for a noticeable part of itself, nor a large network for a whole batch. What it leaves out, the
    /// update of the weights, is little beside the gradient.
    ///
    /// # Errors
    /// The examples can't be read any more, or the device fails.
    fn seconds(&self, fitting: &Fitting<'_>, examples: &Examples) -> Result<f64> {
        let mut batches = self.batches.clone();
        let tokens_ahead = batches.tokens_per_step() * self.steps as f64;
        let (mut parts, mut spent) = (fitting.threads(), 0.0);
        // Of the measurements on the largest number of parts.
        let (mut seconds, mut tokens) = (0.0, 0);
        loop {
            let batch = batches.take().iter().map(|i| examples.train(*i as usize));
            let batch: Vec<Example> = batch.collect::<Result<_>>()?;
            let (first, whole) = fitting.first_parts(&batch, parts);
            let began = Instant::now();
            fitting.outcome(first, 0)?;
            let took = began.elapsed().as_secs_f64();
            spent += took;
            seconds += took;
            tokens += tokens_of(first);
            let steps = seconds / tokens as f64 * tokens_ahead;
            if spent >= SECONDS.min(SHARE * steps) {
                let began = Instant::now();
                fitting.score(first)?;
                let each = began.elapsed().as_secs_f64() / tokens_of(first) as f64;
                let validations = self.validations as f64 * tokens_of(self.validation) as f64;
                return Ok(steps + each * validations);
            }
            if !whole {
                parts *= 2;
                (seconds, tokens) = (0.0, 0);
            }
        }
    }
}

fn tokens_of(examples: &[Example]) -> usize {
    examples.iter().map(Example::len).sum()
}
