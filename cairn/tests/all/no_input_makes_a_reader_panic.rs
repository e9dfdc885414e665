//! No reader of `cairn/fuzz/readers.rs` panics, whatever becomes of the files of its corpus: what `scripts/checks/fuzz.py` looks for at
//! length, in every run of the tests. `CAIRN_INPUTS=100000` asks for so many inputs for each.

use crate::common::random::Random;
use readers::{READERS, Reader};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

#[path = "../../fuzz/readers.rs"]
mod readers;
#[path = "../../fuzz/unions.rs"]
mod unions;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus");

/// What readers stumble over where they expect something else.
const WORDS: &str = r#"-1 0 1.0 1e400 NaN 4294967296 9223372036854775808 18446744073709551616 1/0 () (((((((( ) " \ null {} ?x é"#;

fn files_of(directory: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// One of the files with up to eight changes.
fn mutant(files: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.of(files).clone();
    for _ in 0..1 + random.below(8) {
        let other = random.of(files);
        let most = 1 << random.below(10);
        let [part, from] = [bytes.len(), other.len()].map(|length| {
            let begin = random.below(length);
            begin..length.min(begin + 1 + random.below(most))
        });
        match random.below(6) {
            0 | 1 if !bytes.is_empty() => bytes[part.start] ^= 1 << random.below(8),
            2 => drop(bytes.drain(part)),
            3 => drop(bytes.splice(part.start..part.start, other[from].iter().copied())),
            4 => drop(bytes.splice(part, other[from].iter().copied())),
            _ => {
                let words: Vec<&str> = WORDS.split(' ').collect();
                drop(bytes.splice(part, random.of(&words).bytes()));
            }
        }
    }
    bytes
}

/// What is wrong with a reader.
fn fault(name: &str, read: Reader, inputs: usize) -> Option<String> {
    let paths = files_of(&format!("{CORPUS}/{name}"));
    let files: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let unread: Vec<_> =
        paths.iter().zip(&files).filter(|(_, file)| !read(file)).map(|(path, _)| path).collect();
    if !unread.is_empty() {
        return Some(format!("{name} does not read {unread:?}"));
    }
    let mut random = Random(0);
    (0..inputs).find_map(|_| {
        let input = mutant(&files, &mut random);
        catch_unwind(|| read(&input)).err()?;
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("panics-{name}"));
        fs::write(&kept, &input).unwrap();
        Some(format!("{name} panics where it reads {}", kept.display()))
    })
}

#[test]
fn that_was_a_file_of_the_corpus() {
    let inputs = env::var("CAIRN_INPUTS").map_or(10_000, |count| count.parse().unwrap());
    let mut names: Vec<String> =
        READERS.iter().map(|(name, _)| format!("{CORPUS}/{name}")).collect();
    names.sort();
    assert_eq!(files_of(CORPUS), names.iter().map(Path::new).collect::<Vec<_>>());
    let faults: Vec<String> = thread::scope(|scope| {
        let runs =
            READERS.iter().map(|&(name, read)| scope.spawn(move || fault(name, read, inputs)));
        let runs: Vec<_> = runs.collect();
        runs.into_iter().filter_map(|run| run.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
