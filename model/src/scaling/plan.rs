//! What a ladder trains, decided before it begins: which runs, and how many steps each may take.
//!
//! The hours are shared out so that every size takes the same number of steps on the same fraction, in
//! proportion to the square root of the fraction's triples: a run's share of the time is proportional to
//! seconds of a step (measured, which is about the size) × √triples. Half the triples are gone through
//! 1.4 times as often in 0.7 times the steps. [`VALIDATIONS`] validations of the whole split for each run
//! are taken off before. From then on steps count and not time, so that the results do not depend on
//! what else the machine does.

use crate::config::Config;
use crate::scaling::sizes::Size;
use crate::training::examples::part::SeedOrder;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use support::show::numbers::{counted, thousands};

/// Validations of a run that takes all of its steps.
pub const VALIDATIONS: u64 = 12;
/// Validations without a lower loss that end a run, if the configuration does not say it.
const PATIENCE: u64 = 3;

/// A fraction of the training split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fraction {
    /// As it was given: "1/8".
    pub name: String,
    /// Above 0, at most 1.
    pub share: f64,
}

/// How long a ladder may take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Budget {
    /// About this many hours, all runs together.
    Hours(f64),
    /// This many steps on the largest fraction, for each size.
    Steps(u64),
}

/// A fraction as the dataset has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The fraction.
    pub fraction: Fraction,
    /// Its seeds.
    pub seeds: usize,
    /// Their triples.
    pub triples: usize,
    /// Tokens of their starts, targets and guides.
    pub tokens: u64,
}

/// What was measured of a size, in seconds. Zero where it was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seconds {
    /// A step.
    pub step: f64,
    /// A validation.
    pub validation: f64,
}

/// One run of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Its directory in the ladder's.
    pub name: String,
    /// The number of its size.
    pub size: usize,
    /// The number of its part.
    pub part: usize,
    /// Its configuration; `training.steps` is its share of the budget.
    pub config: Config,
    /// What it is expected to take, in seconds.
    pub seconds: f64,
}

/// The parts of a training split.
///
/// # Errors
/// There are too few seeds for a fraction.
pub fn parts(
    fractions: &[Fraction],
    order: &SeedOrder,
    tokens: impl Fn(usize) -> u64,
) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for fraction in fractions {
        let (name, seeds) = (&fraction.name, order.nearest(fraction.share));
        let enough = fraction.share * order.len() as f64 >= 1.0
            && parts.last().is_none_or(|smaller| smaller.seeds < seeds);
        ensure!(
            enough,
            "--fractions: the training split has {}: too few for a fraction of {name}, which has only \
             whole seeds",
            counted(order.len() as u64, "seed")
        );
        let (triples, tokens) = (order.examples(seeds), tokens(seeds));
        parts.push(Part { fraction: fraction.clone(), seeds, triples, tokens });
    }
    Ok(parts)
}

/// The runs, from the shortest to the longest.
///
/// # Errors
/// The hours are too few.
pub fn runs(
    budget: Budget,
    sizes: &[Size],
    parts: &[Part],
    seconds: &[Seconds],
    validation: usize,
) -> Result<Vec<Run>> {
    let most = parts.iter().map(|part| part.triples).max().unwrap_or(1) as f64;
    let weight = |part: &Part| (part.triples as f64 / most).sqrt();
    let largest = match budget {
        Budget::Steps(steps) => steps as f64,
        Budget::Hours(hours) => {
            let weights: f64 = parts.iter().map(weight).sum();
            let each: f64 = seconds.iter().map(|s| s.step).sum();
            let validations: f64 = seconds.iter().map(|s| s.validation).sum();
            let fixed = (VALIDATIONS * parts.len() as u64) as f64 * validations;
            let steps = (3600.0 * hours - fixed) / (each * weights);
            let smallest = parts.iter().map(weight).fold(1.0, f64::min);
            let least = (VALIDATIONS as f64 + 0.5) / smallest;
            ensure!(
                steps >= least,
                "--hours {hours}: too few for {} of at least {VALIDATIONS} steps and as many \
                 validations, which take about {:.2} hours here",
                counted((sizes.len() * parts.len()) as u64, "run"),
                (fixed + least * each * weights) / 3600.0
            );
            steps
        }
    };
    let mut runs = Vec::new();
    for (i, size) in sizes.iter().enumerate() {
        for (j, part) in parts.iter().enumerate() {
            let steps = ((largest * weight(part)) as u64).max(1);
            let mut config = size.config.clone();
            let training = &mut config.training;
            training.steps = steps;
            training.warmup_steps = training.warmup_steps.min(steps / 10);
            training.evaluate_every = steps.div_ceil(VALIDATIONS);
            training.validation_triples = validation;
            if training.patience == 0 {
                training.patience = PATIENCE;
            }
            let validations = steps.div_ceil(training.evaluate_every);
            let took = seconds[i];
            runs.push(Run {
                name: format!("{}-{}", size.name, part.fraction.name.replace('/', "of")),
                size: i,
                part: j,
                config,
                seconds: steps as f64 * took.step + validations as f64 * took.validation,
            });
        }
    }
    let cost = |run: &Run| run.config.training.steps as f64 * sizes[run.size].parameters as f64;
    runs.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    Ok(runs)
}

/// What is going to be done, for a terminal.
pub fn table(runs: &[Run], sizes: &[Size], parts: &[Part]) -> String {
    let mut text = format!(
        "{} × {}: {}, about {} in all if none ends early\n{:>10} {:>12} {:>12} {:>8} {:>7} {:>9} \
         {:>8} {:>7} {:>9}\n",
        counted(sizes.len() as u64, "size"),
        counted(parts.len() as u64, "fraction"),
        counted(runs.len() as u64, "run"),
        duration(runs.iter().map(|run| run.seconds).sum()),
        "size",
        "parameters",
        "no embedding",
        "fraction",
        "seeds",
        "triples",
        "steps",
        "epochs",
        "time"
    );
    for run in runs {
        let (size, part, training) = (&sizes[run.size], &parts[run.part], &run.config.training);
        let tokens = training.steps.saturating_mul(training.batch_tokens as u64);
        text += &format!(
            "{:>10} {:>12} {:>12} {:>8} {:>7} {:>9} {:>8} {:>7.1} {:>9}\n",
            size.name,
            thousands(size.parameters as u64),
            thousands(size.non_embedding as u64),
            part.fraction.name,
            thousands(part.seeds as u64),
            thousands(part.triples as u64),
            thousands(training.steps),
            tokens as f64 / part.tokens.max(1) as f64,
            duration(run.seconds)
        );
    }
    text
}

/// Seconds for readers.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fractions(shares: &[f64]) -> Vec<Fraction> {
        let fraction = |share: &f64| Fraction { name: share.to_string(), share: *share };
        shares.iter().map(fraction).collect()
    }

    fn order() -> SeedOrder {
        let seeds: Vec<u32> = (0..400).map(|i| i % 40).collect();
        SeedOrder::new(&seeds, 1)
    }

    fn size(name: &str, parameters: usize) -> Size {
        let config = Config::default();
        Size { name: name.to_owned(), parameters, non_embedding: parameters, config }
    }

    #[test]
    fn hours_are_shared_out_whole_and_in_the_way_that_is_said() {
        let parts = parts(&fractions(&[0.25, 1.0]), &order(), |seeds| seeds as u64 * 100).unwrap();
        assert_eq!((parts[0].seeds, parts[0].triples, parts[1].triples), (10, 100, 400));
        let sizes = [size("small", 10), size("large", 100)];
        let seconds =
            [(0.01, 1.0), (0.1, 3.0)].map(|(step, validation)| Seconds { step, validation });
        let runs = runs(Budget::Hours(0.5), &sizes, &parts, &seconds, 77).unwrap();
        let sum: f64 = runs.iter().map(|run| run.seconds).sum();
        assert!((sum / 1800.0 - 1.0).abs() < 0.01, "{sum}");
        let steps = |name: &str| {
            runs.iter().find(|run| run.name == name).unwrap().config.training.steps as f64
        };
        assert_eq!(steps("small-1"), steps("large-1"));
        assert!((steps("small-0.25") / steps("small-1") - 0.5).abs() < 1e-3);
        assert_eq!(runs[0].name, "small-0.25");
        let training = &runs[3].config.training;
        assert_eq!((training.validation_triples, training.patience), (77, PATIENCE));
        assert_eq!(training.steps.div_ceil(training.evaluate_every), VALIDATIONS);
    }

    #[test]
    fn too_few_hours_and_too_few_seeds_are_refused() {
        let parts_of = |shares: &[f64]| parts(&fractions(shares), &order(), |_| 1);
        let message = parts_of(&[0.01, 1.0]).unwrap_err().to_string();
        assert!(message.contains("has 40 seeds: too few for a fraction of 0.01"), "{message}");
        let message = parts_of(&[0.5, 0.51]).unwrap_err().to_string();
        assert!(message.contains("too few for a fraction of 0.51"), "{message}");
        let parts = parts_of(&[1.0]).unwrap();
        let seconds = [Seconds { step: 1.0, validation: 2.0 }];
        let runs = runs(Budget::Hours(0.001), &[size("s", 1)], &parts, &seconds, 1);
        let message = runs.unwrap_err().to_string();
        assert!(
            message.contains("1 run of at least 12 steps") && message.contains("0.01 hours"),
            "{message}"
        );
    }
}
