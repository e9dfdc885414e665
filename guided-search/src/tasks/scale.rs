//! How many e-nodes a link of a chain has where nobody said: as the seeds allow.
//!
//! Where e-graphs are large, long chains of a domain are often provable by one e-graph after all,
//! or a link ends where the waypoint before it began; where they are small, tasks are easy. So a few
//! chains are made at each size of a ladder, and the largest size wins at which nearly as many come
//! about as at the best.

use crate::options::tasks::ChainSettings;
use crate::tasks::gather::count_chains;
use egraph::{System, TermBank};
use std::fmt;
use std::sync::Arc;
use terms::Seed;

/// E-nodes of a link, from the reference setting down.
const LADDER: [usize; 4] = [1_000, 500, 200, 100];

/// Seeds that chains are tried from, at each size.
const SEEDS: usize = 64;

/// What was tried, and what was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The e-nodes of a link to use.
    pub link_nodes: usize,
    /// Chains that were begun at each size, at most: how many seeds are of a family may depend on it.
    pub begun: u64,
    /// The sizes, descending, each with the number of chains that came about.
    pub tried: Vec<(usize, usize)>,
}

impl Scale {
    /// Tries chains from the first seeds, on the threads of the current rayon pool: the largest
    /// size at which at least three quarters as many chains come about as at the best one. `settings`
    /// says all else for a size.
    pub fn of_seeds(
        system: &Arc<System>,
        bank: &TermBank,
        seeds: &[Seed],
        settings: impl Fn(usize) -> ChainSettings,
    ) -> Scale {
        let seeds = &seeds[..seeds.len().min(SEEDS)];
        let made = |link_nodes| {
            let settings = ChainSettings { count: usize::MAX, rounds: 1, ..settings(link_nodes) };
            count_chains(system, bank, seeds, &settings)
        };
        let counts = LADDER.map(|size| (size, made(size)));
        let begun = counts.iter().map(|&(_, (begun, _))| begun).max().unwrap_or(0);
        let tried: Vec<(usize, usize)> = counts.map(|(size, (_, made))| (size, made)).to_vec();
        let best = tried.iter().map(|&(_, made)| made).max().unwrap_or(0);
        let good = |&&(_, made): &&(usize, usize)| 4 * made >= 3 * best;
        let link_nodes = tried.iter().find(good).map_or(LADDER[0], |&(size, _)| size);
        Scale { link_nodes, begun, tried }
    }
}

impl fmt::Display for Scale {
    /// `--link-nodes 200, as the seeds allow: of 64 chains 5 came about with 1000 e-nodes a link, 31
    /// with 500, …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "--link-nodes {}, as the seeds allow: of {} chains ",
            self.link_nodes, self.begun
        )?;
        for (i, (size, made)) in self.tried.iter().enumerate() {
            match i {
                0 => write!(f, "{made} came about with {size} e-nodes a link")?,
                _ => write!(f, ", {made} with {size}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use support::InputFile;
    use terms::load_seeds;

    /// The shipped seeds of a system, and the system.
    fn shipped(name: &str) -> (Arc<System>, TermBank, Vec<Seed>) {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
        let system = System::load(&configs.join(format!("systems/{name}.rules"))).unwrap();
        let system = Arc::new(system);
        let mut bank = TermBank::new(system.language.clone());
        let path = InputFile::Path(configs.join(format!("seeds/{name}.txt")));
        let seeds = load_seeds(&path, &system, &mut bank, Some(24)).unwrap();
        (system, bank, seeds)
    }

    #[test]
    fn the_largest_size_wins_at_which_nearly_as_many_chains_come_about_as_at_the_best() {
        let (system, bank, seeds) = shipped("halide");
        let settings = |size| ChainSettings { links: 4, ..ChainSettings::new(size, 0) };
        let scale = Scale::of_seeds(&system, &bank, &seeds, settings);
        let best = scale.tried.iter().map(|&(_, made)| made).max().unwrap();
        let (_, chosen) = scale.tried.iter().find(|(size, _)| *size == scale.link_nodes).unwrap();
        assert!(best > 0 && 4 * chosen >= 3 * best, "{scale}");
        for (size, made) in &scale.tried {
            assert!(*size <= scale.link_nodes || 4 * made < 3 * best, "{scale}");
        }
    }

    #[test]
    fn e_graphs_that_saturate_early_make_small_links() {
        // A sum of six has 63 classes and 602 nodes: at 1,000 and more every e-graph saturates.
        let system = Arc::new(
            System::parse(
                "(sort S) (op + (S S) S) (variable S) (rewrite (+ ?a ?b) (+ ?b ?a))
                 (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))",
            )
            .unwrap(),
        );
        let mut bank = TermBank::new(system.language.clone());
        let text = "(+ a (+ b (+ c (+ d (+ e f)))))";
        let term = bank.parse(text, None).unwrap();
        let seeds: Vec<Seed> = (0..8).map(|i| Seed { id: i.to_string(), term }).collect();
        // All terms are the same six; a cap of a few e-nodes keeps one e-graph from proving it.
        let settings = |size| ChainSettings { links: 2, beyond: 30, ..ChainSettings::new(size, 0) };
        let scale = Scale::of_seeds(&system, &bank, &seeds, settings);
        assert_eq!(scale.tried[0], (1_000, 0), "{scale}");
        assert!(scale.link_nodes < 1_000, "{scale}");
    }
}
