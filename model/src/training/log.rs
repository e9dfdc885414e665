//! What training reports: one line per validation, and the loss as a picture.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;
use support::svg_chart::{Axis, Chart, Series, Shape};
use support::write_atomic;

/// The file of the lines.
pub const LOG_FILE: &str = "train_log.jsonl";
/// The file of the picture.
pub const PLOT_FILE: &str = "loss.svg";

/// The state of things after a number of steps. Losses are in nats per token of a guide.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Steps done.
    pub step: u64,
    /// Times that the training split was gone through.
    pub epoch: f64,
    /// Tokens of starts, targets and guides trained on.
    pub tokens: u64,
    /// Loss of the steps since the last evaluation, with dropout.
    pub train_loss: f32,
    /// Part of their tokens that the model found likeliest.
    pub train_accuracy: f32,
    /// Loss on the validation split.
    pub validation_loss: f32,
    /// Part of the validation tokens that the model finds likeliest.
    pub validation_accuracy: f32,
    /// Loss on the validation split of a model that knows only how frequent each token is.
    pub unigram_loss: f32,
    /// Mean length of the gradient since the last evaluation, before it is clipped.
    pub gradient_norm: f32,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Tokens of starts, targets and guides trained on per second since the last evaluation.
    pub tokens_per_second: f64,
    /// Seconds that the steps after this one take, at the pace of those before it.
    pub seconds_left: f64,
    /// When it was made, in seconds since the beginning of 1970.
    pub time: f64,
}

impl Evaluation {
    /// Whether what was measured are numbers.
    pub fn is_finite(&self) -> bool {
        let losses =
            [self.train_loss, self.validation_loss, self.validation_accuracy, self.unigram_loss];
        losses.into_iter().all(f32::is_finite)
    }
}

/// What was measured since the last validation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Since {
    /// Steps.
    pub steps: u64,
    /// Tokens of starts, targets and guides.
    pub tokens: u64,
    /// Tokens of guides.
    pub guide_tokens: u64,
    /// Sum of the losses of the tokens of guides, in nats.
    pub nats: f64,
    /// Tokens of guides that the model found likeliest.
    pub right: u64,
    /// Sum of the lengths of the gradients.
    pub norms: f64,
    /// Seconds.
    pub seconds: f64,
}

impl Since {
    /// Loss per token.
    pub fn loss(&self) -> f64 {
        self.nats / self.guide_tokens as f64
    }

    /// Part of the tokens found likeliest.
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.guide_tokens as f64
    }
}

/// How many validations there were since the one with the lowest loss.
pub fn since_best(log: &[Evaluation]) -> u64 {
    let after = |best: &Evaluation| log.iter().filter(|e| e.step > best.step).count();
    best(log).map_or(0, after) as u64
}

/// The validation with the lowest loss, the first of them.
pub fn best(log: &[Evaluation]) -> Option<&Evaluation> {
    log.iter().reduce(|best, e| if e.validation_loss < best.validation_loss { e } else { best })
}

/// Writes the lines and the picture.
///
/// # Errors
/// What the file system says.
pub fn save(directory: &Path, log: &[Evaluation]) -> Result<()> {
    let mut lines = String::new();
    for line in log {
        lines += &serde_json::to_string(line)?;
        lines.push('\n');
    }
    write_atomic(&directory.join(LOG_FILE), lines.as_bytes())?;
    write_atomic(&directory.join(PLOT_FILE), plot(log).as_bytes())
}

/// Reads the lines; none before the first validation.
///
/// # Errors
/// The file is there and can't be read, or a line is not one of a log.
pub fn load(directory: &Path) -> Result<Vec<Evaluation>> {
    let path = directory.join(LOG_FILE);
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let lines: Result<Vec<Evaluation>, _> = text.lines().map(serde_json::from_str).collect();
    lines.with_context(|| format!("{} is not the log of a training", path.display()))
}

const STYLE: &str = "\
.unigram .line { stroke: #888888; } text.unigram { fill: #888888; }
.training .line { stroke: #1f77b4; } text.training { fill: #1f77b4; }
.validation .line { stroke: #d62728; } text.validation { fill: #d62728; }
";

/// Training and validation loss over the steps, with the unigram model's as a line, as SVG.
pub fn plot(log: &[Evaluation]) -> String {
    let steps = log.last().map_or(1, |e| e.step.max(1)) as f64;
    let series = |class: &str, name: &str, loss: fn(&Evaluation) -> f32| Series {
        name: name.to_owned(),
        class: class.to_owned(),
        points: log
            .iter()
            .filter(|e| loss(e).is_finite())
            .map(|e| (e.step as f64, f64::from(loss(e))))
            .collect(),
    };
    let lines = [
        series("unigram", "unigram model", |e| e.unigram_loss),
        series("training", "training", |e| e.train_loss),
        series("validation", "validation", |e| e.validation_loss),
    ];
    let losses = lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    let top = (losses.fold(0.5, f64::max) * 2.0).ceil() / 2.0;
    let x = Axis::numbers("steps", (0.0, steps), 1.0);
    let y = Axis::numbers("loss (nats per token)", (0.0, top), 0.01);
    let chart = Chart::new(x, y, 360, "training and validation loss over the steps");
    chart.lines(Shape::Straight, &lines).names(&lines).file(STYLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_drawn_and_one_that_is_no_number_is_left_out() {
        let line = |step, train_loss| Evaluation { step, train_loss, ..Evaluation::default() };
        let svg = plot(&[line(100, 3.0), line(200, f32::NAN)]);
        assert_eq!(svg.matches("<path").count(), 3);
        assert!(!svg.contains("NaN") && svg.contains(">validation</text>"), "{svg}");
    }

    #[test]
    fn validations_since_the_best_are_counted() {
        let losses = [3.0, 2.0, 2.5, 2.0];
        let evaluation = |(step, validation_loss): (usize, f32)| Evaluation {
            step: step as u64,
            validation_loss,
            ..Evaluation::default()
        };
        let log: Vec<Evaluation> = losses.into_iter().enumerate().map(evaluation).collect();
        let found: Vec<u64> = (0..=4).map(|n| since_best(&log[..n])).collect();
        assert_eq!(found, [0, 0, 0, 1, 2]);
    }
}
