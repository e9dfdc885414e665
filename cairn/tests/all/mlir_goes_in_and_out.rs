//! `cairn optimise --mlir`, and e-graphs of `cairn saturate` as MLIR. The examples of docs/mlir.md are run.

use crate::common::refusal::{directory, names, refused, write};
use crate::common::{cairn, output};
use assert_cmd::Command;
use tempfile::TempDir;

fn case(name: &str) -> String {
    let path = format!("{}/../interop/tests/mlir/{name}.mlir", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// A directory with the cases that come with the crate `interop`.
fn cases() -> TempDir {
    let directory = directory();
    for name in ["shift", "stores", "two_results", "control_flow"] {
        write(&directory, &format!("{name}.mlir"), &case(name));
    }
    directory
}

fn of_words(directory: &TempDir, words: &str) -> Command {
    let mut command = cairn(directory);
    command.args(words.split_whitespace()).env("MLIR_OPT", "").env("XDSL_OPT", "");
    command
}

#[test]
fn functions_are_optimised_and_proofs_are_kept() {
    let directory = cases();
    for name in ["shift", "stores", "two_results", "control_flow"] {
        let words = format!(
            "optimise --system arith --mlir {name}.mlir --cap 2000 --work 4000 --out {name}"
        );
        let text = output(&mut of_words(&directory, &words));
        let written = directory.path().join(name).join("optimised.mlir");
        assert_eq!(std::fs::read_to_string(written).unwrap(), text);
        for proof in
            names(&directory.path().join(name)).iter().filter(|name| name.ends_with(".json"))
        {
            assert!(text.contains(&format!("; {proof}\n")), "{text}");
            output(&mut of_words(&directory, &format!("check {name}/{proof} --system arith")));
        }
        // The same again, over what is there.
        assert_eq!(output(&mut of_words(&directory, &words)), text);
    }
    let text = std::fs::read_to_string(directory.path().join("shift/optimised.mlir")).unwrap();
    let told = "// @twice %y: (* x 2), cost 6, equals (<< x 1), cost 3; proved in 1 step; 0.json\n";
    assert!(text.starts_with(told), "{text}");
    // Another directory is left alone.
    let other = of_words(&directory, "optimise --system arith --mlir shift.mlir --out .");
    refused(&directory, other, &["already holds something else"]);
}

#[test]
fn e_graphs_go_out_and_come_back() {
    let directory = cases();
    let saturate = |words: &str| {
        let text = output(&mut of_words(
            &directory,
            &format!("saturate --system arith --cost cost --format json {words}"),
        ));
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        (last["e_nodes"].clone(), last["e_classes"].clone())
    };
    let first = saturate("--mlir shift.mlir --nodes 200 --export g.mlir");
    let again = saturate("--mlir g.mlir --iterations 1 --nodes 1 --export h.mlir");
    assert_eq!(again, first);
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let count = |text: &str, of: &str| text.matches(of).count();
    for of in ["equivalence.", "arith.", "eqsat_cost"] {
        assert_eq!(count(&read("g.mlir"), of), count(&read("h.mlir"), of), "{of}");
    }
    // A proof over what the file says names it.
    let words = "saturate --system arith --mlir g.mlir --nodes 300 --goal";
    let text = output(of_words(&directory, words).arg("(<< x 1)"));
    assert!(text.contains("(<< x 1)"), "{text}");
    // Files of others are not replaced.
    let words = "saturate --system arith --mlir shift.mlir --export stores.mlir";
    refused(&directory, of_words(&directory, words), &["stores.mlir"]);
}

#[test]
fn mistakes_are_one_message() {
    let directory = cases();
    write(&directory, "custom.mlir", "func.func @f(%x: i32) -> i32 {\n");
    write(
        &directory,
        "table.rules",
        "(sort I) (op + (I I) I) (variable I)\n(mlir (type I i32)\n  (- \"arith.subi\"))",
    );
    for (words, parts) in [
        (
            "optimise --system arith --mlir custom.mlir",
            &["custom.mlir:1:1: expected an operation in the generic form"][..],
        ),
        ("saturate --system arith --mlir custom.mlir", &["custom.mlir:1:1: "]),
        (
            "optimise --system mba --mlir shift.mlir",
            &["mba says of no operator which operation of MLIR it is"],
        ),
        ("saturate --system mba --term x --export x.mlir", &["mba says of no operator"]),
        (
            "optimise --system table.rules --mlir shift.mlir",
            &["table.rules:3:4: unknown operator '-'"],
        ),
        ("system check table.rules", &["table.rules:3:4: unknown operator '-'"]),
        ("optimise --system arith --mlir none.mlir", &["none.mlir"]),
        ("optimise --system arith --mlir shift.mlir --term x", &["cannot be used with"]),
        (
            "saturate --system arith --mlir control_flow.mlir",
            &["control_flow.mlir:3:3: expected one block in @control_flow"],
        ),
    ] {
        refused(&directory, of_words(&directory, words), parts);
    }
}

/// The commands of the page, each with what it prints below it, of which the page shows a part.
#[test]
fn the_examples_of_the_page_do_what_it_says() {
    let directory = cases();
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/mlir.md")).unwrap();
    let mut shown = String::new();
    let mut ran = 0;
    for line in page.lines() {
        if let Some(command) = line.strip_prefix("    $ cairn ") {
            // What other programs do with it is theirs.
            let command = command.split(" | ").next().unwrap();
            let (words, quoted) = command
                .split_once('\'')
                .map_or((command, None), |(words, rest)| (words, rest.split_once('\'')));
            let mut cairn = of_words(&directory, words);
            if let Some((term, rest)) = quoted {
                cairn.arg(term).args(rest.split_whitespace());
            }
            shown = output(&mut cairn);
            ran += 1;
        } else if let Some(line) = line.strip_prefix("    ").filter(|_| !shown.is_empty()) {
            assert!(
                line.trim() == "…" || shown.contains(line.trim()),
                "'{line}' is not in:\n{shown}"
            );
        } else if !line.is_empty() {
            shown.clear();
        }
    }
    assert!(ran >= 3);
}
