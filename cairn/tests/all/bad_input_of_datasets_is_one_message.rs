//! Every mistake of the user gives one message that says where and what, and leaves no file.

use crate::common;
use crate::small_system::RULES;
use dataset_gen::{Split, Triple, read_triples, write_triples};
use std::fs;
use std::path::Path;

/// Runs a command in a directory of files, and returns the message with the directory's name
/// taken out. `{}` in an argument stands for the directory.
fn message(files: &[(&str, &str)], args: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().display().to_string();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let before = names(directory.path());
    let args = args.iter().map(|arg| arg.replace("{}", &root));
    let output = common::cairn(&directory).args(args).assert().code(2);
    let error = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert_eq!(names(directory.path()), before, "something was written");
    let error = error.strip_prefix("error: ").expect("a message of the program").trim_end();
    error.replace(&format!("{root}/"), "")
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

const GENERATE: [&str; 9] = [
    "generate",
    "--system",
    "{}/s.rules",
    "--seeds",
    "{}/s.txt",
    "--out",
    "{}/out",
    "--nodes",
    "100",
];

fn generate_message(rules: &str, seeds: &str) -> String {
    message(&[("s.rules", rules), ("s.txt", seeds)], &[&GENERATE[..], &["--quiet"]].concat())
}

#[test]
fn rules_and_seeds() {
    assert_eq!(
        generate_message("(sort Int)\n(rewrite (+ ?a ?b)", "a"),
        "s.rules:2:1: '(' is never closed"
    );
    let seeds = "(+ a b)\n; fine\n(+ a (** b))\n";
    assert_eq!(generate_message(RULES, seeds), "s.txt:3:7: unknown operator '**'");
    let seeds = "(+ a b c)";
    let expected = "s.txt:1:1: operator '+' takes 2 arguments, found 3";
    assert_eq!(generate_message(RULES, seeds), expected);
    let expected = "s.txt holds no seed: expected at least one term";
    assert_eq!(generate_message(RULES, "; nothing\n"), expected);
    let missing = message(&[("s.rules", RULES)], &GENERATE);
    assert!(missing.starts_with("cannot read seeds from s.txt: "), "{missing}");
    let none = message(&[], &["generate", "--out", "{}/out"]);
    assert!(none.starts_with("no rewrite system: expected --system FILE"), "{none}");
}

#[test]
fn no_triple_at_all() {
    let text = generate_message("(sort I) (variable I) (op + (I I) I)", "(+ a b)");
    assert!(text.starts_with("no triple came of 1 seeds"), "{text}");
}

#[test]
fn configurations() {
    let with = |config: &str| {
        let files = [("s.rules", RULES), ("s.txt", "a"), ("c.toml", config)];
        message(&files, &[&GENERATE[..], &["--config", "{}/c.toml"]].concat())
    };
    let unknown = with("[sampling]\nterms = 3\nterm = 4\n");
    assert!(unknown.starts_with("c.toml:3:1: unknown field `term`"), "{unknown}");
    let wrong = with("[saturation]\nmemory = \"32MB\"\n");
    assert!(wrong.starts_with("c.toml:2:10: expected a size like 64MiB"), "{wrong}");
    let broken = with("[saturation\n");
    assert!(broken.starts_with("c.toml:1:"), "{broken}");
    assert_eq!(
        with("[splits]\ntrain = 0.5\n"),
        "splits = [0.5, 0.1, 0.1]: expected shares from 0 to 1 whose sum is 1"
    );
    assert!(
        with("[splitting]\ncutoff = 1").starts_with("splitting.cutoff = 1: expected at least 2")
    );
}

#[test]
fn a_directory_that_holds_something_else() {
    let files = [("s.rules", RULES), ("s.txt", "a"), ("out/thesis.tex", "")];
    let text = message(&files, &GENERATE);
    assert!(text.starts_with("out already holds something else (thesis.tex)"), "{text}");
}

#[test]
fn datasets_that_are_none() {
    let none = message(&[], &["inspect", "{}/data"]);
    assert!(none.contains("is not a dataset: cannot read data/dataset_info.json"), "{none}");
    let other = [("data/dataset_info.json", "{\"description\": \"cats\"}")];
    let text = message(&other, &["inspect", "{}/data"]);
    let expected = "data/dataset_info.json is not the description of a Cairn dataset";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_dataset_of_an_earlier_version() {
    let directory = tempfile::tempdir().unwrap();
    let generate = "generate --system halide --seeds halide --limit 10 --nodes 300 --out data";
    common::run(&directory, generate);
    let path = directory.path().join("data/dataset_info.json");
    let mut info: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    info["cairn"]["config"]["sketches"] = serde_json::json!({ "share": 0.1 });
    fs::write(&path, info.to_string()).unwrap();
    let verify = common::cairn(&directory).args(["verify", "data"]).assert().code(2);
    let error = String::from_utf8(verify.get_output().stderr.clone()).unwrap();
    let expected = "error: data/dataset_info.json is not the description of a Cairn dataset, or an \
                    earlier version made it: make it again: unknown field `sketches`";
    assert!(error.starts_with(expected) && error.lines().count() == 1, "{error}");
}

#[test]
fn what_is_no_dataset_is_called_by_its_name() {
    let model = [("x/config.json", "{}"), ("x/tokenizer.json", "{}")];
    for (files, expected) in [
        (&model[..], "x is a model, not a dataset"),
        (&[("x/evaluation.json", "{}")], "x is the results of an evaluation, not a dataset"),
        (&[("x/part.json", "{}")], "x is a part, not a dataset"),
        (&[("x/learning.json", "{}")], "x is a learning of a ranker, not a dataset"),
        (&[("x/optimisation.json", "{}")], "x is optimised terms, not a dataset"),
    ] {
        let text = message(files, &["verify", "{}/x"]);
        assert!(text.starts_with(expected), "{text}");
    }
    let text = message(&[("x.parquet", "PAR1")], &["verify", "{}/x.parquet"]);
    assert!(text.starts_with("x.parquet is a file, not a dataset"), "{text}");
}

#[test]
fn parquet_files() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::create_dir(root.join("data")).unwrap();
    let path = root.join("data/train-00000-of-00001.parquet");
    let read = || format!("{:#}", read_triples(root, Split::Train).unwrap_err());
    let named = "data/train-00000-of-00001.parquet: ";
    assert!(read().starts_with("there is no file ") && read().ends_with("data/train-*.parquet"));

    let triples = vec![Triple { start: "(+ a b)".into(), ..Triple::default() }; 100];
    write_triples(root, Split::Train, &triples).unwrap();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(read().contains(named) && read().contains("not a whole Parquet file"), "{}", read());
    // A byte of a page turned: the file's structure is whole, its content is not.
    let mut damaged = whole.clone();
    damaged[40] ^= 0xff;
    fs::write(&path, &damaged).unwrap();
    if let Ok(found) = read_triples(root, Split::Train) {
        assert_eq!(found.len(), triples.len());
    }

    wrong_schema(&path, "guides");
    assert!(read().ends_with(&format!("{named}no column 'guide'")), "{}", read());
}

/// A file with a column of the wrong name.
fn wrong_schema(path: &Path, name: &str) {
    use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array, UInt64Array};
    use std::sync::Arc;
    let text = || Arc::new(StringArray::from(vec!["a"])) as ArrayRef;
    let columns = [
        ("id", Arc::new(UInt64Array::from(vec![0])) as ArrayRef),
        ("seed", Arc::new(UInt32Array::from(vec![0])) as ArrayRef),
        ("seed_id", text()),
        ("proof", Arc::new(UInt64Array::from(vec![0]))),
        ("start", text()),
        (name, text()),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = fs::File::create(path).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The reader asks for room for as many values as a dictionary says that it has.
#[cfg(target_os = "linux")]
#[test]
fn a_damaged_size_ends_in_words_where_there_is_no_memory() {
    let directory = tempfile::tempdir().unwrap();
    let tasks = directory.path().join("tasks.parquet");
    let files = ["--system", "halide", "--seeds", "halide", "--out", "tasks.parquet"];
    let sizes = ["--links", "2", "--link-nodes", "50", "--count", "2", "--quiet"];
    common::cairn(&directory).arg("tasks").args(files).args(sizes).assert().success();
    // The header of a dictionary's page: its kind, and further on a structure that begins with the
    // number of values, all in base 128 of twice the number.
    let mut bytes = fs::read(&tasks).unwrap();
    let page = bytes.windows(3).position(|at| at == [0x15, 0x04, 0x15]).unwrap();
    let dictionary = bytes[page..].windows(2).position(|at| at == [0x4c, 0x15]).unwrap();
    let number = page + dictionary + 2;
    assert!(bytes[number] < 0x80, "a small number, in a byte");
    bytes.splice(number..=number, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
    fs::write(&tasks, bytes).unwrap();

    let evaluate = "ulimit -v 8000000; exec \"$0\" evaluate --system halide --tasks tasks.parquet \
                    --out results";
    let output = assert_cmd::Command::new("sh")
        .args(["-c", evaluate, env!("CARGO_BIN_EXE_cairn")])
        .current_dir(directory.path())
        .assert()
        .code(2);
    let error = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    let expected = "error: cannot read tasks.parquet: damaged file, or out of memory: no block of ";
    assert!(error.starts_with(expected) && error.lines().count() == 1, "{error}");
    assert!(!directory.path().join("results").exists());
}
