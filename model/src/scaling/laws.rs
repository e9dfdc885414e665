//! The laws of a ladder: which points each is fitted to.

use crate::scaling::fit::{NoFit, PowerLaw, fit};
use crate::scaling::results::Outcome;

/// What a loss is drawn against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// N, the parameters that are not embeddings; a law for each fraction.
    Parameters,
    /// The triples; a law for each size.
    Data,
    /// 6·N·D; one law, of the runs that no other beats with as little compute.
    Compute,
}

impl Against {
    /// All of them.
    pub const ALL: [Against; 3] = [Against::Parameters, Against::Data, Against::Compute];

    /// In names of files and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Against::Parameters => "parameters",
            Against::Data => "data",
            Against::Compute => "compute",
        }
    }

    /// The place of a run.
    pub fn x(self, o: &Outcome) -> f64 {
        match self {
            Against::Parameters => o.non_embedding as f64,
            Against::Data => o.triples as f64,
            Against::Compute => o.flops(),
        }
    }

    /// Name and number of the group of a run: those of one group have a colour in common.
    pub fn group(self, o: &Outcome) -> (usize, String) {
        match self {
            Against::Parameters if o.fraction == "1" => {
                (o.part_number, "all of the data".to_owned())
            }
            Against::Parameters => (o.part_number, format!("{} of the data", o.fraction)),
            Against::Data | Against::Compute => (o.size_number, o.size.clone()),
        }
    }
}

/// A law with what it is of.
#[derive(Clone, Debug)]
pub struct Law {
    /// What the loss is drawn against.
    pub against: Against,
    /// Number and name of the group; `None` for a law over all groups.
    pub group: Option<(usize, String)>,
    /// The points, x ascending.
    pub points: Vec<(f64, f64)>,
    /// The law, or why there is none.
    pub law: Result<PowerLaw, NoFit>,
}

impl Law {
    fn new(
        against: Against,
        group: Option<(usize, String)>,
        mut points: Vec<(f64, f64)>,
        seed: u64,
    ) -> Law {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let law = fit(&points, seed);
        Law { against, group, points, law }
    }

    /// What it is of, for readers.
    pub fn of(&self) -> String {
        self.group
            .as_ref()
            .map_or("the best for their compute".to_owned(), |(_, name)| name.clone())
    }
}

/// The laws of these runs.
pub fn laws(outcomes: &[Outcome], seed: u64) -> Vec<Law> {
    let mut laws = Vec::new();
    for against in [Against::Parameters, Against::Data] {
        let mut groups: Vec<(usize, String)> = outcomes.iter().map(|o| against.group(o)).collect();
        groups.sort();
        groups.dedup();
        for group in groups {
            let own = outcomes.iter().filter(|o| against.group(o) == group);
            let points = own.map(|o| (against.x(o), f64::from(o.loss))).collect();
            laws.push(Law::new(against, Some(group), points, seed));
        }
    }
    laws.push(Law::new(Against::Compute, None, frontier(outcomes), seed));
    laws
}

/// Compute and loss of the runs that are better than all with as little compute or less.
fn frontier(outcomes: &[Outcome]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> =
        outcomes.iter().map(|o| (Against::Compute.x(o), f64::from(o.loss))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut best = f64::INFINITY;
    points.retain(|point| {
        let better = point.1 < best;
        best = best.min(point.1);
        better
    });
    points
}

/// `scaling_laws.csv`.
pub fn csv(laws: &[Law]) -> String {
    let mut text = "loss_against,of,points,a,b,b_low,b_high,c,c_low,c_high\n".to_owned();
    for law in laws {
        text += &format!("{},{},{}", law.against.name(), law.of(), law.points.len());
        text += &match law.law {
            Ok(PowerLaw { a, b, c, b_interval: (low, high), c_interval, .. }) => {
                let c = c_interval.map_or(",,".to_owned(), |(from, to)| format!("{c},{from},{to}"));
                format!(",{a},{b},{low},{high},{c}\n")
            }
            Err(_) => ",,,,,,,\n".to_owned(),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::results::tests::outcome;

    #[test]
    fn a_law_of_compute_is_of_the_runs_that_none_with_as_little_beats() {
        let runs = [(10, 100, 2.0), (10, 200, 1.5), (20, 100, 1.6), (30, 200, 1.7), (40, 400, 1.0)];
        let outcomes: Vec<Outcome> = runs
            .iter()
            .enumerate()
            .map(|(i, (n, d, loss))| Outcome {
                non_embedding: *n,
                tokens_seen: *d,
                loss: *loss,
                size_number: i,
                ..outcome()
            })
            .collect();
        let kept: Vec<f64> = frontier(&outcomes).iter().map(|point| point.1).collect();
        assert_eq!(kept, [2.0, 1.5, 1.0]);
        let laws = laws(&outcomes, 0);
        // Of five sizes one point each, and of one fraction five.
        let found: Vec<usize> = laws.iter().map(|law| law.points.len()).collect();
        assert_eq!(found, [5, 1, 1, 1, 1, 1, 3]);
        let csv = csv(&laws);
        assert!(csv.contains("\ndata,s,1,,,,,,,\n"), "{csv}");
        assert_eq!(csv.lines().count(), 8);
        assert!(csv.lines().all(|line| line.matches(',').count() == 9), "{csv}");
    }
}
