//! Seeds that a model has not seen, neither in training nor by the choice of its checkpoint.

use crate::tasks::task::Task;
use anyhow::{Result, ensure};
use dataset_gen::DatasetInfo;

use egraph::{System, TermBank};
use std::path::Path;
use terms::{Seed, SeenSeeds};

/// The seeds that equal none of the training and validation seeds of the dataset in `data`, after
/// renaming of variables, and of literals if the dataset's splits are made so.
///
/// # Errors
/// A directory without a dataset, or one of another rewrite system; or no seed that is left.
pub fn held_out(
    seeds: Vec<Seed>,
    bank: &mut TermBank,
    system: &System,
    data: &Path,
) -> Result<Vec<Seed>> {
    let info = DatasetInfo::load(data)?;
    let data = data.display();
    ensure!(
        info.system_hash() == system.hash,
        "the dataset in {data} was made with another rewrite system"
    );
    let seen = info.seen_seeds();
    let count = seeds.len();
    let left: Vec<Seed> = seeds.into_iter().filter(|seed| !seen.contain(bank, seed.term)).collect();
    ensure!(
        !left.is_empty(),
        "the dataset in {data} has all of the {count} seeds in training or validation"
    );
    Ok(left)
}

/// Refuses tasks that begin with a seed that `who` (the model, the ranker) has seen, or that it has seen the
/// other way round. Says how many of the tasks have a target that it has seen with other starts, which is
/// allowed: many terms are equal to the same few small ones.
///
/// # Errors
/// There are such tasks; the first is named.
pub fn refuse_seen(
    who: &str,
    tasks: &[Task],
    bank: &mut TermBank,
    seen: &SeenSeeds,
) -> Result<usize> {
    let mut known = Vec::new();
    let mut targets = 0;
    for task in tasks {
        let [start, target] = task.ends(bank)?;
        if seen.contain_task(bank, [start, target]) {
            known.push(&task.id);
        }
        targets += usize::from(seen.contain_target(bank, target));
    }
    ensure!(
        known.is_empty(),
        "{who} has seen the seeds of {} of {} tasks, the first being '{}': leave them out, or make \
         tasks of other seeds (cairn tasks --data, --without)",
        known.len(),
        tasks.len(),
        known[0]
    );
    Ok(targets)
}

/// Refuses terms that `who` (the ranker) has seen as starts.
///
/// # Errors
/// There are such terms; the first is named.
pub fn refuse_seen_terms(
    who: &str,
    terms: &[Seed],
    bank: &mut TermBank,
    seen: &SeenSeeds,
) -> Result<()> {
    let mut known = Vec::new();
    for seed in terms {
        if seen.contain(bank, seed.term) {
            known.push(seed.id.as_str());
        }
    }
    ensure!(
        known.is_empty(),
        "{who} has seen {} of {} terms, the first being '{}': leave them out",
        known.len(),
        terms.len(),
        known[0]
    );
    Ok(())
}

/// The starts and targets of tasks, literals generalised.
///
/// # Errors
/// A task that is not of the bank's language.
pub fn seeds_of<'t>(
    tasks: impl IntoIterator<Item = &'t Task>,
    bank: &mut TermBank,
) -> Result<SeenSeeds> {
    let ends = tasks.into_iter().map(|task| task.ends(bank)).collect::<Result<Vec<_>>>()?;
    Ok(SeenSeeds::of_tasks(bank, ends))
}

/// The seeds with which no task of a set begins or ends, after renaming of variables and literals.
///
/// # Errors
/// As [`seeds_of`], or no seed is left.
pub fn without(seeds: Vec<Seed>, bank: &mut TermBank, tasks: &[Task]) -> Result<Vec<Seed>> {
    let seen = seeds_of(tasks, bank)?;
    let count = seeds.len();
    let is_new = |seed: &Seed| !seen.contain_target(bank, seed.term);
    let left: Vec<Seed> = seeds.into_iter().filter(is_new).collect();
    ensure!(!left.is_empty(), "--without leaves out all of the {count} seeds");
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::outside::outside;
    use std::collections::BTreeSet;
    use terms::digest;

    fn task(id: &str, start: &str, target: &str) -> Task {
        outside(id.to_owned(), start.to_owned(), target.to_owned())
    }

    #[test]
    fn a_task_that_begins_with_a_seen_seed_is_refused_by_its_name() {
        let system = System::parse("(sort I) (variable I) (op + (I I) I)").unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let tasks =
            [task("new", "(+ a (+ b b))", "(+ c c)"), task("old", "(+ b (+ a b))", "(+ c c)")];
        let seed = bank.parse("(+ x (+ y x))", None).unwrap();
        let digests = BTreeSet::from([digest(&mut bank, seed, false)]);
        let seen = SeenSeeds { digests, ..SeenSeeds::default() };
        let error = refuse_seen("the model", &tasks, &mut bank, &seen).unwrap_err().to_string();
        assert!(error.contains("1 of 2 tasks, the first being 'old'"), "{error}");
        assert_eq!(refuse_seen("the model", &tasks[..1], &mut bank, &seen).unwrap(), 0);
        refuse_seen("the model", &tasks, &mut bank, &SeenSeeds::default()).unwrap();
    }

    #[test]
    fn targets_that_were_seen_are_counted_and_not_refused() {
        let system = System::parse("(sort I) (variable I) (op + (I I) I)").unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let training = [task("t", "(+ a (+ b b))", "(+ c c)")];
        let seen = seeds_of(&training, &mut bank).unwrap();
        let same_target = task("new", "(+ (+ a b) b)", "(+ x x)");
        let turned = task("turned", "(+ x x)", "(+ y (+ x x))");
        let back = task("back", "(+ c c)", "(+ a (+ b b))");
        let tasks = [same_target, turned, back];
        let mut refuse = |tasks: &[Task]| refuse_seen("the ranker", tasks, &mut bank, &seen);
        assert_eq!(refuse(&tasks[..2]).unwrap(), 2);
        let error = refuse(&tasks).unwrap_err().to_string();
        assert!(error.contains("1 of 3 tasks, the first being 'back'"), "{error}");
    }

    #[test]
    fn seeds_of_other_tasks_are_left_out_whatever_their_names_and_literals() {
        let system = System::parse("(sort I) (literal i64 I) (variable I) (op + (I I) I)").unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let mut seed = |id: &str, text: &str| Seed {
            id: id.to_owned(),
            term: bank.parse(text, None).unwrap(),
        };
        let seeds = vec![seed("same", "(+ x (+ y 7))"), seed("other", "(+ x (+ 7 y))")];
        let task = task("t", "(+ b (+ a 1))", "(+ 1 (+ a b))");
        let left = without(seeds.clone(), &mut bank, std::slice::from_ref(&task)).unwrap();
        assert_eq!(left.iter().map(|seed| seed.id.as_str()).collect::<Vec<_>>(), ["other"]);
        let none = without(seeds[..1].to_vec(), &mut bank, &[task]).unwrap_err().to_string();
        assert_eq!(none, "--without leaves out all of the 1 seeds");
    }
}
