//! What the runs of a ladder came to, as tables.

use crate::scaling::baselines::Baselines;
use crate::scaling::plan::{Part, Run};
use crate::scaling::sizes::Size;
use crate::training::checkpoint::{CONFIG_FILE, DatasetIdentity, MODEL_FILE, load_run};
use crate::training::examples::batches::{Batches, Lengths, Place};
use crate::training::log::{self, Evaluation};
use anyhow::{Context, Result};
use std::fmt;
use std::path::Path;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The validation loss fell no more.
    Early,
    /// Its share of the budget was used up: it was cut off, and more might have lowered the loss.
    Share,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ended::Early => "early",
            Ended::Share => "share",
        })
    }
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The run's directory.
    pub run: String,
    /// Name and number of its size.
    pub size: String,
    pub(crate) size_number: usize,
    /// All parameters, and those that are not embeddings: the N of the laws.
    pub parameters: usize,
    /// See `parameters`.
    pub non_embedding: usize,
    /// Name of its fraction.
    pub fraction: String,
    pub(crate) part_number: usize,
    /// Seeds and triples trained on, and the tokens of these triples.
    pub seeds: usize,
    /// See `seeds`.
    pub triples: usize,
    /// See `seeds`.
    pub tokens: u64,
    /// Steps that its share allowed.
    pub steps_planned: u64,
    /// Steps done, and the one with the best validation.
    pub steps: u64,
    /// See `steps`.
    pub best_step: u64,
    /// Tokens of starts, targets and guides in the steps done.
    pub tokens_seen: u64,
    /// The lowest validation loss, in nats per token, and the accuracy there.
    pub loss: f32,
    /// See `loss`.
    pub accuracy: f32,
    /// Losses of predictors without a network.
    pub baselines: Baselines,
    /// Why it ended.
    pub ended: Ended,
    /// Seconds that its steps took, without validations.
    pub seconds: f64,
    /// What was expected, with validations.
    pub seconds_planned: f64,
}

/// The validations of a run that has ended, and why it has; `None` if it has not.
///
/// # Errors
/// Its directory holds another training.
pub fn finished(
    out: &Path,
    run: &Run,
    part: &Part,
    dataset: &DatasetIdentity,
    seed: u64,
) -> Result<Option<(Vec<Evaluation>, Ended)>> {
    if !out.join(CONFIG_FILE).exists() || !out.join(MODEL_FILE).exists() {
        return Ok(None);
    }
    let is = load_run(out)?;
    let same = is.config == run.config
        && is.training_seeds == Some(part.seeds)
        && is.seed == seed
        && is.dataset == *dataset;
    // The trainer says what is wrong.
    if !same {
        return Ok(None);
    }
    let log = log::load(out)?;
    let training = &run.config.training;
    let ended = match log.last() {
        Some(last) if last.step >= training.steps => Ended::Share,
        Some(_) if log::since_best(&log) >= training.patience => Ended::Early,
        _ => return Ok(None),
    };
    Ok(Some((log, ended)))
}

impl Outcome {
    /// What a run with these validations came to. `lengths` are those of its part's examples.
    pub(crate) fn new(
        (log, ended): (Vec<Evaluation>, Ended),
        run: &Run,
        (size, part): (&Size, &Part),
        seed: u64,
        lengths: &[Lengths],
        baselines: Baselines,
    ) -> Result<Outcome> {
        let budget = run.config.training.batch_tokens;
        let mut batches = Batches::new(lengths, budget, seed, Place::default());
        let (mut step, mut tokens_seen, mut seconds) = (0, 0, 0.0);
        for evaluation in &log {
            let tokens = batches.tokens(evaluation.step.saturating_sub(step));
            seconds += tokens as f64 / evaluation.tokens_per_second;
            tokens_seen += tokens;
            step = evaluation.step;
        }
        let best = log::best(&log).context("a run without a validation")?;
        Ok(Outcome {
            run: run.name.clone(),
            size: size.name.clone(),
            size_number: run.size,
            parameters: size.parameters,
            non_embedding: size.non_embedding,
            fraction: part.fraction.name.clone(),
            part_number: run.part,
            seeds: part.seeds,
            triples: part.triples,
            tokens: part.tokens,
            steps_planned: run.config.training.steps,
            steps: step,
            best_step: best.step,
            tokens_seen,
            loss: best.validation_loss,
            accuracy: best.validation_accuracy,
            baselines,
            ended,
            seconds,
            seconds_planned: run.seconds,
        })
    }

    /// Floating-point operations of the training by the rule of thumb 6·N·D, N being the parameters that
    /// are not embeddings and D the tokens seen (Kaplan et al., 2020). Here it is an upper bound: a token
    /// passes through an encoder or through the decoder, and not through all of N.
    pub fn flops(&self) -> f64 {
        6.0 * self.non_embedding as f64 * self.tokens_seen as f64
    }

    /// Times that its part was gone through.
    pub fn epochs(&self) -> f64 {
        self.tokens_seen as f64 / self.tokens.max(1) as f64
    }
}

/// `scaling.csv`: the same bytes whenever and wherever the same plan is carried out.
pub fn csv(outcomes: &[Outcome]) -> String {
    let mut text = "run,size,parameters,non_embedding_parameters,fraction,seeds,triples,tokens,\
                    steps_planned,steps,best_step,tokens_seen,flops,validation_loss,\
                    validation_accuracy,unigram_loss,copy_loss,copy_epsilon,ended\n"
        .to_owned();
    for o in outcomes {
        text += &format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6},{}\n",
            o.run,
            o.size,
            o.parameters,
            o.non_embedding,
            o.fraction,
            o.seeds,
            o.triples,
            o.tokens,
            o.steps_planned,
            o.steps,
            o.best_step,
            o.tokens_seen,
            o.flops(),
            o.loss,
            o.accuracy,
            o.baselines.unigram,
            o.baselines.copy,
            o.baselines.epsilon,
            o.ended
        );
    }
    text
}

/// `scaling_times.csv`: what differs from one time to the next.
pub fn times_csv(outcomes: &[Outcome]) -> String {
    let mut text = "run,seconds_planned,seconds_of_steps,tokens_per_second\n".to_owned();
    for o in outcomes {
        let rate = o.tokens_seen as f64 / o.seconds;
        text += &format!("{},{:.1},{:.1},{rate:.0}\n", o.run, o.seconds_planned, o.seconds);
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Some run.
    pub(crate) fn outcome() -> Outcome {
        Outcome {
            run: "s-1of2".to_owned(),
            size: "s".to_owned(),
            size_number: 0,
            parameters: 1_200,
            non_embedding: 1_000,
            fraction: "1/2".to_owned(),
            part_number: 0,
            seeds: 3,
            triples: 40,
            tokens: 2_000,
            steps_planned: 100,
            steps: 50,
            best_step: 25,
            tokens_seen: 5_000,
            loss: 1.5,
            accuracy: 0.5,
            baselines: Baselines { unigram: 2.5, copy: 2.0, epsilon: 0.125 },
            ended: Ended::Early,
            seconds: 10.0,
            seconds_planned: 30.0,
        }
    }

    #[test]
    fn a_line_has_what_its_heading_says() {
        let table = csv(&[outcome()]);
        let (heading, line) = table.trim_end().split_once('\n').unwrap();
        let fields: Vec<(&str, &str)> = heading.split(',').zip(line.split(',')).collect();
        assert_eq!(heading.matches(',').count(), line.matches(',').count());
        for expected in [
            ("run", "s-1of2"),
            ("flops", "30000000"),
            ("validation_loss", "1.5"),
            ("copy_epsilon", "0.125000"),
            ("ended", "early"),
        ] {
            assert!(fields.contains(&expected), "{expected:?}: {table}");
        }
        assert_eq!(outcome().epochs(), 2.5);
        assert!(times_csv(&[outcome()]).ends_with("s-1of2,30.0,10.0,500\n"));
    }
}
