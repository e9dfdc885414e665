//! Seeds that a model has not seen, neither in training nor by the choice of its checkpoint.

use crate::tasks::task::Task;
use anyhow::{Result, ensure};
use dataset_gen::{DatasetInfo, Seed, SeenSeeds, digest};
use egraph::{System, TermBank};
use std::path::Path;

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

/// Refuses tasks an end of which is a seed that `who` (the model, the ranker) has seen.
///
/// # Errors
/// There are such tasks; the first is named.
pub fn refuse_seen(who: &str, tasks: &[Task], bank: &mut TermBank, seen: &SeenSeeds) -> Result<()> {
    let mut known = Vec::new();
    for task in tasks {
        let terms = task.terms(bank)?;
        let ends = [terms.first(), terms.last()];
        if ends.into_iter().flatten().any(|&end| seen.contain(bank, end)) {
            known.push(&task.id);
        }
    }
    ensure!(
        known.is_empty(),
        "{who} has seen the seeds of {} of {} tasks, the first being '{}': leave them out, or make \
         tasks of other seeds (cairn tasks --data, --without)",
        known.len(),
        tasks.len(),
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
    let mut seen = SeenSeeds { literals: true, ..SeenSeeds::default() };
    for task in tasks {
        let terms = task.terms(bank)?;
        for end in [terms[0], terms[terms.len() - 1]] {
            seen.digests.insert(digest(bank, end, seen.literals));
        }
    }
    Ok(seen)
}

/// The seeds with which no task of a set begins or ends, after renaming of variables and literals.
///
/// # Errors
/// As [`seeds_of`], or no seed is left.
pub fn without(seeds: Vec<Seed>, bank: &mut TermBank, tasks: &[Task]) -> Result<Vec<Seed>> {
    let seen = seeds_of(tasks, bank)?;
    let count = seeds.len();
    let left: Vec<Seed> = seeds.into_iter().filter(|seed| !seen.contain(bank, seed.term)).collect();
    ensure!(!left.is_empty(), "--without leaves out all of the {count} seeds");
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_task_that_begins_with_a_seen_seed_is_refused_by_its_name() {
        let system = System::parse("(sort I) (variable I) (op + (I I) I)").unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let task = |id: &str, start: &str| Task {
            id: id.to_owned(),
            seed_id: id.to_owned(),
            start: start.to_owned(),
            target: "(+ c c)".to_owned(),
            waypoints: Vec::new(),
            links: 1,
            family: None,
        };
        let tasks = [task("new", "(+ a (+ b b))"), task("old", "(+ b (+ a b))")];
        let seed = bank.parse("(+ x (+ y x))", None).unwrap();
        let digests = BTreeSet::from([digest(&mut bank, seed, false)]);
        let seen = SeenSeeds { literals: false, digests };
        let error = refuse_seen("the model", &tasks, &mut bank, &seen).unwrap_err().to_string();
        assert!(error.contains("1 of 2 tasks, the first being 'old'"), "{error}");
        refuse_seen("the model", &tasks[..1], &mut bank, &seen).unwrap();
        refuse_seen("the model", &tasks, &mut bank, &SeenSeeds::default()).unwrap();
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
        let task = Task {
            id: "t".to_owned(),
            seed_id: "t".to_owned(),
            start: "(+ b (+ a 1))".to_owned(),
            target: "(+ 1 (+ a b))".to_owned(),
            waypoints: Vec::new(),
            links: 1,
            family: None,
        };
        let left = without(seeds.clone(), &mut bank, std::slice::from_ref(&task)).unwrap();
        assert_eq!(left.iter().map(|seed| seed.id.as_str()).collect::<Vec<_>>(), ["other"]);
        let none = without(seeds[..1].to_vec(), &mut bank, &[task]).unwrap_err().to_string();
        assert_eq!(none, "--without leaves out all of the 1 seeds");
    }
}
