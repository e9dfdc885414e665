//! Every kind of bad input: one clear message, exit code 2, and nothing written.

use crate::common::refusal::{SYSTEM, directory, evaluate, names, refused, write};
use crate::common::{cairn, shipped};
use assert_cmd::Command;
use tempfile::TempDir;

fn tasks(directory: &TempDir) -> Command {
    let mut command = cairn(directory);
    command.args(["tasks", "--system", "s.rules", "--seeds", "seeds.txt"]);
    command.args(["--out", "tasks.parquet", "--quiet"]);
    command
}

#[test]
fn a_malformed_rule_with_line_and_column() {
    let directory = directory();
    write(&directory, "s.rules", &format!("{SYSTEM}(rewrite (+ ?a ?b ?c) ?a)\n"));
    refused(&directory, tasks(&directory), &["s.rules:3:10", "takes 2 arguments, found 3"]);
}

#[test]
fn an_unbound_variable_on_a_right_hand_side() {
    let directory = directory();
    write(&directory, "s.rules", &format!("{SYSTEM}(rewrite (+ ?a 0) (+ ?a ?x))\n"));
    refused(&directory, tasks(&directory), &["s.rules:3:", "?x"]);
}

#[test]
fn a_seed_with_an_unknown_operator_or_wrong_arity() {
    let directory = directory();
    write(&directory, "seeds.txt", "(+ a 1)\n(- a 1)\n");
    refused(&directory, tasks(&directory), &["seeds.txt:2:2", "unknown operator '-'"]);
    write(&directory, "seeds.txt", "(+ a 1)\n(+ a)\n");
    refused(&directory, tasks(&directory), &["seeds.txt:2:1", "takes 2 arguments, found 1"]);
}

#[test]
fn an_empty_seed_file() {
    let directory = directory();
    write(&directory, "seeds.txt", "; none\n");
    refused(&directory, tasks(&directory), &["seeds.txt", "no seed"]);
}

#[test]
fn links_that_need_more_memory_than_they_may_have() {
    let directory = directory();
    for name in ["link-nodes", "beyond"] {
        for nodes in ["4194305", "18446744073709551615"] {
            let mut command = tasks(&directory);
            command.args([&format!("--{name}"), nodes]);
            let expected =
                [&format!("{name}: an e-graph of {nodes} e-nodes"), "256MiB", "--memory"];
            refused(&directory, command, &expected);
        }
    }
    // So many may fit, and do not.
    let mut command = cairn(&directory);
    command.args(["tasks", "--system", "halide", "--seeds", "halide", "--out", "t.parquet"]);
    command.args([
        "--link-nodes",
        "20000",
        "--beyond",
        "20000",
        "--memory",
        "1300KiB",
        "--rounds",
        "1",
    ]);
    refused(&directory, command, &["no chain came about", "needs more memory than it may have"]);
}

#[test]
fn a_missing_or_truncated_parquet_file() {
    let directory = directory();
    refused(&directory, evaluate(&directory, "no.parquet"), &["no.parquet", "cannot read"]);
    write(&directory, "cut.parquet", "PAR1 and no more");
    refused(&directory, evaluate(&directory, "cut.parquet"), &["cut.parquet", "Parquet"]);
}

#[test]
fn a_missing_model_or_a_truncated_safetensors_file() {
    let directory = directory();
    write(&directory, "tasks.txt", "(+ a b) (+ b a)\n");
    let mut command = evaluate(&directory, "tasks.txt");
    command.args(["--model", "nowhere"]);
    refused(&directory, command, &["nowhere"]);
    std::fs::create_dir(directory.path().join("model")).unwrap();
    write(&directory, "model/config.json", "{");
    write(&directory, "model/model.safetensors", "cut");
    let mut command = evaluate(&directory, "tasks.txt");
    command.args(["--model", "model"]);
    refused(&directory, command, &["model"]);
}

/// Writes tasks.parquet with one task.
fn write_task(directory: &TempDir, system: &str, id: &str) {
    let system = egraph::System::load(&directory.path().join(system)).unwrap();
    let task = guided_search::Task {
        id: id.into(),
        seed_id: "t".into(),
        start: "(+ a b)".into(),
        target: "(+ b a)".into(),
        waypoints: vec![],
        links: 1,
        family: None,
    };
    let origin = guided_search::TaskOrigin { system_hash: system.hash, ..Default::default() };
    let set = guided_search::TaskSet { origin, tasks: vec![task] };
    set.save(&directory.path().join("tasks.parquet")).unwrap();
}

#[test]
fn tasks_of_another_rewrite_system() {
    let directory = directory();
    write(&directory, "other.rules", &format!("; another\n{SYSTEM}"));
    write_task(&directory, "other.rules", "t");
    let parts = ["tasks.parquet", "another rewrite system"];
    refused(&directory, evaluate(&directory, "tasks.parquet"), &parts);
}

#[test]
fn a_task_whose_id_leads_elsewhere() {
    let directory = directory();
    for id in ["../../t", "a/b", ""] {
        write_task(&directory, "s.rules", id);
        let parts = ["tasks.parquet", "is not made of letters"];
        refused(&directory, evaluate(&directory, "tasks.parquet"), &parts);
    }
}

#[test]
fn an_unknown_key_in_a_configuration_file() {
    let directory = directory();
    write(&directory, "c.toml", "[tasks]\nlinks = 4\nlinkz = 5\n");
    let mut command = tasks(&directory);
    command.args(["--config", "c.toml"]);
    refused(&directory, command, &["c.toml:3:", "linkz"]);
}

#[test]
fn an_output_directory_that_holds_something_else() {
    let directory = directory();
    write(&directory, "tasks.txt", "(+ a b) (+ b a)\n");
    std::fs::create_dir(directory.path().join("results")).unwrap();
    write(&directory, "results/thesis.txt", "years of work");
    refused(&directory, evaluate(&directory, "tasks.txt"), &["results", "already holds", "thesis"]);
    assert_eq!(names(&directory.path().join("results")), ["thesis.txt"]);
    let mut command = cairn(&directory);
    command.args(["quickstart", "--out", "results", "--quiet"]);
    refused(&directory, command, &["results", "already holds", "thesis"]);
}

#[test]
fn results_of_other_settings_are_not_mixed() {
    let directory = directory();
    write(&directory, "tasks.txt", "(+ a b) (+ b a)\n");
    evaluate(&directory, "tasks.txt").assert().success();
    let mut command = evaluate(&directory, "tasks.txt");
    command.args(["--guides", "3"]);
    refused(&directory, command, &["results", "other settings"]);
    // The same settings are no mistake: there is nothing left to do.
    evaluate(&directory, "tasks.txt").assert().success();
}

#[test]
fn results_on_other_tasks_are_not_mixed() {
    let directory = directory();
    write(&directory, "tasks.csv", "id,start,target\nt,(+ a b),(+ b a)\n");
    evaluate(&directory, "tasks.csv").assert().success();
    write(&directory, "tasks.csv", "id,start,target\nt,(+ a b),(+ b c)\n");
    refused(
        &directory,
        evaluate(&directory, "tasks.csv"),
        &["results", "on other tasks: what the same command reads has changed since"],
    );
    write(&directory, "tasks.csv", "id,start,target\nt,(+ a b),(+ b a)\n");
    evaluate(&directory, "tasks.csv").assert().success();
}

#[test]
fn an_error_is_told_once() {
    let directory = directory();
    write(&directory, "s.rules", &format!("{SYSTEM}(rewrite (+ ?a 0) (+ ?a ?x))\n"));
    let error = refused(&directory, tasks(&directory), &["s.rules:3:", "?x is not bound"]);
    assert_eq!(error.matches("is not bound").count(), 1, "{error}");
    std::fs::create_dir(directory.path().join("d.rules")).unwrap();
    let mut command = cairn(&directory);
    command.args(["tasks", "--system", "d.rules", "--seeds", "seeds.txt", "--out", "t.parquet"]);
    let error = refused(&directory, command, &["d.rules", "directory"]);
    assert_eq!(error.matches("directory").count(), 1, "{error}");
    write(&directory, "s.rules", SYSTEM);
    std::fs::create_dir(directory.path().join("d.parquet")).unwrap();
    let error = refused(&directory, evaluate(&directory, "d.parquet"), &["d.parquet", "directory"]);
    assert_eq!(error.matches("directory").count(), 1, "{error}");
    write(&directory, "p.json", "{\"format\": ");
    let mut command = cairn(&directory);
    command.args(["check", "p.json", "--system", "s.rules"]);
    let error = refused(&directory, command, &["p.json", "not a proof file", "EOF"]);
    assert_eq!(error.matches("EOF").count(), 1, "{error}");
}

#[test]
fn a_rewrite_system_without_sorts_or_in_another_encoding() {
    let directory = directory();
    write(&directory, "s.rules", "; nothing\n");
    refused(&directory, tasks(&directory), &["s.rules:1:1", "expected at least one (sort Name)"]);
    std::fs::write(directory.path().join("s.rules"), b"(sort I)\n; \xff").unwrap();
    refused(&directory, tasks(&directory), &["s.rules:2:3", "UTF-8"]);
}

#[test]
fn terms_sketches_and_methods_that_are_none() {
    let directory = directory();
    let saturate = |term: &str, goal: &str| {
        let mut command = cairn(&directory);
        command.args(["saturate", "--system", "s.rules", "--term", term, "--goal", goal]);
        command
    };
    refused(&directory, saturate("(+ a", "?"), &["--term", "1:1", "never closed"]);
    refused(&directory, saturate("(+ a b)", "(contain ?)"), &["--goal", "1:2", "contain"]);
    let mut command = cairn(&directory);
    command.args(["prove", "--system", "s.rules", "--start", "a", "--target", "b"]);
    command.args(["--method", "magic"]);
    let output = command.assert().code(2);
    let error = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(error.contains("unknown method 'magic'"), "{error}");
}

#[test]
fn questions_whose_terms_do_not_fit() {
    let directory = directory();
    write(&directory, "s.rules", &format!("(sort B) (op < (I I) B)\n{SYSTEM}"));
    let question = |command: &str, from: &str, to: &str| {
        let mut question = cairn(&directory);
        question.args([command, "--system", "s.rules", "--start", from, "--target", to]);
        question
    };
    for command in ["explain", "prove"] {
        let wrong = question(command, "(+ a b)", "(+ a");
        refused(&directory, wrong, &["--target '(+ a': 1:1"]);
        let wrong = question(command, "x", "(< a b)");
        refused(&directory, wrong, &["--start 'x'", "has sort I, but (< a b) has sort B"]);
        let wrong = question(command, &"x(".repeat(40_000), "a");
        let error = refused(&directory, wrong, &["--start"]);
        assert!(error.len() < 1_000, "{} bytes", error.len());
    }
    write(&directory, "tasks.csv", "start,target\na,(+ a\n");
    refused(&directory, evaluate(&directory, "tasks.csv"), &["tasks.csv:2:3", "never closed"]);
    std::fs::write(directory.path().join("seeds.txt"), b"(+ a 1)\n; \xff").unwrap();
    refused(&directory, tasks(&directory), &["seeds.txt:2:3", "UTF-8"]);
}

#[test]
fn a_negative_number_is_a_term() {
    let directory = directory();
    let arguments: [&[&str]; 3] = [
        &["saturate", "--term", "-5", "--goal", "-5"],
        &["explain", "--start", "-5", "--target", "-5"],
        &["prove", "--start", "-5", "--target", "-5", "--quiet"],
    ];
    for arguments in arguments {
        cairn(&directory).args(arguments).args(["--system", "s.rules"]).assert().success();
    }
}

#[test]
fn numbers_out_of_their_range() {
    let directory = directory();
    write(&directory, "tasks.txt", "(+ a b) (+ b a)\n");
    for (option, value, message) in [
        ("--guides", "0", "guides 0: expected 1 to 1000"),
        ("--guides", "100000", "guides 100000: expected 1 to 1000"),
        ("--walk", "0", "walk 0: expected 1 to 1000"),
        ("--drawn", "1001", "drawn 1001: expected 1 to 1000"),
        ("--expansion", "0", "'0' is too small"),
        ("--work", "0", "work: expected at least 1 e-node"),
        ("--cap", "0", "'0' is too small"),
        ("--cap", "0MiB", "'0MiB' is too small"),
        ("--cap", "99999999999GiB", "is too large"),
    ] {
        let mut command = evaluate(&directory, "tasks.txt");
        command.args([option, value]);
        refused(&directory, command, &[message]);
        let mut command = cairn(&directory);
        command
            .args(["prove", "--system", "s.rules", "--start", "a", "--target", "b", option, value]);
        refused(&directory, command, &[message]);
    }
    let mut command = tasks(&directory);
    command.args(["--beyond", "0"]);
    refused(&directory, command, &["beyond: expected at least 1 e-node"]);
    for size in ["0MiB", "0", "+5MiB", "99999999999GiB"] {
        let mut command = cairn(&directory);
        command.args(["saturate", "--system", "s.rules", "--term", "a", "--memory", size]);
        refused(&directory, command, &["--memory", size]);
    }
    for (number, message) in [("many", "expected a whole number"), ("", "expected a whole number")]
    {
        let mut command = evaluate(&directory, "tasks.txt");
        command.args(["--guides", number]);
        refused(&directory, command, &["--guides", message]);
    }
    let mut command = evaluate(&directory, "tasks.txt");
    command.args(["--work", "99999999999999999999"]);
    refused(&directory, command, &["--work", "the number is too large"]);
    let mut command = cairn(&directory);
    command.args(["quickstart", "--out", "q", "--threads", "0", "--quiet"]);
    refused(&directory, command, &["--threads 0"]);
}

#[test]
fn a_device_without_a_model() {
    let directory = directory();
    write(&directory, "tasks.txt", "(+ a b) (+ b a)\n");
    let mut prove = cairn(&directory);
    prove.args(["prove", "--system", "s.rules", "--start", "a", "--target", "b"]);
    for mut command in [prove, evaluate(&directory, "tasks.txt")] {
        command.args(["--device", "cpu"]);
        let output = command.assert().code(2);
        let error = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(error.contains("--model <DIR>"), "{error}");
    }
}

#[test]
fn a_directory_without_results_has_no_report() {
    let directory = directory();
    let mut command = cairn(&directory);
    command.args(["report", "."]);
    refused(&directory, command, &["evaluation.json", "no results"]);
    let mut command = cairn(&directory);
    command.args(["report", "nosuch"]);
    let error = refused(&directory, command, &["there is no directory nosuch"]);
    assert!(!error.contains("evaluation.json"), "{error}");
}

#[test]
fn terms_that_are_huge_as_trees_are_printed_in_part() {
    let directory = directory();
    let system = egraph::System::load(&directory.path().join("s.rules")).unwrap();
    let mut terms = vec![r#"{"leaf": "a", "sort": "I"}"#.to_owned()];
    terms.extend((0..60).map(|i| format!(r#"{{"op": "+", "args": [{i}, {i}]}}"#)));
    let proof = format!(
        r#"{{"format": "cairn-proof", "version": 1, "system": "{}", "start": 60, "end": 60,
        "terms": [{}], "steps": [{{"from": 60, "to": 60, "how": {{"chain": []}}}}], "root": 0}}"#,
        system.hash,
        terms.join(", ")
    );
    write(&directory, "p.json", &proof);
    let output = cairn(&directory)
        .args(["check", "p.json", "--system", "s.rules"])
        .timeout(std::time::Duration::from_secs(60))
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("accepted: (+ (+ (+ ") && text.contains('…'), "{text:.100}");
    assert!(text.len() < 200_000, "{} bytes", text.len());
}

#[test]
fn a_refused_proof() {
    let directory = directory();
    let halide = shipped("systems/halide.rules");
    let mut command = cairn(&directory);
    command.args(["explain", "--start", "(+ (* 2 a) 0)", "--target", "(* a 2)", "--out", "p.json"]);
    command.arg("--system").arg(&halide).assert().success();
    let text = std::fs::read_to_string(directory.path().join("p.json")).unwrap();
    write(&directory, "p.json", &text.replace("add-zero", "mul-one"));
    let mut command = cairn(&directory);
    command.args(["check", "p.json", "--system"]).arg(&halide);
    refused(&directory, command, &["p.json"]);
    write(&directory, "p.json", &text[..text.len() / 2]);
    let mut command = cairn(&directory);
    command.args(["check", "p.json", "--system"]).arg(&halide);
    refused(&directory, command, &["p.json"]);
}

#[test]
fn a_name_can_not_forge_what_is_printed() {
    let directory = directory();
    let mut command = cairn(&directory);
    command.args(["saturate", "--system", "s.rules", "--term", "(+ a\u{202e}b \u{1b}[2Kc)"]);
    let output = command.assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("a\\u202eb") && text.contains("\\u001b[2Kc"), "{text}");
    assert!(!text.contains('\u{202e}') && !text.contains('\u{1b}'), "{text}");
}
