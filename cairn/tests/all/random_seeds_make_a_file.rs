//! `cairn seeds`, from arguments to a file.

use crate::common;
use crate::small_system::{RULES, system};
use egraph::{EGraph, Limits, SaturationConfig, StopReason, TermBank, saturate};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use tempfile::TempDir;
use terms::{load_seeds, rename_variables};

struct Place(TempDir);

fn place() -> Place {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("s.rules"), RULES).unwrap();
    Place(directory)
}

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the command; `out` is a file of this place, and the other arguments are words.
    fn run(&self, out: &str, words: &str) -> anyhow::Result<()> {
        self.run_with("s.rules", out, words)
    }

    fn run_with(&self, rules: &str, out: &str, words: &str) -> anyhow::Result<()> {
        let output = common::cairn(&self.0)
            .args(["seeds", "--quiet", "--system", rules, "--out", out])
            .args(words.split_whitespace())
            .output()?;
        let error = String::from_utf8(output.stderr)?;
        match output.status.code() {
            Some(0) => Ok(()),
            Some(2) => {
                let message = error.strip_prefix("error: ").expect("a message of the program");
                Err(anyhow::Error::msg(message.trim_end().to_owned()))
            }
            code => panic!("exit code {code:?}: {error}"),
        }
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The terms of a seed file, with its bank.
    fn read(&self, name: &str) -> (TermBank, Vec<egraph::TermId>) {
        let system = system();
        let mut bank = TermBank::new(system.language.clone());
        let seeds = load_seeds(&self.path(name).into(), &system, &mut bank, None).unwrap();
        let terms = seeds.into_iter().map(|seed| seed.term).collect();
        (bank, terms)
    }

    /// Expects bad input, and nothing written.
    fn refused(&self, words: &str) -> String {
        let error = self.run("bad.txt", words).expect_err("the command should fail");
        assert_eq!(fs::read_dir(self.0.path()).unwrap().count(), 1, "something was written");
        format!("{error:#}")
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn files_are_read_back_as_distinct_terms_in_normal_form(
        size in 2usize..30,
        variables in 1usize..5,
        seed in any::<u64>(),
        csv in any::<bool>(),
    ) {
        let place = place();
        let name = if csv { "out.csv" } else { "out.txt" };
        // A sum or comparison of leaves has odd size; `if` takes one node more.
        prop_assume!(![2, 4].contains(&size));
        place
            .run(name, &format!("--size {size} --count 10 --variables {variables} --seed {seed}"))
            .unwrap();
        let (mut bank, terms) = place.read(name);
        prop_assert_eq!(terms.iter().collect::<BTreeSet<_>>().len(), 10);
        for term in terms {
            prop_assert_eq!(bank.size(term), size as u64);
            prop_assert!(bank.variables(term).len() <= variables);
            prop_assert_eq!(rename_variables(&mut bank, &[term]), [term]);
        }
    }
}

#[test]
fn one_and_two_threads_give_the_same_bytes_and_more_are_the_same_and_more() {
    let place = place();
    let filter = "--sizes 7..10 --least-nodes 60 --memory 1MiB --iterations 6";
    for words in ["--sizes 7..10", filter] {
        let run = |name: &str, more: &str| {
            place.run(name, &format!("{words} {more}")).unwrap();
            place.text(name)
        };
        let one = run("one.csv", "--count 40 --threads 1");
        assert_eq!(one, run("two.csv", "--count 40 --threads 2"));
        assert_ne!(one, run("other.csv", "--count 40 --seed 1"));
        let more = run("more.csv", "--count 80");
        for line in one.lines() {
            assert!(more.contains(line), "{line}");
        }
        // Each size equally often, whatever others there are.
        let (bank, terms) = place.read("one.csv");
        for size in 7..=10 {
            assert_eq!(terms.iter().filter(|&&t| bank.size(t) == size).count(), 10);
        }
        place.run("nine.csv", &format!("{words} --count 10").replace("7..10", "9..9")).unwrap();
        for line in place.text("nine.csv").lines() {
            assert!(one.contains(line), "{line}");
        }
    }
}

#[test]
fn all_terms_are_found_if_all_are_asked_for_and_no_more() {
    let place = place();
    // (+ l l) and (* l l) over 0 and two names: 00, 0v, v0, vv, vw.
    let all = "--size 3 --sort Int --literals 0 --variables 2 --count";
    place.run("all.txt", &format!("{all} 10")).unwrap();
    assert_eq!(place.read("all.txt").1.len(), 10);
    let text = place.text("all.txt");
    assert!(text.starts_with("; Random terms by cairn seeds "), "{text}");
    assert!(text.contains("\n(+ v0 v1)\n") && text.contains("\n(* 0 0)\n"), "{text}");
    let few = place.run("more.txt", &format!("{all} 11")).unwrap_err().to_string();
    assert!(few.starts_with("there are only 10 terms of 3 nodes, up to the names"), "{few}");
    assert!(!place.path("more.txt").exists());
}

#[test]
fn the_filter_keeps_terms_whose_e_graphs_grow() {
    let place = place();
    let words = "--size 9 --sort Int --count 30 --literals 0,1,2";
    place.run("all.txt", words).unwrap();
    place.run("some.txt", &format!("{words} --least-nodes 100 --iterations 5")).unwrap();
    let grown = |name: &str| {
        let (bank, terms) = place.read(name);
        let reaches = |&&term: &&egraph::TermId| {
            let mut egraph = EGraph::new(system());
            let root = egraph.add_term(&bank, term);
            let limits = Limits { nodes: Some(200), memory: Some(32 << 20), ..Limits::default() };
            let limits = Limits { iterations: Some(5), ..limits };
            let config = SaturationConfig { limits, ..SaturationConfig::default() };
            let report = saturate(&mut egraph, &config, &mut |e, _| {
                if e.node_count() < 100 {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            let large = report.stop == StopReason::Goal || egraph.node_count() >= 100;
            large && egraph.literal(egraph.find(root)).is_none()
        };
        terms.iter().filter(reaches).count()
    };
    assert_eq!(grown("some.txt"), 30);
    assert!(grown("all.txt") < 30);
    assert!(place.text("some.txt").contains("; e-nodes at least 100; constants dropped"));
}

#[test]
fn a_size_of_which_too_few_pass_does_not_stop_the_others() {
    let place = place();
    let rules = "(sort Int) (variable Int) (op + (Int Int) Int)
        (rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
        (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)";
    fs::write(place.path("s.rules"), rules).unwrap();
    let output = common::cairn(&place.0)
        .args(["seeds", "--system", "s.rules", "--out", "some.txt"])
        .args(["--sizes", "3..9", "--count", "40", "--least-nodes", "30"])
        .assert()
        .success();
    let output = output.get_output();
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(error.contains("there are only 2 terms of 3 nodes, up to the names"), "{error}");
    assert!(error.contains("only 0 terms of 5 nodes pass, not 10: "), "{error}");
    let (bank, terms) = place.read("some.txt");
    assert_eq!(terms.iter().filter(|&&term| bank.size(term) == 9).count(), 10);
    let said = String::from_utf8(output.stdout.clone()).unwrap();
    let last = format!("only {} of 40 seeds in some.txt\n", terms.len());
    assert!(said.ends_with(&last), "{said}");
    assert!(place.text("some.txt").contains(&format!("; {} terms of 3 to 9 nodes;", terms.len())));
    let none = place.run("none.txt", "--sizes 3..5 --count 4 --least-nodes 30").unwrap_err();
    let expected = "no term of 3 to 5 nodes passes: ask for fewer --least-nodes";
    assert_eq!(none.to_string(), expected);
    assert!(!place.path("none.txt").exists());
}

#[test]
fn bad_input() {
    let place = place();
    let starts = |words: &str, expected: &str| {
        let message = place.refused(words);
        assert!(message.starts_with(expected), "{message}");
    };
    starts("--size 0 --count 1", "--size 0: expected 1 to 1000 nodes");
    starts("--sizes 3..2000 --count 1", "--sizes 2000: expected 1 to 1000 nodes");
    starts("--size 5 --count 0", "--count 0: expected 1 to");
    let sorts = "--sort Real: unknown sort, expected one of Int, Bool";
    starts("--size 5 --count 1 --sort Real", sorts);
    let none = "--size 2: no term of sort Int has 2 nodes; the next smaller terms have 1";
    starts("--size 2 --count 1 --sort Int", none);
    starts("--sizes 2..2 --count 1", "--sizes 2..2: no term has 2 to 2 nodes; the next");
    starts(
        "--size 3 --count 1 --variables 0 --literals none",
        "--size 3: no term has 3 nodes; nor",
    );
    starts("--sizes 5..9 --count 2", "--count 2: expected at least 5, one for each size");
    let lone = "--size 1: a seed file can't say that a lone 0 is of sort Bool";
    starts("--size 1 --count 1", lone);
    place.run("one.txt", "--size 1 --count 5 --sort Int").unwrap();
    fs::remove_file(place.path("one.txt")).unwrap();
    let filter = "--size 5 --count 3 --least-nodes";
    starts(&format!("{filter} 0"), "--least-nodes 0: expected at least 1");
    starts(&format!("{filter} 9 --nodes 8"), "--nodes 8: expected at least --least-nodes 9");
    let few = place
        .refused("--size 3 --count 3 --literals 0 --variables 1 --least-nodes 50 --iterations 1");
    assert!(few.starts_with("only 0 terms of 3 nodes pass, not 3: "), "{few}");
    assert!(few.contains(" met a limit too early"), "{few}");
    let usage = |words: &str, part: &str| {
        let message = place.refused(words);
        assert!(message.contains(part), "{message}");
    };
    usage("--count 1", "<--size <N>|--sizes <A..B>>");
    usage("--size 5 --sizes 5..6 --count 1", "cannot be used with");
    usage("--sizes 7..5 --count 1", "expected the least and the largest size, as 10..20");
    usage("--size 5 --count 1 --literals 1,x", "expected numbers as -2,0,1/2, or none");
    usage("--size 5 --count 1 --nodes 100", "--least-nodes <N>");
    usage("--size 5 --count 1 --keep-constants", "--least-nodes <N>");
}

#[test]
fn options_that_a_system_has_no_use_for() {
    let place = place();
    fs::write(place.path("b.rules"), "(sort B) (literal bool B) (op & (B B) B)").unwrap();
    let refused = |words: &str| {
        let error = place.run_with("b.rules", "b.txt", words).unwrap_err();
        assert!(!place.path("b.txt").exists());
        error.to_string()
    };
    let few = refused("--size 3 --count 9 --literals 0,1");
    assert!(few.starts_with("there are only 4 terms of 3 nodes"), "{few}");
    let five = refused("--size 3 --count 1 --literals 0,5");
    assert_eq!(five, "--literals: 5 is not a literal of any sort of the system");
    place.run_with("b.rules", "c.txt", "--size 3 --count 4 --literals 0,1").unwrap();
    assert!(place.text("c.txt").contains("\n; variables: none, for no sort has any\n"));
    let variables = refused("--size 3 --count 1 --variables 2");
    assert_eq!(variables, "--variables 2: the system has no sort with variables");
}
