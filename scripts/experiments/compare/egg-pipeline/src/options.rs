//! The command line: `--key value` only. The numbers are keys of `cairn generate`'s
//! configuration, and default to its defaults.

use std::collections::BTreeMap;

pub struct Options {
    pub system: String,
    pub seeds: String,
    pub out: String,
    pub bytes: bool,
    /// Whether egg shortens proofs (its default, but slow).
    pub optimise: bool,
    pub seed: u64,
    pub nodes: usize,
    pub terms: usize,
    pub size_factor: usize,
    pub max_size: usize,
    pub attempts: usize,
    pub pairs: usize,
    pub kept: usize,
    pub max_steps: usize,
    pub max_term_size: usize,
    pub cutoff: usize,
}

impl Options {
    pub fn from_arguments() -> Result<Options, String> {
        let mut given: BTreeMap<String, String> = BTreeMap::new();
        let mut arguments = std::env::args().skip(1);
        while let Some(key) = arguments.next() {
            let name = key.strip_prefix("--").ok_or(format!("{key}: expected --KEY VALUE"))?;
            let value = arguments.next().ok_or(format!("{key}: expected a value"))?;
            given.insert(name.to_owned(), value);
        }
        let mut number = |key: &str, default: usize| match given.remove(key) {
            Some(text) => text.parse().map_err(|_| format!("--{key} {text}: expected a number")),
            None => Ok(default),
        };
        let options = Options {
            bytes: number("bytes", 0)? != 0,
            optimise: number("optimise", 0)? != 0,
            seed: number("seed", 0)? as u64,
            nodes: number("nodes", 10_000)?,
            terms: number("terms", 12)?,
            size_factor: number("size-factor", 2)?,
            max_size: number("max-size", 60)?,
            attempts: number("attempts", 4_000)?,
            pairs: number("pairs", 100)?,
            kept: number("kept", 20)?,
            max_steps: number("max-steps", 200)?,
            max_term_size: number("max-term-size", 150)?,
            cutoff: number("cutoff", 5)?,
            system: given.remove("system").ok_or("--system is missing")?,
            seeds: given.remove("seeds").ok_or("--seeds is missing")?,
            out: given.remove("out").unwrap_or("/dev/null".to_owned()),
        };
        match given.keys().next() {
            Some(key) => Err(format!("--{key}: no such option")),
            None if options.cutoff < 2 => Err("--cutoff: expected at least 2".to_owned()),
            None => Ok(options),
        }
    }
}
