//! Programs that are called like solvers and hang, crash, lie or print anything: no verdict rests on them.

use crate::smt::statements;
use interop::{Limits, Solver, Verdict, find_solvers, judge};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const LIMITS: Limits = Limits { time: Duration::from_millis(300), assignments: 0 };
const RULES: &str = "(sort Int) (op + (Int Int) Int) (literal i64 Int) (variable Int)
    (rewrite (+ ?a 0) ?a :name true) (rewrite (+ ?a 1) ?a :name false)";

/// A script called `name` that says a version, and does this when it is asked.
fn script(directory: &Path, name: &str, does: &str) -> Solver {
    let path = directory.join(name);
    let text = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo version 1.2.3 && exit\n{does}\n");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    // A process that is being started meanwhile may still hold the file open.
    for _ in 0..100 {
        match Solver::at(&path) {
            Ok(solver) => return solver,
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    panic!("{name}: {}", Solver::at(&path).unwrap_err());
}

fn verdict(does: &str, rule: usize) -> Verdict {
    let directory = tempfile::tempdir().unwrap();
    let solver = script(directory.path(), "z3-fake", does);
    let (_, statement) = statements(RULES).swap_remove(rule);
    judge(&statement, &[solver], LIMITS, &AtomicBool::new(false))
}

#[test]
fn nothing_is_concluded_from_silence_garbage_or_a_crash() {
    for (does, why) in [
        ("exec sleep 100", "it gave no answer in its time"),
        ("sleep 100", "it gave no answer in its time"),
        ("exit 0", "it gave no answer"),
        ("kill -9 $$", "it gave no answer"),
        ("echo unsatisfied", "it said \"unsatisfied\""),
        ("echo sat; echo '((v0'", "it said \"sat\\n((v0\""),
        ("cat >/dev/null; echo unknown", "it does not know"),
    ] {
        let begin = Instant::now();
        let expected = Verdict::Unknown(format!("z3 1.2.3: {why}"));
        assert_eq!(verdict(does, 0), expected, "{does}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{does}: {:?}", begin.elapsed());
    }
    // Output without an end is not read to its end.
    let Verdict::Unknown(why) = verdict("exec yes", 0) else { panic!("a verdict from nothing") };
    assert!(why.starts_with("z3 1.2.3: it said \"y\\ny\\n"), "{why}");
}

#[test]
fn an_assignment_is_evaluated_before_it_is_believed() {
    let lie = "cat >/dev/null; echo sat; echo '((v0 5))'";
    let Verdict::Unknown(why) = verdict(lie, 0) else { panic!("a true rule was refuted") };
    assert_eq!(
        why,
        "z3 1.2.3 says that the sides differ for ((v0 5)), where Cairn finds no difference"
    );
    let Verdict::Refuted(found) = verdict(lie, 1) else { panic!("a false rule was not refuted") };
    assert_eq!(found.shown, "(+ ?a 1) is 6, and ?a is 5 where ?a = 5");
    assert_eq!(found.by, "z3 1.2.3");
}

#[test]
fn solvers_are_found_on_the_path_if_they_say_a_version() {
    let directory = tempfile::tempdir().unwrap();
    script(directory.path(), "cvc5", "exit 1");
    let silent = directory.path().join("z3");
    fs::write(&silent, "#!/bin/sh\necho no\n").unwrap();
    fs::set_permissions(&silent, fs::Permissions::from_mode(0o755)).unwrap();
    let (found, wrong) = find_solvers(directory.path().as_os_str());
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), ["cvc5 1.2.3"]);
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].0.ends_with("z3 --version says no version: \"no\""), "{}", wrong[0]);
    let (found, wrong) = find_solvers("/nowhere".as_ref());
    assert!(found.is_empty() && wrong.is_empty());
    let other = Solver::at(Path::new("/bin/true")).unwrap_err();
    assert_eq!(other.0, "/bin/true: expected a program called z3, cvc5 or bitwuzla");
}

#[test]
fn a_question_ends_when_it_is_asked_to() {
    let directory = tempfile::tempdir().unwrap();
    let solver = script(directory.path(), "z3-fake", "exec sleep 100");
    let (_, statement) = statements(RULES).swap_remove(0);
    let limits = Limits { time: Duration::from_secs(60), ..LIMITS };
    let begin = Instant::now();
    judge(&statement, &[solver], limits, &AtomicBool::new(true));
    assert!(begin.elapsed() < Duration::from_secs(20));
}
