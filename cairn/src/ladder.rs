//! `cairn train --scaling`: its arguments, and what it prints.

use crate::shipped::MODELS;
use crate::signals::Signals;
use anyhow::{Context, Result, anyhow};
use model::config::Config;
use model::scaling::ladder::{LadderOptions, climb};
use model::scaling::page::{PAGE_FILE, text};
use model::scaling::plan::{Budget, Fraction};
use model::scaling::sizes::{SizeAsked, SizeKind};
use model::training::runs::TrainOptions;
use rayon::ThreadPool;
use std::path::Path;
use support::show::console::print;

/// Options of `cairn train --scaling`.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Scaling ladder")]
pub struct LadderArgs {
    /// Train a ladder: every size on every fraction of the data, and draw loss against parameters, data
    /// and compute. The same command goes on after an interruption
    #[arg(long, conflicts_with = "resume")]
    pub scaling: bool,
    /// Hours for all of the ladder; in its place --steps, of each size on the largest fraction
    #[arg(long, value_name = "HOURS", requires = "scaling", conflicts_with = "steps")]
    #[arg(allow_negative_numbers = true)]
    hours: Option<f64>,
    /// Sizes: numbers of parameters without embeddings, such as 350k or 1.2M, which are the
    /// configuration in another width; or presets and files
    #[arg(long, value_name = "SIZES", value_delimiter = ',', requires = "scaling")]
    #[arg(default_value = "0.1M,0.35M,1.2M,4M")]
    sizes: Vec<String>,
    /// Fractions of the training split, rising: the seeds, in a random order, of which each fraction
    /// takes the first
    #[arg(long, value_name = "FRACTIONS", value_delimiter = ',', requires = "scaling")]
    #[arg(default_value = "1/8,1/4,1/2,1")]
    fractions: Vec<String>,
}

impl LadderArgs {
    /// Trains the ladder. `train` has what it has in common with one training.
    ///
    /// # Errors
    /// As [`climb`], an argument that is not understood, or the ladder was asked to stop.
    pub fn run(
        &self,
        data: &Path,
        out: &Path,
        train: TrainOptions,
        signals: &Signals,
        pool: &ThreadPool,
    ) -> Result<()> {
        let budget = match (self.hours, train.steps) {
            (Some(hours), _) => Budget::Hours(hours),
            (None, Some(steps)) => Budget::Steps(steps),
            (None, None) => {
                return Err(anyhow!("--scaling: expected --hours, or --steps for each size"));
            }
        };
        let options = LadderOptions {
            base: train.config.unwrap_or_default(),
            sizes: self.sizes.iter().map(|text| size(text.trim())).collect::<Result<_>>()?,
            fractions: self.fractions.iter().map(|t| fraction(t.trim())).collect::<Result<_>>()?,
            budget,
            seed: train.seed,
            device: train.device,
            quiet: train.quiet,
            stop: train.stop,
        };
        let report = pool.install(|| climb(data, out, &options)).map_err(|e| signals.explain(e))?;
        if report.stopped {
            let (ended, runs) = (report.outcomes.len(), report.runs);
            let message = format!(
                "stopped with {ended} of {runs} runs ended; the checkpoint of the next is written: go on \
                 with the same command"
            );
            return Err(signals.interrupted(message).into());
        }
        let page = out.join(PAGE_FILE);
        print(&format!("{}{}\n", text(&report.outcomes, options.seed), page.display()))
    }
}

/// A number of parameters, or a configuration.
fn size(text: &str) -> Result<SizeAsked> {
    if let Some(parameters) = parameters(text) {
        let kind = SizeKind::Parameters(parameters);
        return Ok(SizeAsked { name: text.to_owned(), kind });
    }
    let context = || format!("--sizes {text}: expected a number such as 350k or 1.2M, or a preset");
    let file = MODELS.resolve(text.into()).with_context(context)?;
    let config = Config::load(&file)?;
    let name = file.file_name().file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(SizeAsked { name, kind: SizeKind::Config(Box::new(config)) })
}

/// A number with the letter of a thousand or a million; presets such as 12m have a small one.
fn parameters(text: &str) -> Option<u64> {
    let (digits, power) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 1e3),
        (at, 'M') => (&text[..at], 1e6),
        (at, 'G') => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    let number: f64 = digits.parse().ok()?;
    (number > 0.0 && number.is_finite()).then_some((number * power) as u64)
}

/// A fraction as 1/8 or 0.125.
fn fraction(text: &str) -> Result<Fraction> {
    let number = |text: &str| text.parse::<f64>().ok();
    let share = match text.split_once('/') {
        Some((a, b)) => number(a).zip(number(b)).map(|(a, b)| a / b),
        None => number(text),
    };
    let share = share.with_context(|| {
        format!("--fractions {text}: expected fractions such as 1/8 or 0.125, found '{text}'")
    })?;
    Ok(Fraction { name: text.to_owned(), share })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_or_presets_and_fractions_numbers() {
        assert_eq!(
            ["350k", "1.2M", "5000", "12m"].map(parameters),
            [Some(350_000), Some(1_200_000), Some(5_000), None]
        );
        assert!(matches!(size("12m").unwrap().kind, SizeKind::Config(_)));
        let unknown = format!("{:#}", size("-3M").unwrap_err());
        assert!(
            unknown.contains("--sizes -3M: expected a number") && unknown.contains("tiny, 12m")
        );
        assert_eq!(["1/8", "0.125"].map(|text| fraction(text).unwrap().share), [0.125; 2]);
        assert!(fraction("an eighth").unwrap_err().to_string().contains("found 'an eighth'"));
    }
}
