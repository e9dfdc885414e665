//! A small dataset in a temporary directory.

use dataset_gen::Config;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::Run;
use tempfile::TempDir;

#[expect(dead_code, reason = "the text is enough here; others have the system, too")]
#[path = "../../../terms/tests/all/small_system/rules.rs"]
mod rules;
pub use rules::RULES;

/// Seeds of which some are equal up to the names of their variables, and some have common
/// subterms, so that the same pairs come out of different seeds.
pub const SEEDS: &str = "
(+ (+ a b) (+ c 2))
(+ (+ x y) (+ z 2))
(+ (* a 2) (+ b (* c 2)))
(if (< (+ a 1) (+ b 1)) (+ (+ a b) (+ c 2)) (+ b a))
(if (< a c) (+ (+ a b) (+ c 2)) (* c 3))
(* (+ a b) (+ c d))
(+ a (+ b (+ c (+ d 5))))
(+ (+ (+ b a) (+ c d)) 5)
(* 3 (+ (+ a b) (+ c 2)))
(+ (+ a (+ a b)) (+ (+ b c) c))
";

pub struct Place {
    pub directory: TempDir,
    pub config: Config,
}

pub fn place() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let system = directory.path().join("small.rules");
    let seeds = directory.path().join("seeds.txt");
    fs::write(&system, RULES).unwrap();
    fs::write(&seeds, SEEDS).unwrap();
    let mut config =
        Config { system: Some(system.into()), seeds: Some(seeds.into()), ..Config::default() };
    config.saturation.nodes = Some(400);
    config.sampling.max_size = 16;
    config.sampling.terms = 10;
    config.sampling.attempts = 500;
    config.splits.train = 0.4;
    config.splits.validation = 0.3;
    config.splits.test = 0.3;
    Place { directory, config }
}

impl Place {
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

pub fn quiet(threads: usize, seed: u64) -> Run {
    Run { threads: Some(threads), seed, quiet: true }
}

/// All files below a directory with their bytes.
pub fn tree(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn visit(root: &Path, path: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    visit(path, path, &mut found);
    found
}
