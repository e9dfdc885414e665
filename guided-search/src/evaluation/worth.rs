//! What the rules of a file are worth on tasks: each is left out once, and those that cost more than they bring are left out
//! together.
//!
//! Only tasks can tell: a rule that follows from others may be what makes a proof short, and one that follows from none may
//! only fill e-graphs.

use crate::evaluation::trial::{Bed, Trial};
use crate::methods::table::Method;
use crate::options::prove::SearchSettings;
use anyhow::{Context, Result, anyhow};
use egraph::{Form, System, forms, forms_of_rules, text_without};
use jobs::Job;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use support::Progress;
use support::hash::sha256;

/// What came of the tasks without a form of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithoutForm {
    /// The names of its rules, which are left out together.
    pub rules: Vec<String>,
    /// The line that it begins in, from 1.
    pub line: u32,
    /// The tasks without it; or why the file is refused then.
    pub trial: Result<Trial, String>,
    form: usize,
}

/// What came of all rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worth {
    /// The tasks with the whole file.
    pub whole: Trial,
    /// And without each form that has rules, in the order of the file.
    pub without: Vec<WithoutForm>,
}

/// A file without rules that cost more than they bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The names of the rules that were left out, in the order of the file.
    pub left_out: Vec<String>,
    /// What came of the tasks.
    pub trial: Trial,
    /// The file.
    pub text: String,
}

#[derive(Serialize)]
struct Inputs<'a> {
    version: &'a str,
    rules: String,
    tasks: String,
    method: Method,
    search: SearchSettings,
}

/// Whether some rules do better than others: no fewer tasks, and less work.
fn is_better(trial: &Trial, than: &Trial) -> bool {
    trial.count() >= than.count() && trial.work < than.work
}

impl Bed<'_> {
    fn forms(&self) -> Result<Vec<Form>> {
        forms(self.text).map_err(|error| anyhow!("{}:{error}", self.name))
    }

    fn without(&self, forms: &[Form], some: &[usize]) -> String {
        let left_out: Vec<bool> = (0..forms.len()).map(|form| some.contains(&form)).collect();
        text_without(self.text, forms, &left_out)
    }

    /// Leaves out each form that has rules. What is finished is kept beside `out`, the file that a table of it becomes, until
    /// that is written: `done` gets what was found, and writes.
    ///
    /// # Errors
    /// It is no rules file, a fault of a search, another process does the same, or what `done` or the file system says.
    pub fn worth(
        &self,
        out: &Path,
        quiet: bool,
        done: impl FnOnce(&Worth) -> Result<()>,
    ) -> Result<Worth> {
        let system = System::parse(self.text).map_err(|error| anyhow!("{}:{error}", self.name))?;
        let forms = self.forms()?;
        // By form that has rules: their names.
        let mut named: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (rule, form) in system.rules.iter().zip(forms_of_rules(self.text, &forms)) {
            if let Some(form) = form {
                named.entry(form).or_default().push(rule.name.clone());
            }
        }
        let places: Vec<usize> = named.keys().copied().collect();
        let tasks: String =
            self.tasks.iter().map(|task| format!("{}\n{}\n", task.start, task.target)).collect();
        let job = Job {
            kind: "what rules are worth",
            items: ("rules", 1 + places.len() as u64),
            settings: Inputs {
                version: env!("CARGO_PKG_VERSION"),
                rules: sha256(self.text.as_bytes()),
                tasks: sha256(tasks.as_bytes()),
                method: self.method,
                search: self.settings,
            },
            told: None,
            beside: None,
            work: |item: u64| match item.checked_sub(1) {
                None => self.trial(self.text),
                Some(number) => self.trial(&self.without(&forms, &[places[number as usize]])),
            },
        };
        let kept = job.kept(out, None, quiet)?;
        let mut trials = kept.items::<Result<Trial, String>>();
        let whole = trials.next().context("the first item is finished")??;
        let whole = whole.map_err(|error| anyhow!("{}: {error}", self.name))?;
        let without = named.into_iter().zip(trials).map(|((form, rules), trial)| {
            Ok(WithoutForm { rules, line: forms[form].place.0, trial: trial?, form })
        });
        let without: Vec<WithoutForm> = without.collect::<Result<_>>()?;
        let worth = Worth { whole, without };
        done(&worth)?;
        kept.discard()?;
        Ok(worth)
    }

    /// The file without rules that cost more than they bring: those without which the tasks take less work and no fewer are
    /// proved, the costliest first, each as long as that still holds without those before it.
    ///
    /// # Errors
    /// A fault of a search.
    pub fn chosen(&self, worth: &Worth, quiet: bool) -> Result<Chosen> {
        let forms = self.forms()?;
        let trial_of = |known: &WithoutForm| known.trial.clone().ok();
        let mut costly: Vec<(Trial, &WithoutForm)> = (worth.without.iter())
            .filter_map(|known| Some((trial_of(known)?, known)))
            .filter(|(trial, _)| is_better(trial, &worth.whole))
            .collect();
        costly.sort_by_key(|(trial, known)| (trial.work, known.form));
        let progress = Progress::new("rules that cost", costly.len() as u64, quiet);
        let (mut best, mut some) = (worth.whole.clone(), Vec::new());
        for (alone, known) in &costly {
            some.push(known.form);
            let trial = match some.len() {
                1 => Ok(alone.clone()),
                _ => self.trial(&self.without(&forms, &some))?,
            };
            match trial {
                Ok(trial) if is_better(&trial, &best) => best = trial,
                _ => drop(some.pop()),
            }
            progress.advance(1);
        }
        progress.finish();
        let left_out = worth.without.iter().filter(|known| some.contains(&known.form));
        let left_out = left_out.flat_map(|known| known.rules.clone()).collect();
        Ok(Chosen { left_out, trial: best, text: self.without(&forms, &some) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::budget::{Budget, Cap};
    use crate::options::schedulers::Schedulers;
    use crate::tasks::task::Task;

    /// Sums, and a rule that fills e-graphs.
    const RULES: &str = "(sort S)
(literal i64 S)
(variable S)
(op + (S S) S)
(op f (S) S)
(rewrite (+ ?a ?b) (+ ?b ?a) :name commute)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name associate)
(rewrite ?a (f ?a) :name wrap)
(rewrite (f (f ?a)) (f ?a) :name unwrap)
";

    fn task(id: &str, start: &str, target: &str) -> Task {
        Task {
            id: id.into(),
            seed_id: id.into(),
            start: start.into(),
            target: target.into(),
            waypoints: vec![],
            links: 0,
            family: None,
        }
    }

    fn with_bed<T>(text: &str, work: impl FnOnce(&Bed<'_>) -> T) -> T {
        let tasks = [
            task("swapped", "(+ a b)", "(+ b a)"),
            task("moved", "(+ a (+ b c))", "(+ (+ a b) c)"),
            task("both", "(+ a (+ b (+ c d)))", "(+ (+ d b) (+ c a))"),
        ];
        let budget = Budget { cap: Cap::Nodes(2_000), work: 8_000, scheduler: Schedulers::Simple };
        let settings = SearchSettings::within(budget, 0);
        let method = "cap".parse().unwrap();
        work(&Bed { name: "sums.rules", text, tasks: &tasks, method, settings })
    }

    #[test]
    fn needed_rules_lose_tasks_and_costly_ones_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("worth.csv");
        with_bed(RULES, |bed| {
            let worth = bed.worth(&out, true, |_| Ok(())).unwrap();
            assert_eq!(worth.whole.count(), 3);
            let names: Vec<&[String]> =
                worth.without.iter().map(|known| &known.rules[..]).collect();
            let both = ["associate".to_owned(), "associate-rev".to_owned()];
            assert_eq!(names[0], ["commute"]);
            assert_eq!(names[1], both);
            assert_eq!(
                (names[2], names[3]),
                (&["wrap".to_owned()][..], &["unwrap".to_owned()][..])
            );
            let lost = |i: usize| {
                let trial = worth.without[i].trial.as_ref().unwrap();
                (worth.whole.more_than(trial), trial.more_than(&worth.whole))
            };
            assert_eq!([lost(0), lost(1), lost(2)], [(2, 0), (2, 0), (0, 0)]);
            let chosen = bed.chosen(&worth, true).unwrap();
            assert!(chosen.left_out.contains(&"wrap".to_owned()), "{:?}", chosen.left_out);
            assert!(chosen.trial.count() == 3 && chosen.trial.work < worth.whole.work);
            assert!(chosen.text.contains("commute") && !chosen.text.contains(":name wrap"));
            // It is what the file that was written does.
            assert_eq!(bed.trial(&chosen.text).unwrap(), Ok(chosen.trial));
        });
    }

    #[test]
    fn finished_rules_are_kept_until_the_table_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("worth.csv");
        with_bed(RULES, |bed| {
            let failed = bed.worth(&out, true, |_| anyhow::bail!("no room")).unwrap_err();
            assert_eq!(failed.to_string(), "no room");
            let kept = std::fs::read_dir(directory.path()).unwrap().count();
            assert_eq!(kept, 1, "what is finished lies beside the table");
            bed.worth(&out, true, |_| Ok(())).unwrap();
            assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        });
    }
}
