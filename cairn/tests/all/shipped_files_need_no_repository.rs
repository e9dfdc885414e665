//! The program carries its rewrite systems, seeds and presets: a name stands for the file.

use crate::common::{cairn, shipped};
use tempfile::TempDir;

fn output(directory: &TempDir, arguments: &[&str]) -> (i32, String, String) {
    let output = cairn(directory).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const QUESTION: [&str; 4] = ["--start", "(+ (* 2 a) 0)", "--target", "(* a 2)"];

#[test]
fn a_name_stands_for_the_shipped_system_unless_a_file_has_it() {
    let directory = tempfile::tempdir().unwrap();
    let explain = |system: &str| {
        output(&directory, &[&["explain", "--system", system], &QUESTION[..]].concat())
    };
    let (code, steps, _) = explain("halide");
    assert_eq!(code, 0);
    assert_eq!(explain(shipped("systems/halide.rules").to_str().unwrap()).1, steps);

    let (code, _, error) = explain("halid");
    assert_eq!(code, 2);
    assert!(
        error.contains("no shipped rewrite system") && error.contains("halide, horner, idioms")
    );

    // A directory is no rewrite system; a file is, whatever is in it.
    std::fs::create_dir(directory.path().join("halide")).unwrap();
    assert_eq!(explain("halide").0, 0);
    std::fs::remove_dir(directory.path().join("halide")).unwrap();
    std::fs::write(directory.path().join("halide"), "(sort I) (sort I)").unwrap();
    let (code, _, error) = explain("halide");
    assert_eq!(code, 2);
    assert!(error.starts_with("error: halide:1:"), "{error}");
}

#[test]
fn a_dataset_from_names_has_the_bytes_of_one_from_files() {
    let directory = tempfile::tempdir().unwrap();
    let generate = |out: &str, arguments: &[&str]| {
        let small = ["--limit", "2", "--nodes", "300", "--quiet", "--out", out];
        let (code, _, error) = output(&directory, &[&["generate"], arguments, &small].concat());
        assert_eq!(code, 0, "{error}");
        std::fs::read(directory.path().join(out).join("dataset_info.json")).unwrap()
    };
    let file = |path: &str| shipped(path).to_str().unwrap().to_owned();
    let of_preset = generate("preset", &["--config", "quickstart"]);
    let of_files = generate(
        "files",
        &[
            "--config",
            &file("dataset/quickstart.toml"),
            "--system",
            &file("systems/halide.rules"),
            "--seeds",
            &file("seeds/halide.txt"),
        ],
    );
    // Hashes of all files, of the system and of the seeds are among it.
    assert_eq!(of_preset, of_files);
    let system = std::fs::read(directory.path().join("preset/system.rules")).unwrap();
    assert_eq!(system, std::fs::read(shipped("systems/halide.rules")).unwrap());

    std::fs::write(directory.path().join("c.toml"), "system = \"halid\"\nseeds = \"halide\"\n")
        .unwrap();
    let (code, _, error) = output(&directory, &["generate", "--config", "c.toml", "--out", "x"]);
    assert_eq!(code, 2);
    assert!(error.starts_with("error: system = \"halid\": no file of this name"), "{error}");
}

#[test]
fn tasks_take_names_of_seeds_and_presets() {
    let directory = tempfile::tempdir().unwrap();
    let (code, _, error) = output(
        &directory,
        &[
            &["tasks", "--config", "quickstart", "--system", "halide", "--seeds", "halide"][..],
            &["--links", "2", "--link-nodes", "100", "--count", "2", "--quiet"],
            &["--out", "tasks.parquet"],
        ]
        .concat(),
    );
    assert_eq!(code, 0, "{error}");
    let (code, _, error) = output(
        &directory,
        &["tasks", "--config", "none", "--system", "halide", "--seeds", "x", "--out", "t.parquet"],
    );
    assert_eq!(code, 2);
    assert!(error.contains("one of default, quickstart"), "{error}");
}

#[test]
fn a_method_that_needs_no_model_leaves_it_alone() {
    let directory = tempfile::tempdir().unwrap();
    let prove = ["prove", "--system", "halide", "--method", "cap", "--model", "nowhere"];
    let (code, _, error) = output(&directory, &[&prove[..], &QUESTION].concat());
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("method 'cap' does not use the model"), "{error}");
    let prove = ["prove", "--system", "halide", "--method", "model"];
    let (code, _, error) = output(&directory, &[&prove[..], &QUESTION].concat());
    assert_eq!(code, 2);
    assert!(error.contains("method 'model' needs a model"), "{error}");
}

#[test]
fn manual_pages_replace_their_own_kind_only() {
    let directory = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        assert_eq!(output(&directory, &["man", "--out", "man1"]).0, 0);
    }
    let page = std::fs::read_to_string(directory.path().join("man1/cairn-prove.1")).unwrap();
    assert!(page.contains("cairn prove \\-\\-system halide"), "{page}");
    std::fs::write(directory.path().join("man1/cairn.1"), "a letter").unwrap();
    assert_eq!(output(&directory, &["man", "--out", "man1"]).0, 2);
    assert!(output(&directory, &["man"]).1.contains(".TH cairn 1"));
    assert!(output(&directory, &["completions", "bash"]).1.contains("complete "));
}
