//! What training reports: one line per validation, and the loss as a picture.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;
use support::files::whole_file::write_atomic;

/// The file of the lines.
pub const LOG_FILE: &str = "train_log.jsonl";
/// The file of the picture.
pub const PLOT_FILE: &str = "loss.svg";

/// The state of things after a number of steps. Losses are in nats per token of a guide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Steps done.
    pub step: u64,
    /// Mean loss of the steps since the last evaluation.
    pub train_loss: f32,
    /// Loss on the validation split.
    pub validation_loss: f32,
    /// Part of the validation tokens that the model finds likeliest.
    pub validation_accuracy: f32,
    /// Loss on the validation split of a model that knows only how frequent each token is.
    pub unigram_loss: f32,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Tokens of starts, targets and guides trained on per second since the last evaluation.
    pub tokens_per_second: f64,
}

impl Evaluation {
    /// Whether what was measured are numbers.
    pub fn is_finite(&self) -> bool {
        [self.train_loss, self.validation_loss, self.validation_accuracy, self.unigram_loss]
            .iter()
            .all(|value| value.is_finite())
    }
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

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 44.0;

/// Training and validation loss over the steps, with the unigram model's as a line, as SVG.
pub fn plot(log: &[Evaluation]) -> String {
    let steps = log.last().map_or(1, |e| e.step.max(1)) as f64;
    let highest = log
        .iter()
        .flat_map(|e| [e.train_loss, e.validation_loss, e.unigram_loss])
        .filter(|loss| loss.is_finite())
        .fold(0.5f32, f32::max);
    let top = f64::from((highest * 2.0).ceil() / 2.0);
    let x = |step: f64| LEFT + (WIDTH - LEFT - RIGHT) * step / steps;
    let y = |loss: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - loss / top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    // Writing to a String can't fail.
    for i in 0..=4 {
        let (loss, step) = (top * f64::from(i) / 4.0, steps * f64::from(i) / 4.0);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{2}\" y=\"{3:.1}\" text-anchor=\"end\">{loss:.2}</text>\
             <text x=\"{4:.1}\" y=\"{5}\" text-anchor=\"middle\">{step:.0}</text>",
            WIDTH - RIGHT,
            y(loss),
            LEFT - 6.0,
            y(loss) + 4.0,
            x(step),
            HEIGHT - BOTTOM + 16.0,
        );
    }
    let mut line = |color: &str, name: &str, place: usize, loss: &dyn Fn(&Evaluation) -> f32| {
        let points: Vec<String> = log
            .iter()
            .filter(|e| loss(e).is_finite())
            .map(|e| format!("{:.1},{:.1}", x(e.step as f64), y(f64::from(loss(e)))))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{color}\">{name}</text>",
            points.join(" "),
            WIDTH - RIGHT - 6.0,
            TOP + 16.0 * (place + 1) as f64,
        );
    };
    line("#888888", "unigram model", 0, &|e| e.unigram_loss);
    line("#1f77b4", "training", 1, &|e| e.train_loss);
    line("#d62728", "validation", 2, &|e| e.validation_loss);
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">steps</text>\
         <text x=\"14\" y=\"{}\" transform=\"rotate(-90 14 {3})\" text-anchor=\"middle\">\
         loss (nats per token)</text>\n</svg>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 8.0,
        HEIGHT / 2.0,
        HEIGHT / 2.0,
    );
    svg
}
