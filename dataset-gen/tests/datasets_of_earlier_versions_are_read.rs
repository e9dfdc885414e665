//! Datasets had a column with a sketch of each guide, and said in their configuration how it is made.

mod small_system;

use anyhow::Result;
use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use dataset_gen::dataset::info::{DatasetInfo, INFO_FILE};
use dataset_gen::generate::generate;
use dataset_gen::merge::merge;
use dataset_gen::resplit::resplit;
use dataset_gen::seeds::split::Split;
use dataset_gen::triples::triple_rows::{Triple, read_triples};
use dataset_gen::verify::verify;
use serde_json::{Value, json};
use small_system::dataset::{place, quiet};
use std::fs;
use std::path::Path;
use support::files::columns::texts;
use support::files::hash::of_file;
use support::files::table::{Columns, Record, read_table, write_table};

/// A row as it was.
struct WithSketch(Triple);

impl Record for WithSketch {
    const NAME: &'static str = Triple::NAME;
    const ROW_GROUP: usize = Triple::ROW_GROUP;
    const BATCH: usize = Triple::BATCH;

    fn fields() -> Vec<Field> {
        let mut fields = Triple::fields();
        fields.insert(7, Field::new("sketch", DataType::Utf8, false));
        fields
    }

    fn columns(rows: &[WithSketch]) -> Vec<ArrayRef> {
        let triples: Vec<Triple> = rows.iter().map(|row| row.0.clone()).collect();
        let mut columns = Triple::columns(&triples);
        columns.insert(7, texts(&triples, |triple| &triple.guide));
        columns
    }

    fn read(_: &Columns<'_>, _: &mut Vec<WithSketch>) -> Result<()> {
        unreachable!("these rows are only written")
    }
}

/// Makes a dataset in `directory` one of an earlier version.
fn age(directory: &Path) {
    let path = directory.join(INFO_FILE);
    let mut info: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    info["features"]["sketch"] = json!({ "dtype": "string", "_type": "Value" });
    info["cairn"]["config"]["sketches"] = json!({ "share": 0.1 });
    let mut download_size = 0;
    for split in Split::ALL {
        let name = format!("{}-00000-of-00001.parquet", split.data());
        let file = directory.join(&name);
        let rows = read_table::<Triple>(&file).unwrap();
        let rows: Vec<WithSketch> = rows.into_iter().map(WithSketch).collect();
        write_table(&file, &rows).unwrap();
        let (sha256, bytes) = of_file(&file).unwrap();
        info["cairn"]["files"][&name] = json!({ "bytes": bytes, "sha256": sha256 });
        info["splits"][split.name()]["num_bytes"] = json!(bytes);
        download_size += bytes;
    }
    info["download_size"] = json!(download_size);
    fs::write(&path, info.to_string()).unwrap();
}

#[test]
fn a_dataset_with_sketches_is_the_same_without_them() {
    let place = place();
    let (new, old) = (place.path("new"), place.path("old"));
    let run = quiet(2, 0);
    let info = generate(&place.config, &new, &run).unwrap();
    generate(&place.config, &old, &run).unwrap();
    age(&old);
    let read = DatasetInfo::load(&old).unwrap();
    assert_eq!((&read.features, &read.cairn.config), (&info.features, &info.cairn.config));
    for split in Split::ALL {
        assert_eq!(read_triples(&old, split).unwrap(), read_triples(&new, split).unwrap());
    }
    assert_eq!(verify(&old, &run).unwrap(), verify(&new, &run).unwrap());
    let again = resplit(&old, &info.cairn.config.splitting, &place.path("again"), &run).unwrap();
    assert_eq!(again.cairn.files, info.cairn.files);
}

#[test]
fn parts_that_speak_of_sketches_are_merged() {
    use dataset_gen::dataset::part::{PART_FILE, Shard};
    use dataset_gen::generate::generate_part;
    let place = place();
    let run = quiet(2, 0);
    let info = generate(&place.config, &place.path("whole"), &run).unwrap();
    let parts = [0, 1].map(|index| {
        let out = place.path(&format!("part-{index}"));
        generate_part(&place.config, Shard { index, count: 2 }, &out, &run).unwrap();
        let path = out.join(PART_FILE);
        let mut part: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        part["cairn"]["config"]["sketches"] = json!({ "share": 0.1 });
        fs::write(&path, part.to_string()).unwrap();
        out
    });
    let merged = merge(&parts, &place.path("merged"), &run).unwrap();
    assert_eq!(merged.cairn.files, info.cairn.files);
}
