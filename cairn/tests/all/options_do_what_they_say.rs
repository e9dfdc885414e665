//! Options that no other test gives: each changes what its help says.

use crate::common::{cairn, number, run};
use tempfile::TempDir;

/// Both outputs of a command that ends with this code.
fn outputs(directory: &TempDir, code: i32, arguments: &[&str]) -> [String; 2] {
    let done = cairn(directory).args(arguments).assert().code(code);
    let output = done.get_output();
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

fn said(directory: &TempDir, arguments: &str) -> String {
    let [out, _] = outputs(directory, 0, &arguments.split_whitespace().collect::<Vec<_>>());
    out
}

/// Of all splits of a dataset that was inspected.
fn all_triples(text: &str) -> f64 {
    ["train", "validation", "test"]
        .map(|split| text.lines().find(|line| line.starts_with(split)).unwrap())
        .map(|line| number(line, "triples"))
        .iter()
        .sum()
}

#[test]
fn saturate_shows_details_and_steps_are_logged() {
    let directory = tempfile::tempdir().unwrap();
    let plain = ["saturate", "--system", "ring", "--iterations", "2", "--term", "(+ a (+ b 0))"];
    let [out, log] = outputs(&directory, 0, &plain);
    let [detailed, _] = outputs(&directory, 0, &[&plain[..], &["--details"]].concat());
    assert!(detailed.starts_with(&out.lines().next().unwrap()[..10]));
    let rules = ["add-comm", "add-assoc"].map(|rule| (out.contains(rule), detailed.contains(rule)));
    assert!(rules.contains(&(false, true)), "{detailed}");
    assert!(log.is_empty(), "{log}");
    let question =
        ["prove", "--system", "ring", "--start", "(+ a (+ b c))", "--target", "(+ c (+ b a))"];
    let [_, quiet] = outputs(&directory, 0, &question);
    let [_, verbose] = outputs(&directory, 0, &[&["--verbose"], &question[..]].concat());
    assert!(!quiet.contains("DEBUG") && verbose.contains("DEBUG"), "{verbose}");
}

#[test]
fn optimise_without_the_shipped_ranker_orders_matches_in_another_way() {
    let directory = tempfile::tempdir().unwrap();
    let term = "(+ (* a (+ b c)) (* (- 0 a) (+ c (* b 1))))";
    let base = [
        "optimise",
        "--system",
        "ring",
        "--scheduler",
        "best-first",
        "--work",
        "20000",
        "--cost",
        "size",
    ];
    let base = [&base[..], &["--patience", "off", "--term", term]].concat();
    let [ranked, _] = outputs(&directory, 0, &base);
    let [unranked, _] = outputs(&directory, 0, &[&base[..], &["--no-ranker"]].concat());
    assert!(ranked.contains("work") && ranked != unranked, "{ranked}");
}

#[test]
fn searches_take_slack_and_certainty_within_their_bounds() {
    let directory = tempfile::tempdir().unwrap();
    let base = ["prove", "--system", "ring", "--method", "deep", "--cap", "60", "--work", "4000"];
    let from = "(* (+ a b) (+ a (+ b (* c d))))";
    let to = "(+ (* a a) (+ (* (* 2 a) b) (+ (* b b) (* (+ a b) (* d c)))))";
    let base = [&base[..], &["--start", from, "--target", to]].concat();
    // Where terms may be much larger than the smallest one, the search goes other ways.
    let with = |slack: &str| {
        let done = cairn(&directory).args(&base).args(["--slack", slack]).output().unwrap();
        assert!([Some(0), Some(3)].contains(&done.status.code()), "{done:?}");
        [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    assert_ne!(with("0"), with("40"));
    let [_, refused] = outputs(&directory, 2, &[&base[..], &["--certain", "1.5"]].concat());
    assert!(refused.contains("certain 1.5: expected 0 to 1"), "{refused}");
    // It belongs to what a model writes; for others it is no mistake.
    assert!(
        [0, 3].contains(
            &cairn(&directory)
                .args(&base)
                .args(["--certain", "0"])
                .output()
                .unwrap()
                .status
                .code()
                .unwrap()
        )
    );
}

#[test]
fn proofs_are_split_by_scheme_length_and_stride() {
    let directory = tempfile::tempdir().unwrap();
    run(&directory, "generate --system halide --seeds halide --limit 8 --nodes 500 --out data");
    let triples = |name: &str, options: &str| {
        run(&directory, &format!("split data --out {name} {options}"));
        said(&directory, &format!("verify {name}"));
        all_triples(&said(&directory, &format!("inspect {name}")))
    };
    let whole = triples("whole", "--scheme whole");
    let short = triples("short", "--scheme window --length 2 --stride 1");
    let long = triples("long", "--scheme window --length 6 --stride 1");
    let apart = triples("apart", "--scheme window --length 2 --stride 4");
    assert!(whole < short && long < short && apart < short, "{whole} {short} {long} {apart}");
}

#[test]
fn data_sets_take_chains_and_far_ones() {
    let directory = tempfile::tempdir().unwrap();
    let base = "generate --system halide --seeds halide --limit 6 --nodes 300";
    let triples = |name: &str, options: &str| {
        run(&directory, &format!("{base} --out {name} {options}"));
        all_triples(&said(&directory, &format!("inspect {name}")))
    };
    let without = triples("without", "");
    let with = triples("with", "--chains 2 --links 2");
    let far = triples("far", "--chains 2 --links 2 --far");
    assert!(with > without, "{without} {with}");
    assert!((without..=with).contains(&far), "{without} {far} {with}");
}

#[test]
fn a_fraction_of_the_data_is_trained_on() {
    let directory = tempfile::tempdir().unwrap();
    run(&directory, "generate --system halide --seeds halide --limit 12 --nodes 500 --out data");
    let all = "train --data data --config tiny --steps 1 --out";
    let with = |name: &str, options: &str| {
        let arguments = format!("{all} {name} {options}");
        let [_, notes] = outputs(&directory, 0, &arguments.split_whitespace().collect::<Vec<_>>());
        number(&notes, "triples")
    };
    let (all, half) = (with("all", ""), with("half", "--fraction 0.5"));
    assert!(half < all && half > 0.0, "{half} {all}");
}

#[test]
fn checks_of_an_egglog_program_become_tasks() {
    let directory = tempfile::tempdir().unwrap();
    let program = "(datatype Math (Num i64) (Add Math Math))
        (rewrite (Add a b) (Add b a))
        (let sum (Add (Num 1) (Num 2)))
        (run 2)
        (check (= sum (Add (Num 2) (Num 1))))";
    std::fs::write(directory.path().join("sum.egg"), program).unwrap();
    said(&directory, "system import sum.egg --out sum.rules --checks checks.txt");
    let checks = std::fs::read_to_string(directory.path().join("checks.txt")).unwrap();
    assert!(checks.ends_with("(Add (Num 1) (Num 2)) (Add (Num 2) (Num 1))\n"), "{checks}");
}

#[test]
fn old_names_do_what_they_did_and_say_the_new_ones() {
    let directory = tempfile::tempdir().unwrap();
    let renamed = |old: &[&str], new: &[&str], names: &[(&str, &str)]| {
        let [out, said] = outputs(&directory, 0, old);
        assert_eq!(out, outputs(&directory, 0, new)[0]);
        for (old, new) in names {
            let warning = format!("warning: {old} is called {new} now");
            assert_eq!(said.matches(&warning).count(), 1, "{said}");
        }
        assert!(!outputs(&directory, 0, new)[1].contains("warning"));
    };
    for command in ["explain", "prove"] {
        let base = [command, "--system", "ring", "--quiet"];
        renamed(
            &[&base[..], &["--from", "(+ a b)", "--to=(+ b a)"]].concat(),
            &[&base[..], &["--start", "(+ a b)", "--target=(+ b a)"]].concat(),
            &[("--from", "--start"), ("--to", "--target")],
        );
    }
    let base = ["optimise", "--system", "ring", "--term", "(+ a (+ a 0))", "--shared"];
    renamed(
        &[&base[..], &["--exact", "9"]].concat(),
        &[&base[..], &["--exact-time", "9"]].concat(),
        &[("--exact", "--exact-time")],
    );
    // In a preset, too.
    let tasks = "tasks --system halide --seeds halide --links 2 --link-nodes 100 --count 2 --quiet";
    let made = |options: &str, out: &str| {
        let words = format!("{tasks} {options} --out {out}");
        outputs(&directory, 0, &words.split_whitespace().collect::<Vec<_>>())[1].clone()
    };
    std::fs::write(directory.path().join("old.toml"), "[tasks]\ncap = 150\n").unwrap();
    assert!(made("--cap 150", "a.parquet").contains("--cap is called --beyond now"));
    assert!(
        made("--config old.toml", "b.parquet")
            .contains("old.toml: warning: cap is called beyond now")
    );
    assert_eq!(made("--beyond 150", "c.parquet"), "");
    let bytes = ["a", "b", "c"]
        .map(|name| std::fs::read(directory.path().join(format!("{name}.parquet"))).unwrap());
    assert!(bytes[0] == bytes[1] && bytes[1] == bytes[2]);
}

#[test]
fn optimise_takes_one_term_or_many_or_a_file_of_mlir() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |options: &str, expected: &[&str]| {
        let words = format!("optimise --system ring {options}");
        let [_, said] = outputs(&directory, 2, &words.split_whitespace().collect::<Vec<_>>());
        assert!(expected.iter().all(|part| said.contains(part)), "{options}: {said}");
    };
    for (options, expected) in [
        ("", &["--term <TERM>"][..]),
        ("--term a --c b", &["--term", "--c", "cannot be used with"]),
        ("--term a --terms t.txt --out o", &["--term", "--terms", "cannot be used with"]),
        ("--term a --mlir f.mlir", &["--mlir", "cannot be used with"]),
        ("--term a --shard 0/2", &["--shard", "cannot be used with"]),
        ("--terms t.txt --tasks t.txt --out o", &["--tasks", "cannot be used with"]),
        ("--terms t.txt --mlir f.mlir --out o", &["--mlir", "cannot be used with"]),
        ("--term a --llvm f.ll", &["--llvm", "cannot be used with"]),
        ("--terms t.txt --llvm f.ll --out o", &["--llvm", "cannot be used with"]),
        ("--llvm f.ll --mlir f.mlir", &["--llvm", "cannot be used with"]),
        ("--llvm f.ll --goal a", &["--goal", "cannot be used with"]),
        ("--terms t.txt", &["--out <FILE>"]),
        ("--terms t.txt --out o --time 3", &["--time", "cannot be used with"]),
        ("--terms t.txt --out o --picture p", &["--picture", "cannot be used with"]),
        ("--terms t.txt --out o --format json", &["--format", "cannot be used with"]),
        ("--tasks t.txt --out o --goal a", &["--goal", "cannot be used with"]),
        ("--mlir f.mlir --goal a", &["--goal", "cannot be used with"]),
        ("--mlir f.mlir --no-shorten", &["--no-shorten", "cannot be used with"]),
        ("--mlir f.mlir --exact-time 3 --shared", &["--exact-time", "cannot be used with"]),
        ("--term a --exact-time 3", &["--exact-time: expected shared"]),
        ("--term a --guides 3", &["--guides: expected a model"]),
        ("--term a --device cpu", &["--model <DIR>"]),
        ("--term a --first", &["--first: ", "expected a goal"]),
        ("--term a --strategy (run) --patience 3", &["--strategy: "]),
        ("--term a --ranker ring --scheduler simple", &["--ranker: ", "mixed or best-first"]),
        ("--term a --ranker ring --no-ranker", &["--no-ranker", "cannot be used with"]),
    ] {
        refused(options, expected);
    }
}

#[test]
fn what_an_option_has_no_use_for_is_said() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("t.csv"), "start,target\n(+ a b),(+ b a)\n").unwrap();
    for (words, code, expected) in [
        ("generate --system ring --seeds ring --far --out d", 2, "--far is about chains"),
        ("generate --system ring --seeds ring --links 4 --out d", 2, "--links is about chains"),
        ("generate --system ring --seeds ring --nodes 0 --out d", 2, "nodes = 0: expected at"),
        (
            "evaluate --system ring --tasks t.csv --optimisers ranked --out d",
            2,
            "cannot be used with '--optimisers",
        ),
        (
            "evaluate --system ring --tasks t.csv --cost size --out d",
            2,
            "cannot be used with '--cost",
        ),
        ("learn --system ring --out d", 2, "<--tasks <FILE>|--seeds <FILE>>"),
        (
            "prove --system ring --start (+_a_b) --target (+_b_a) --method deep --ranker ring",
            0,
            "method 'deep' does not use the ranker",
        ),
    ] {
        let words: Vec<String> = words.split(' ').map(|word| word.replace('_', " ")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let [_, said] = outputs(&directory, code, &words);
        assert!(said.contains(expected), "{words:?}: {said}");
        assert!(!directory.path().join("d").exists());
    }
}
