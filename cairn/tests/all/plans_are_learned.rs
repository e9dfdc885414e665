//! From goals that one e-graph reaches to a model that plans: `optimise --tasks`, `plans`, `verify`, `train`, and
//! `optimise --model`, with the same bytes whatever the number of threads.

use crate::common::{cairn, run};
use dataset_gen::{Split, read_triples};
use guided_search::{OPTIMISED_FILE, OptimisedRow};
use std::fs;
use support::read_table;
use tempfile::TempDir;

const TASKS: &str = "\
(m (* n1 32) (m (* n2 32) f)) (contains (m n1 (m n2 (m 32 (m 32 f)))))
(m (* n1 32) (m (* n2 32) f)) (contains (m 32 (m n2 (m n1 (m 32 f)))))
(m a (m b (m c f))) (contains (m c (m a (m b f))))
(m a (m b (m c (m d f)))) (contains (m a (m c (m b (m d f)))))
(m a (m b f)) (contains (m b (m c f)))
";

fn here() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tasks.txt"), TASKS).unwrap();
    directory
}

const SEARCH: &str = "optimise --system tiling --cost size --tasks tasks.txt --first --quiet";

/// Runs `SEARCH`, one goal of which nothing reaches, and returns what it says.
fn search(directory: &TempDir, options: &str) -> String {
    let arguments = format!("{SEARCH} {options}");
    let done = cairn(directory).args(arguments.split(' ')).assert().code(3);
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

#[test]
fn what_one_egraph_reaches_is_learned_from() {
    let directory = here();
    let path = |name: &str| directory.path().join(name);
    let said = search(&directory, "--scheduler backoff --cap 20000 --work 20000 --out found");
    assert!(said.contains("goals reached: 4 of 5"), "{said}");
    let rows: Vec<OptimisedRow> = read_table(&path("found").join(OPTIMISED_FILE)).unwrap();
    assert_eq!(rows[2].goal, "(contains (m c (m a (m b f))))");
    assert!(rows[2].best.contains("(m c (m a (m b f)))") && rows[4].best.is_empty());

    run(&directory, "plans found --ahead 3 --out data");
    run(&directory, "verify data");
    let triples = [Split::Train, Split::Validation].map(|split| {
        let triples = read_triples(&path("data"), split).unwrap();
        assert!(!triples.is_empty());
        triples
    });
    for triple in triples.concat() {
        // The goal is what is wanted, without what is around it; the last steps lead to it.
        assert!(triple.target.starts_with("(m ") && !triple.target.contains('o'), "{triple:?}");
        assert!((1..=3).contains(&triple.steps_start_guide));
        assert_eq!(triple.guide == triple.target, triple.steps_guide_target == 0);
    }

    // What was found is believed only as it was written.
    for (name, from, to) in [
        ("optimisation.json", "\"size\"", "\"cost\""),
        ("rows/0.json", "n1", "n3"),
        ("proofs/0.json", "n1", "n3"),
    ] {
        let file = path("found").join(name);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace(from, to)).unwrap();
        let done = cairn(&directory).args(["plans", "found", "--out", "no"]).assert().code(2);
        let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(said.contains(&format!("{name} is not as it was written")), "{said}");
        fs::write(&file, text).unwrap();
    }

    run(&directory, "train --data data --out model --config planner --steps 4");
    let plan = "--model model --guides 4 --cap 2000 --work 20000";
    let said = search(&directory, &format!("{plan} --threads 1 --out one"));
    search(&directory, &format!("{plan} --threads 2 --out two"));
    let table = |name: &str| fs::read(path(name).join(OPTIMISED_FILE)).unwrap();
    assert!(table("one") == table("two"), "{said}");
    for row in read_table::<OptimisedRow>(&path("one").join(OPTIMISED_FILE)).unwrap() {
        assert!(row.work < 24_000, "{row:?}");
        if !row.proof_file.is_empty() {
            let check = ["check", "--system", "tiling", &format!("one/{}", row.proof_file)];
            cairn(&directory).args(check).assert().success();
        }
    }
    let one = "optimise --system tiling --cost size --term (m,a,(m,b,f)) --goal (contains,(m,b,(m,a,f))) --first";
    let arguments = format!("{one} --model model --cap 2000");
    let arguments = arguments.split(' ').map(|argument| argument.replace(',', " "));
    cairn(&directory).args(arguments).assert().success();
}

#[test]
fn what_can_not_be_planned_is_refused() {
    let directory = here();
    let refused = |arguments: &str, expected: &str| {
        let done = cairn(&directory).args(arguments.split(' ')).assert().code(2);
        let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(said.contains(expected), "{said}");
    };
    refused("plans nowhere --out data", "what was optimised");
    refused("plans nowhere --validation 1 --out data", "--validation 1: expected a share");
    refused(
        "optimise --system tiling --term f --first",
        "--first: it ends with the first term that satisfies a goal",
    );
    fs::write(directory.path().join("bad.csv"), "start,goal\n(m a f),(m b\n").unwrap();
    refused("optimise --system tiling --tasks bad.csv --out o", "bad.csv:2:9: ");
    // None of the goals is reached, so there is nothing to learn.
    fs::write(directory.path().join("far.txt"), "(m a f) (contains (m b f))\n").unwrap();
    let far = "optimise --system tiling --cost size --tasks far.txt --cap 100 --work 100 --out o";
    cairn(&directory).args(far.split(' ')).assert().code(3);
    refused("plans o --out data", "no term reached its goal");
    assert!(!directory.path().join("data").exists());
}
