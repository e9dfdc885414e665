//! Tasks whose seeds equal a constant, theorems, and the others, identities, are told apart: in the task
//! file, by `--family`, in the results and in the report.

use crate::common::{cairn, run};
use guided_search::{Family, HeldOutSource, Row, TaskSet};
use std::collections::BTreeMap;
use std::fs;
use support::hash::of_file;
use support::read_table;
use tempfile::TempDir;

/// Two sums are the same where they have the same summands.
const RULES: &str = "(sort I) (sort B) (literal i64 I) (literal bool B) (variable I)
(op + (I I) I) (op same (I I) B)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)
(rewrite (same ?a ?a) 1 :name same)
";

/// The first two equal 1, the others no constant.
const SEEDS: &str = "(same (+ a (+ b (+ c d))) (+ d (+ b (+ a c))))
(same (+ a (+ b (+ e f))) (+ f (+ b (+ a e))))
(same (+ a (+ b (+ c d))) (+ d (+ b (+ a a))))
(+ a (+ b (+ c (+ d (+ e f)))))
";

const TASKS: &str =
    "tasks --system sums.rules --seeds seeds.txt --links 2 --link-nodes 30 --beyond 30";

fn place() -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("sums.rules"), RULES).unwrap();
    fs::write(directory.path().join("seeds.txt"), SEEDS).unwrap();
    directory
}

fn load(directory: &TempDir, name: &str) -> TaskSet {
    TaskSet::load_unchecked(&directory.path().join(name)).unwrap()
}

/// The families of the tasks of each seed.
fn families(set: &TaskSet) -> BTreeMap<&str, Option<Family>> {
    set.tasks.iter().map(|task| (task.seed_id.as_str(), task.family)).collect()
}

fn inspect(directory: &TempDir, path: &str) -> String {
    let output = cairn(directory).args(["inspect", path]).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

fn report(directory: &TempDir) {
    cairn(directory).args(["report", "results", "--out", "report.html"]).assert().success();
}

#[test]
fn theorems_and_identities_come_out_right_are_asked_for_and_survive_into_results_and_report() {
    let directory = place();
    run(&directory, &format!("{TASKS} --out both.parquet"));
    let both = load(&directory, "both.parquet");
    for threads in [1, 3] {
        run(&directory, &format!("{TASKS} --threads {threads} --out again.parquet"));
        assert_eq!(load(&directory, "again.parquet"), both, "{threads} threads");
    }
    let (theorem, identity) = (Some(Family::Theorem), Some(Family::Identity));
    let expected = [("1", theorem), ("2", theorem), ("3", identity), ("4", identity)];
    assert_eq!(families(&both), BTreeMap::from(expected));
    assert_eq!((both.origin.family, both.origin.other_family), (None, 0));
    let of = |family| both.tasks.iter().filter(|task| task.family == family).count();
    let text = inspect(&directory, "both.parquet");
    let line = format!("\n{}: of family theorem (the seed equals a constant)\n", of(theorem));
    assert!(text.contains(&line), "{text}");

    for (family, others) in [(Family::Theorem, "3"), (Family::Identity, "1")] {
        let file = format!("{family}.parquet");
        run(&directory, &format!("{TASKS} --family {family} --out {file}"));
        let set = load(&directory, &file);
        assert_eq!((set.origin.family, set.origin.other_family), (Some(family), 2));
        // The same chains as of both.
        let of_family = both.tasks.iter().filter(|task| task.family == Some(family));
        assert!(of_family.eq(&set.tasks), "{family}");
        assert!(!families(&set).contains_key(others));
        let text = inspect(&directory, &file);
        assert!(text.contains("left out as they are of the other family: 2\n"), "{text}");
    }
    // A preset may ask, too, and an option overrules it.
    fs::write(directory.path().join("p.toml"), "[tasks]\nfamily = \"identity\"\n").unwrap();
    run(&directory, &format!("{TASKS} --config p.toml --out preset.parquet"));
    assert_eq!(load(&directory, "preset.parquet"), load(&directory, "identity.parquet"));
    run(&directory, &format!("{TASKS} --config p.toml --family theorem --out preset.parquet"));
    assert_eq!(load(&directory, "preset.parquet"), load(&directory, "theorem.parquet"));
    let wrong = format!("{TASKS} --family lemma --out lemma.parquet");
    let refused = cairn(&directory).args(wrong.split(' ')).assert().code(2);
    let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(error.contains("expected theorem or identity, found 'lemma'"), "{error}");

    run(
        &directory,
        "evaluate --system sums.rules --tasks both.parquet --methods cap,all-work,oracle --cap 40 \
         --work 400 --out results",
    );
    let rows = read_table::<Row>(&directory.path().join("results/results.parquet")).unwrap();
    assert_eq!(rows.len(), 3 * both.tasks.len());
    for (task, rows) in both.tasks.iter().zip(rows.chunks(3)) {
        assert!(rows.iter().all(|row| row.task == task.id && row.family == task.family));
    }
    report(&directory);
    let page = fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(page.contains("Solved by family") && page.contains("In brackets: how many"));
}

#[test]
fn where_no_seed_is_of_the_family_it_is_said_so() {
    let directory = place();
    fs::write(directory.path().join("seeds.txt"), SEEDS.lines().nth(3).unwrap()).unwrap();
    let command = format!("{TASKS} --family theorem --quiet --out none.parquet");
    let refused = cairn(&directory).args(command.split(' ')).assert().code(2);
    let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    let expected = "no chain came about from 1 seed; 1 seed left out, not of family theorem\n";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn tasks_from_elsewhere_have_no_family_and_their_results_none() {
    let directory = place();
    fs::write(directory.path().join("own.txt"), "(+ a (+ b c)) (+ c (+ b a))\n").unwrap();
    run(&directory, "evaluate --system sums.rules --tasks own.txt --methods cap --out results");
    let rows = read_table::<Row>(&directory.path().join("results/results.parquet")).unwrap();
    assert_eq!((rows.len(), rows[0].family), (1, None));
    report(&directory);
    let page = fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(!page.contains("Solved by family"));
}

#[test]
fn a_task_file_says_what_it_is_held_out_from() {
    let directory = place();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("seen.txt"), SEEDS.lines().next().unwrap()).unwrap();
    run(&directory, "generate --system sums.rules --seeds seen.txt --nodes 500 --out data");
    fs::write(path("old.txt"), "(+ p (+ q (+ r (+ s t)))) (+ (+ p q) (+ r (+ s t)))\n").unwrap();
    run(&directory, &format!("{TASKS} --data data --without old.txt --out new.parquet"));
    let set = load(&directory, "new.parquet");
    let [data, old] = &set.origin.held_out_from[..] else { panic!("{:?}", set.origin) };
    assert_eq!((data.kind, data.path.as_str()), (HeldOutSource::Dataset, "data"));
    assert_eq!(data.sha256, of_file(&path("data/dataset_info.json")).unwrap().0);
    assert_eq!((old.kind, old.path.as_str()), (HeldOutSource::Tasks, "old.txt"));
    assert_eq!(old.sha256, of_file(&path("old.txt")).unwrap().0);
    let text = inspect(&directory, "new.parquet");
    let line = format!("\nheld out from the tasks old.txt, SHA-256 {}\n", &old.sha256[..12]);
    assert!(text.contains(&line) && text.contains("\nheld out from the dataset data, "), "{text}");
}
