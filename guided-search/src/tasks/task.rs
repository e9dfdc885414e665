//! Tasks: pairs of a start and a target term, and the files that hold them.
//!
//! A task file is Parquet: one row a task, terms as s-expressions, and how the tasks were made
//! as JSON under the key `cairn` of the file's metadata. Tasks from elsewhere are CSV with the
//! columns `start` and `target` (and `id`, if there is one), or text with two terms a line.

use crate::tasks::question::{read_question, read_texts};
use anyhow::{Context, Result, anyhow, bail, ensure};
use arrow_array::builder::{ListBuilder, StringBuilder, UInt32Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, RecordBatch};
use dataset_gen::seeds::csv::Field;
use egraph::{ParseError, Place, System, TermBank, TermId, parse_all, parse_one};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use support::files::text::read_text;
use support::files::whole_file::{FileKind, OutputFile};

const METADATA: &str = "cairn";

/// Prove that `start` equals `target`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Unique in its file, and fit for a file name.
    pub id: String,
    /// The seed that the chain began with; the id again for tasks from elsewhere.
    pub seed_id: String,
    /// The start, an s-expression.
    pub start: String,
    /// The target, an s-expression.
    pub target: String,
    /// The terms of the chain between start and target; empty for tasks from elsewhere.
    pub waypoints: Vec<String>,
    /// Links of the chain; 0 for tasks from elsewhere.
    pub links: u32,
}

impl Task {
    /// The terms [start, waypoints…, target], read into `bank`; all of one sort.
    ///
    /// # Errors
    /// A text that is not a term of the bank's language, or not of the sort of the others.
    pub fn terms(&self, bank: &mut TermBank) -> Result<Vec<TermId>> {
        let mut texts = vec![("start", self.start.as_str())];
        texts.extend(self.waypoints.iter().map(|waypoint| ("waypoint", waypoint.as_str())));
        texts.push(("target", &self.target));
        read_texts(bank, &texts).with_context(|| format!("task {}", self.id))
    }
}

/// How the tasks of a file were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskOrigin {
    /// SHA-256 of the rewrite system.
    pub system_hash: String,
    /// Links per chain; 0 for tasks from elsewhere.
    pub links: u32,
    /// E-nodes per link (L); 0 for tasks from elsewhere.
    pub link_nodes: usize,
    /// The cap, in e-nodes, under which no start reaches its target; 0 for tasks from elsewhere.
    pub cap: usize,
    /// Seed of the random choices.
    pub seed: u64,
    /// Chains that were begun.
    pub begun: u64,
    /// Chains that came to nothing, by reason.
    pub failures: BTreeMap<String, u64>,
}

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
            Some("parquet") => read_parquet(path).with_context(|| format!("{name}"))?,
            ending => {
                let text = read_text(path, "tasks")?;
                let mut bank = TermBank::new(system.language.clone());
                let read = if ending == Some("csv") { read_csv } else { read_lines };
                let tasks =
                    read(&text, &mut bank).map_err(|(place, m)| anyhow!("{name}:{place}: {m}"))?;
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
        let mut ids = rustc_hash::FxHashSet::default();
        for task in &set.tasks {
            task.terms(&mut bank).with_context(|| format!("{name}"))?;
            check_id(&task.id).map_err(|message| anyhow!("{name}: {message}"))?;
            ensure!(ids.insert(&task.id), "{name}: two tasks have the id '{}'", task.id);
        }
        Ok(set)
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
        let recognise = |path: &Path| read_parquet(path).is_ok();
        OutputFile::new(path, FileKind { name: "a task file", recognise })
    }

    /// Writes a Parquet file.
    ///
    /// # Errors
    /// As [`TaskSet::output`], and what the file system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        let batch = self.batch()?;
        let metadata = KeyValue::new(METADATA.to_owned(), serde_json::to_string(&self.origin)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_key_value_metadata(Some(vec![metadata]))
            .build();
        TaskSet::output(path)?.write(|file| {
            let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties))?;
            writer.write(&batch)?;
            writer.close()?;
            Ok(())
        })
    }

    fn batch(&self) -> Result<RecordBatch> {
        let mut texts: [StringBuilder; 4] = Default::default();
        let mut waypoints = ListBuilder::new(StringBuilder::new());
        let mut links = UInt32Builder::new();
        for task in &self.tasks {
            let values = [&task.id, &task.seed_id, &task.start, &task.target];
            texts.iter_mut().zip(values).for_each(|(column, value)| column.append_value(value));
            task.waypoints.iter().for_each(|w| waypoints.values().append_value(w));
            waypoints.append(true);
            links.append_value(task.links);
        }
        let [mut id, mut seed_id, mut start, mut target] = texts;
        let columns: [(&str, ArrayRef); 6] = [
            ("id", Arc::new(id.finish())),
            ("seed_id", Arc::new(seed_id.finish())),
            ("start", Arc::new(start.finish())),
            ("target", Arc::new(target.finish())),
            ("waypoints", Arc::new(waypoints.finish())),
            ("links", Arc::new(links.finish())),
        ];
        Ok(RecordBatch::try_from_iter(columns)?)
    }
}

/// The first characters of a hash, enough to tell two apart.
pub fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

fn read_parquet(path: &Path) -> Result<TaskSet> {
    let file = File::open(path).context("cannot read tasks")?;
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(file).context("is not a whole Parquet file")?;
    let metadata = reader.metadata().file_metadata().key_value_metadata();
    let origin = metadata
        .and_then(|all| all.iter().find(|kv| kv.key == METADATA))
        .and_then(|kv| kv.value.clone())
        .context("is not a task file: its metadata has no key 'cairn'")?;
    let origin = serde_json::from_str(&origin).context("is not a task file")?;
    let mut tasks = Vec::new();
    for batch in reader.build().context("is not a whole Parquet file")? {
        read_batch(&batch.context("is not a whole Parquet file")?, &mut tasks)?;
    }
    Ok(TaskSet { origin, tasks })
}

fn read_batch(batch: &RecordBatch, tasks: &mut Vec<Task>) -> Result<()> {
    let column = |name: &str| {
        batch
            .column_by_name(name)
            .with_context(|| format!("is not a task file: no column '{name}'"))
    };
    let wrong = |name: &str| format!("column '{name}' has another type than in a task file");
    let texts = |name: &'static str| -> Result<_> {
        column(name)?.as_string_opt::<i32>().with_context(|| wrong(name))
    };
    let (ids, seeds) = (texts("id")?, texts("seed_id")?);
    let (starts, targets) = (texts("start")?, texts("target")?);
    let waypoints = column("waypoints")?.as_list_opt::<i32>();
    let waypoints = waypoints.with_context(|| wrong("waypoints"))?;
    let links = column("links")?.as_primitive_opt::<UInt32Type>();
    let links = links.with_context(|| wrong("links"))?;
    for row in 0..batch.num_rows() {
        let stops = waypoints.value(row);
        let stops = stops.as_string_opt::<i32>().with_context(|| wrong("waypoints"))?;
        tasks.push(Task {
            id: ids.value(row).to_owned(),
            seed_id: seeds.value(row).to_owned(),
            start: starts.value(row).to_owned(),
            target: targets.value(row).to_owned(),
            waypoints: stops.iter().flatten().map(str::to_owned).collect(),
            links: links.value(row),
        });
    }
    Ok(())
}

type At<T> = std::result::Result<T, (Place, String)>;

/// Ids are parts of the names of files.
fn check_id(id: &str) -> Result<(), String> {
    if !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) {
        return Ok(());
    }
    Err(format!("the id '{id}' is not made of letters, digits, '-' and '_'"))
}

fn outside(id: String, start: String, target: String) -> Task {
    Task { seed_id: id.clone(), id, start, target, waypoints: Vec::new(), links: 0 }
}

/// Text: a start and a target a line; `#` at the start of a line and `;` begin comments.
fn read_lines(text: &str, bank: &mut TermBank) -> At<Vec<Task>> {
    let mut tasks = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        let on_line = |place: Place| Place { line: number, ..place };
        let terms = parse_all(line).map_err(|e| (on_line(e.place), e.message))?;
        let [_, second] = &terms[..] else {
            if terms.is_empty() {
                continue;
            }
            let message = format!("expected a start and a target, found {} terms", terms.len());
            return Err((on_line(terms[0].place()), message));
        };
        read_question(bank, &terms).map_err(|(_, e)| (on_line(e.place), e.message))?;
        let bytes: usize =
            line.chars().take(second.place().column as usize - 1).map(char::len_utf8).sum();
        let (start, target) = line.split_at(bytes);
        let target = target.split(';').next().unwrap_or(target);
        tasks.push(outside(
            format!("line-{number}"),
            start.trim().to_owned(),
            target.trim().to_owned(),
        ));
    }
    Ok(tasks)
}

fn read_csv(text: &str, bank: &mut TermBank) -> At<Vec<Task>> {
    let mut records = dataset_gen::seeds::csv::read_records(text);
    let start_of_file = Place { line: 1, column: 1 };
    let header = match records.next() {
        Some(header) => header?,
        None => return Err((start_of_file, "the file is empty".to_owned())),
    };
    let column = |name| header.column(name);
    let (Some(start), Some(target)) = (column("start")?, column("target")?) else {
        let message = "expected a header with the columns 'start' and 'target'";
        return Err((start_of_file, message.to_owned()));
    };
    let id = column("id")?;
    let mut tasks = Vec::new();
    for record in records {
        let record = record?;
        let (expected, found) = (header.fields.len(), record.fields.len());
        if expected != found {
            let message = format!("expected {expected} fields as in the header, found {found}");
            return Err((record.place(), message));
        }
        let line = record.place().line;
        let id = match id {
            Some(id) => record.fields[id].text.clone(),
            None => format!("line-{line}"),
        };
        check_id(&id).map_err(|message| (record.place(), message))?;
        let ends = [&record.fields[start], &record.fields[target]];
        let at = |end: &Field, e: ParseError| (end.place_of(e.place), e.message);
        let mut terms = Vec::new();
        for end in ends {
            terms.push(parse_one(&end.text).map_err(|e| at(end, e))?);
        }
        read_question(bank, &terms).map_err(|(i, e)| at(ends[i], e))?;
        let text = |column: usize| record.fields[column].text.clone();
        tasks.push(outside(id, text(start), text(target)));
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            id: id.to_owned(),
            seed_id: "7".to_owned(),
            start: "(+ a 0)".to_owned(),
            target: "a".to_owned(),
            waypoints: waypoints.iter().map(|&w| w.to_owned()).collect(),
            links: waypoints.len() as u32 + 1,
        };
        let failures = BTreeMap::from([("saturated".to_owned(), 3)]);
        let system_hash = system().hash;
        let origin = TaskOrigin { system_hash, links: 2, cap: 400, failures, ..Default::default() };
        let set = TaskSet { origin, tasks: vec![task("t-0", &["(+ 0 a)"]), task("t-1", &[])] };
        set.save(&path).unwrap();
        assert_eq!(TaskSet::load(&path, &system()).unwrap(), set);
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
        assert!(message("t.parquet", "PAR1").contains("not a whole Parquet file"));
    }
}
