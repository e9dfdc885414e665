//! Sets of tasks, and the files that hold them.
//!
//! A task file is Parquet: one row a task, terms as s-expressions, and how the tasks were made
//! as JSON under the key `cairn` of the file's metadata. Tasks from elsewhere are CSV with the
//! columns `start` and `target` (and `id`, if there is one), or text with two terms a line.

use crate::tasks::origin::TaskOrigin;
use crate::tasks::outside::read_outside;
use crate::tasks::task::{Task, check_id};
use anyhow::{Context, Result, anyhow, bail, ensure};
use egraph::{System, TermBank};
use rustc_hash::FxHashSet;
use std::path::Path;
use support::{FileKind, OutputFile, TableWriter, for_each_batch, read_note, read_text};
use terms::TermFile;

const METADATA: &str = "cairn";

/// Tasks and how they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSet {
    /// How the tasks were made.
    pub origin: TaskOrigin,
    /// The tasks.
    pub tasks: Vec<Task>,
}

impl TaskSet {
    /// Reads tasks from Parquet, CSV or text, by the ending of the file's name, and checks every
    /// term against the system.
    ///
    /// # Errors
    /// A file that can't be read or is not one of tasks, tasks of another system, terms that are
    /// not of the system's language, no task at all; the file is named, and the line if it has
    /// lines.
    pub fn load(path: &Path, system: &System) -> Result<TaskSet> {
        let name = path.display();
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let set = match ending.as_deref() {
            Some("parquet") => read_parquet(path, MOST_TEXT)?,
            _ => {
                let file = TermFile::new(name.to_string(), path, read_text(path, "tasks")?);
                let mut bank = TermBank::new(system.language.clone());
                let tasks = read_outside(&file, &mut bank)?;
                let system_hash = system.hash.clone();
                TaskSet { origin: TaskOrigin { system_hash, ..TaskOrigin::default() }, tasks }
            }
        };
        ensure!(!set.tasks.is_empty(), "{name} holds no task");
        ensure!(
            set.origin.system_hash == system.hash,
            "{name} was made with another rewrite system (hash {}, this one has {})",
            short(&set.origin.system_hash),
            short(&system.hash)
        );
        let mut bank = TermBank::new(system.language.clone());
        for task in &set.tasks {
            task.terms(&mut bank).with_context(|| format!("{name}"))?;
        }
        Ok(set)
    }

    /// Reads tasks from Parquet, whatever the system that they are of, without looking into their terms.
    ///
    /// # Errors
    /// A file that can't be read or is not one of tasks; it is named.
    pub fn load_unchecked(path: &Path) -> Result<TaskSet> {
        read_parquet(path, MOST_TEXT)
    }

    /// The file to write tasks to.
    ///
    /// # Errors
    /// Its name does not end in `.parquet`, or the path is taken by something else than tasks.
    pub fn output(path: &Path) -> Result<OutputFile> {
        if path.extension().is_none_or(|e| e != "parquet") {
            bail!(
                "{}: tasks are written as Parquet, the name must end in .parquet",
                path.display()
            );
        }
        let recognise = |path: &Path| read_origin(path).is_ok();
        OutputFile::new(path, FileKind { name: "a task file", recognise })
    }

    /// Writes a Parquet file.
    ///
    /// # Errors
    /// As [`TaskSet::output`], and what the file system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        TaskSet::output(path)?.write(|file| {
            let mut writer = TableWriter::new::<Task>(file)?;
            writer.write(&self.tasks)?;
            writer.note(METADATA, serde_json::to_string(&self.origin)?);
            writer.finish()?;
            Ok(())
        })
    }
}

/// The first characters of a hash, enough to tell two apart.
pub fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

fn read_origin(path: &Path) -> Result<TaskOrigin> {
    let name = path.display();
    let origin = read_note(path, METADATA)?
        .with_context(|| format!("{name} is not a task file: its metadata has no key 'cairn'"))?;
    serde_json::from_str(&origin).with_context(|| format!("{name} is not a task file"))
}

/// More bytes of terms than these are in no task file that is worth trying. Parquet packs what
/// repeats so well that a small file can have any number of them.
const MOST_TEXT: usize = 1 << 28;

fn read_parquet(path: &Path, most_text: usize) -> Result<TaskSet> {
    let name = path.display();
    let origin = read_origin(path)?;
    let mut tasks: Vec<Task> = Vec::new();
    let mut ids = FxHashSet::default();
    let mut bytes = 0;
    for_each_batch(path, |batch: Vec<Task>| {
        for task in batch {
            check_id(&task.id).map_err(|message| anyhow!("{name}: {message}"))?;
            ensure!(ids.insert(task.id.clone()), "{name}: two tasks have the id '{}'", task.id);
            let texts = [&task.seed_id, &task.start, &task.target];
            bytes += texts.into_iter().chain(&task.waypoints).map(String::len).sum::<usize>();
            ensure!(bytes <= most_text, "{name}: more than {most_text} bytes of terms");
            tasks.push(task);
        }
        Ok(())
    })?;
    Ok(TaskSet { origin, tasks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::tasks::Family;
    use crate::tasks::outside::outside;
    use std::collections::BTreeMap;
    use support::Record;
    use support::columns::{ArrayRef, Field, column};

    fn system() -> System {
        System::parse("(sort I) (literal i64 I) (variable I) (op + (I I) I)").unwrap()
    }

    fn load(name: &str, text: &str) -> Result<TaskSet> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        TaskSet::load(&path, &system())
    }

    #[test]
    fn parquet_round_trips() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tasks.parquet");
        let task = |id: &str, waypoints: &[&str]| Task {
            seed_id: "7".to_owned(),
            waypoints: waypoints.iter().map(|&w| w.to_owned()).collect(),
            links: waypoints.len() as u32 + 1,
            family: (!waypoints.is_empty()).then_some(Family::Theorem),
            ..outside(id.to_owned(), "(+ a 0)".to_owned(), "a".to_owned())
        };
        let failures = BTreeMap::from([("saturated".to_owned(), 3)]);
        let system_hash = system().hash;
        let origin = TaskOrigin { system_hash, links: 2, cap: 400, failures, ..Default::default() };
        let set = TaskSet { origin, tasks: vec![task("t-0", &["(+ 0 a)"]), task("t-1", &[])] };
        set.save(&path).unwrap();
        assert_eq!(TaskSet::load(&path, &system()).unwrap(), set);
    }

    /// The message about a file of these tasks.
    fn refused(tasks: Vec<Task>) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        let origin = TaskOrigin { system_hash: system().hash, ..TaskOrigin::default() };
        TaskSet { origin, tasks }.save(&path).unwrap();
        format!("{:#}", TaskSet::load(&path, &system()).unwrap_err())
    }

    #[test]
    fn a_small_file_with_many_rows_is_refused_at_the_first_that_repeats() {
        let task = outside("x".to_owned(), "a".to_owned(), "b".to_owned());
        let message = refused(vec![task; 300_000]);
        assert!(message.contains("t.parquet: two tasks have the id 'x'"), "{message}");
        // Each with an id of its own, all with the same long terms.
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        let task = |i: u32| outside(i.to_string(), "(+ a b)".to_owned(), "(+ b a)".to_owned());
        let set = TaskSet { tasks: (0..1_000).map(task).collect(), ..TaskSet::default() };
        set.save(&path).unwrap();
        assert_eq!(read_parquet(&path, 20_000).unwrap(), set);
        let message = read_parquet(&path, 10_000).unwrap_err().to_string();
        assert!(message.ends_with("t.parquet: more than 10000 bytes of terms"), "{message}");
    }

    /// A task file with one row, as another program or an earlier version may have written it.
    fn write_row(path: &Path, origin: &str, column: impl Fn(&Field) -> Option<ArrayRef>) {
        let columns = Task::fields()
            .into_iter()
            .filter_map(|field| column(&field).map(|column| (field.name().clone(), column)));
        let batch = arrow_array::RecordBatch::try_from_iter(columns).unwrap();
        let file = std::fs::File::create(path).unwrap();
        let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.append_key_value_metadata(parquet::file::metadata::KeyValue::new(
            METADATA.to_owned(),
            origin.to_owned(),
        ));
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    fn text(text: &str) -> ArrayRef {
        column(&[text.to_owned()], |text| text)
    }

    fn value(field: &Field) -> ArrayRef {
        match field.name().as_str() {
            "links" => column(&[0u32], |links| links),
            "waypoints" => column(&[Vec::<String>::new()], |waypoints| waypoints),
            "family" => column(&[None::<Family>], |family| family),
            _ => text("a"),
        }
    }

    #[test]
    fn missing_values_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        let origin = TaskOrigin { system_hash: system().hash, ..TaskOrigin::default() };
        let origin = serde_json::to_string(&origin).unwrap();
        for missing in ["seed_id", "waypoints", "links"] {
            write_row(&path, &origin, |field| match field.name() == missing {
                true => Some(arrow_array::new_null_array(field.data_type(), 1)),
                false => Some(value(field)),
            });
            let message = format!("{:#}", TaskSet::load(&path, &system()).unwrap_err());
            assert!(
                message.contains(&format!("column '{missing}' has missing values")),
                "{message}"
            );
        }
        write_row(&path, &origin, |field| match field.name() == "family" {
            true => Some(text("lemma")),
            false => Some(value(field)),
        });
        let message = format!("{:#}", TaskSet::load(&path, &system()).unwrap_err());
        let expected = "column 'family': expected theorem or identity, found 'lemma'";
        assert!(message.ends_with(expected), "{message}");
    }

    #[test]
    fn a_task_file_of_an_earlier_version_has_no_families_and_does_not_say_what_it_is_held_out_from()
    {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        let hash = system().hash;
        let origin = format!(
            r#"{{"system_hash":"{hash}","links":8,"link_nodes":9,"cap":36,"seed":7,"begun":3,
                "failures":{{}}}}"#
        );
        write_row(&path, &origin, |field| (field.name() != "family").then(|| value(field)));
        let set = TaskSet::load(&path, &system()).unwrap();
        assert_eq!((set.tasks.len(), set.tasks[0].family), (1, None));
        let TaskOrigin { links, family, other_family, held_out_from, .. } = set.origin;
        assert_eq!((links, family, other_family, held_out_from), (8, None, 0, Vec::new()));
    }

    #[test]
    fn tasks_from_elsewhere_are_csv_or_text() {
        let text = load("t.txt", "# tasks\n(+ a 0) a ; easy\n\n(+ a b) (+ b a)\n").unwrap();
        assert_eq!(text.tasks.len(), 2);
        assert_eq!(text.tasks[0].start, "(+ a 0)");
        assert_eq!(text.tasks[0].target, "a");
        assert_eq!(text.tasks[1].id, "line-4");
        let csv = load("t.csv", "id,target,start\nx,a,(+ a 0)\n").unwrap();
        assert_eq!((csv.tasks[0].id.as_str(), csv.tasks[0].start.as_str()), ("x", "(+ a 0)"));
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        let message = |name: &str, text: &str| format!("{:#}", load(name, text).unwrap_err());
        assert!(message("t.txt", "a\n").contains("t.txt:1:1: expected a start and a target"));
        assert!(message("t.txt", "\na (+ a)\n").contains("t.txt:2:3: operator '+'"));
        assert!(message("t.txt", "a ; start only\r(+ a 1) (+ 1 a)\n").contains("t.txt:1:1"));
        let csv = "id,start,target\nx,(+ a 0),a\ny,\"(+ a (foo))\",a\n";
        assert!(message("t.csv", csv).contains("t.csv:3:10: unknown operator 'foo'"));
        assert!(message("t.csv", "a,b\n").contains("t.csv:1:1: expected a header"));
        assert!(message("t.csv", "id,start,target\n../x,a,a\n").contains("letters, digits"));
        assert!(message("t.txt", "").contains("holds no task"));
        let long = format!("id,start,target\n{},a,a\n", "x".repeat(201));
        assert!(message("t.csv", &long).contains("has 201 characters: expected at most 200"));
        assert!(message("t.parquet", "PAR1").contains("not a whole Parquet file"));
    }
}
