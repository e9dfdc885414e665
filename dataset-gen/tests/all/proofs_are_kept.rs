//! A dataset keeps its proofs: parts of it can be merged, it can be split anew, and verified.

use crate::small_dataset::{Place, place, quiet, tree};
use anyhow::Result;
use dataset_gen::{
    Config, DatasetInfo, FileInfo, ProofRow, Scheme, Split, Splitting, for_each_proof, generate,
    generate_part, read_triples, resplit, verify, write_triples,
};
use jobs::{Outcome, Parts, Shard};
use std::fs;
use std::path::{Path, PathBuf};
use support::{Run, hash, read_table, seal_json, unseal_json, write_table};

fn merge(paths: &[PathBuf], out: &Path, run: &Run) -> Result<DatasetInfo> {
    dataset_gen::merge(&Parts::open(paths)?, out, run)
}

fn parts(place: &Place, config: &Config, count: u32) -> Vec<PathBuf> {
    let make = |index| {
        let path = place.path(&format!("part-{index}"));
        let made = generate_part(config, Shard { index, count }, &path, &quiet(1, 0)).unwrap();
        assert!(matches!(made, Outcome::Made { .. }));
        path
    };
    (0..count).map(make).collect()
}

#[test]
fn merged_parts_are_the_same_dataset() {
    let mut place = place();
    place.config.files.proofs = 40;
    place.config.files.triples = 100;
    let info = generate(&place.config, &place.path("whole"), &quiet(2, 0)).unwrap();
    assert!(info.cairn.files.len() > 6, "too few files to tell");
    let mut paths = parts(&place, &place.config, 3);
    paths.reverse();
    merge(&paths, &place.path("merged"), &quiet(2, 0)).unwrap();
    assert_eq!(tree(&place.path("whole")), tree(&place.path("merged")));

    // A part that is there is not made again, and not replaced by another.
    let again = |config: &Config| {
        generate_part(config, Shard { index: 0, count: 3 }, &place.path("part-0"), &quiet(1, 0))
    };
    assert_eq!(again(&place.config).unwrap(), Outcome::Already);
    let other = Config { limit: Some(5), ..place.config.clone() };
    assert!(again(&other).unwrap_err().to_string().contains("made with other arguments"));

    let message = |paths: &[PathBuf]| {
        merge(paths, &place.path("none"), &quiet(1, 0)).unwrap_err().to_string()
    };
    assert_eq!(message(&paths[1..]), "part 2/3 is missing: expected all 3 parts");
    assert!(message(&[&paths[..], &paths[..1]].concat()).starts_with("part 2/3 is given more"));
    generate_part(&other, Shard { index: 2, count: 3 }, &place.path("x"), &quiet(1, 0)).unwrap();
    let mixed = [&paths[1..], &[place.path("x")]].concat();
    assert!(message(&mixed).contains("not made with the same files and settings"));
    assert!(message(&[place.path("whole")]).contains("is not a finished part"));
    assert!(!place.path("none").exists());
}

#[test]
fn splitting_anew_is_as_if_it_had_been_split_so_at_once() {
    let place = place();
    generate(&place.config, &place.path("halves"), &quiet(2, 0)).unwrap();
    let window = Splitting { scheme: Scheme::Window, length: 5, stride: 2, ..Default::default() };
    resplit(&place.path("halves"), &window, &place.path("window"), &quiet(2, 0)).unwrap();
    // Here a proof can be cut if, and only if, it could be halved.
    let config = Config { splitting: window, ..place.config.clone() };
    generate(&config, &place.path("at-once"), &quiet(1, 0)).unwrap();
    assert_eq!(tree(&place.path("window")), tree(&place.path("at-once")));
    assert_ne!(tree(&place.path("window")), tree(&place.path("halves")));
    for name in ["halves", "window"] {
        verify(&place.path(name), &quiet(2, 0)).unwrap();
    }
}

#[test]
fn a_triple_names_its_proof() {
    let place = place();
    generate(&place.config, &place.path("data"), &quiet(2, 0)).unwrap();
    for split in Split::ALL {
        let mut proofs = Vec::new();
        for_each_proof(&place.path("data"), split, &mut |rows| {
            proofs.extend(rows);
            Ok(())
        })
        .unwrap();
        for triple in read_triples(&place.path("data"), split).unwrap() {
            let proof = proofs.iter().find(|proof: &&ProofRow| proof.id == triple.proof).unwrap();
            assert_eq!(proof.seed, triple.seed);
            if triple.depth == 0 {
                assert_eq!(proof.steps(), triple.steps() as usize);
            }
        }
    }
}

/// Changes the description of a dataset so that it agrees with its files.
fn describe_again(directory: &Path) {
    let mut info = DatasetInfo::load(directory).unwrap();
    for (name, file) in &mut info.cairn.files {
        let (sha256, bytes) = hash::of_file(&directory.join(name)).unwrap();
        *file = FileInfo { bytes, sha256 };
    }
    info.save(&directory.join("dataset_info.json")).unwrap();
}

#[test]
fn whatever_is_wrong_with_a_dataset_is_found() {
    let place = place();
    let out = place.path("data");
    generate(&place.config, &out, &quiet(2, 0)).unwrap();
    let whole = tree(&out);
    let verified = verify(&out, &quiet(1, 0)).unwrap();
    assert_eq!(verified.files, 6);
    assert!(verified.proofs > 10 && verified.steps > 50 && verified.triples > 10);

    let proofs = out.join("proofs/train-00000-of-00001.parquet");
    let restore =
        || whole.iter().for_each(|(name, bytes)| fs::write(out.join(name), bytes).unwrap());
    let wrong = |change: &dyn Fn()| {
        change();
        let message = format!("{:#}", verify(&out, &quiet(2, 0)).unwrap_err());
        restore();
        message
    };
    let with_proof = |change: &dyn Fn(&mut ProofRow)| {
        wrong(&|| {
            let mut rows: Vec<ProofRow> = read_table(&proofs).unwrap();
            change(&mut rows[1]);
            write_table(&proofs, &rows).unwrap();
            describe_again(&out);
        })
    };
    let changed = wrong(&|| {
        let mut bytes = fs::read(&proofs).unwrap();
        bytes[100] ^= 1;
        fs::write(&proofs, bytes).unwrap();
    });
    assert!(changed.contains("is not the file that dataset_info.json describes"), "{changed}");
    let direction = with_proof(&|row| row.forward[0] = !row.forward[0]);
    assert!(direction.contains("is wrong"), "{direction}");
    let rule = with_proof(&|row| row.rules[0] = "no such rule".into());
    assert!(rule.contains("there is no rule 'no such rule'"), "{rule}");
    let path = with_proof(&|row| row.paths[0] = "7.7".into());
    assert!(path.contains("is wrong"), "{path}");
    let number = with_proof(&|row| row.id += 1);
    assert!(number.contains("has a number where"), "{number}");
    let triple = wrong(&|| {
        let mut triples = read_triples(&out, Split::Train).unwrap();
        triples[3].guide = triples[4].guide.clone();
        write_triples(&out, Split::Train, &triples).unwrap();
        describe_again(&out);
    });
    assert!(triple.contains("is not that piece of proof"), "{triple}");
    let more = wrong(&|| {
        let mut triples = read_triples(&out, Split::Train).unwrap();
        triples.push(triples[0].clone());
        write_triples(&out, Split::Train, &triples).unwrap();
        describe_again(&out);
    });
    assert!(more.contains("that are no pieces of its proofs"), "{more}");
    let rules = wrong(&|| fs::write(out.join("system.rules"), "(sort I)").unwrap());
    assert!(rules.contains("is not the rewrite system"), "{rules}");
    let with_info = |change: &dyn Fn(&mut DatasetInfo)| {
        wrong(&|| {
            let mut info = DatasetInfo::load(&out).unwrap();
            change(&mut info);
            info.save(&out.join("dataset_info.json")).unwrap();
        })
    };
    let bytes = with_info(&|info| info.splits.get_mut(&Split::Train).unwrap().num_bytes += 1);
    assert!(bytes.contains("splits.train.num_bytes is not that of these files"), "{bytes}");
    let size = with_info(&|info| info.download_size -= 1);
    assert!(size.contains("download_size is not that"), "{size}");
    let dtype = with_info(&|info| info.features.get_mut("guide").unwrap().dtype = "int8".into());
    assert!(dtype.contains("features.guide is not that"), "{dtype}");
    let column = with_info(&|info| drop(info.features.remove("guide")));
    assert!(column.contains("features.guide is not that"), "{column}");
    // What the rest does not tell: nothing but the seal does.
    let path = out.join("dataset_info.json");
    let text = fs::read_to_string(&path).unwrap();
    let e_nodes = text.find("\"e_nodes\": ").unwrap() + "\"e_nodes\": ".len();
    for (from, to) in [
        ("    \"seed\": 0,", "    \"seed\": 1,"),
        ("\"seeds_hash\": \"", "\"seeds_hash\": \"0"),
        ("\"version\": \"", "\"version\": \"9"),
        ("\"max_steps\": ", "\"max_steps\": 1"),
        ("\"literals\": false", "\"literals\": true"),
        (&text[e_nodes - 11..e_nodes], "\"e_nodes\": 1"),
        ("  \"cairn\": {", "  \"cairn\": {\n    \"approved_by\": \"me\","),
        ("\"description\": \"", "\"description\": \"The best "),
    ] {
        let found = wrong(&|| {
            assert!(text.contains(from), "{from}");
            fs::write(&path, text.replacen(from, to, 1)).unwrap();
        });
        assert!(found.contains("dataset_info.json is not as it was written"), "{to}: {found}");
    }
    let unsealed = wrong(&|| {
        let object = unseal_json("", &text).unwrap();
        fs::write(&path, object).unwrap();
    });
    assert!(unsealed.contains("does not end with its key sha256"), "{unsealed}");
    let seeds = with_info(&|info| info.cairn.totals.seeds += 1);
    assert!(seeds.contains("cairn.totals is not that"), "{seeds}");
    for name in ["/dev/zero", "../seeds.txt", "/etc/hostname"] {
        let outside = with_info(&|info| {
            let (_, file) = info.cairn.files.pop_first().unwrap();
            info.cairn.files.insert(name.to_owned(), file);
        });
        assert!(outside.contains("is not the name of a file inside"), "{outside}");
    }
    verify(&out, &quiet(1, 0)).unwrap();
}

#[test]
fn damage_is_not_split_and_not_merged() {
    let place = place();
    let out = place.path("data");
    generate(&place.config, &out, &quiet(2, 0)).unwrap();
    let splitting = Splitting { cutoff: 3, ..place.config.splitting.clone() };
    let split = || {
        let made = resplit(&out, &splitting, &place.path("split"), &quiet(1, 0));
        assert!(!place.path("split").exists());
        format!("{:#}", made.unwrap_err())
    };
    let proofs = out.join("proofs/train-00000-of-00001.parquet");
    let whole = fs::read(&proofs).unwrap();
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    fs::write(&proofs, flipped).unwrap();
    assert!(split().contains("is not the file that dataset_info.json describes"), "{}", split());
    // The description was changed with the file: the proof is wrong all the same.
    fs::write(&proofs, whole).unwrap();
    let mut rows: Vec<ProofRow> = read_table(&proofs).unwrap();
    rows[1].forward[0] = !rows[1].forward[0];
    write_table(&proofs, &rows).unwrap();
    describe_again(&out);
    assert!(split().contains("is wrong"), "{}", split());

    let part = parts(&place, &place.config, 1).remove(0);
    let merged = || {
        let made = merge(std::slice::from_ref(&part), &place.path("merged"), &quiet(1, 0));
        assert!(!place.path("merged").exists());
        format!("{:#}", made.unwrap_err())
    };
    for name in ["units/0000000.parquet", "units/0000000.json"] {
        let file = part.join(name);
        let whole = fs::read(&file).unwrap();
        let mut flipped = whole.clone();
        // A digit within a number of the report, or a byte of a page.
        let text = String::from_utf8_lossy(&whole).into_owned();
        let place = text.find("\"e_nodes\":").map_or(60, |at| at + "\"e_nodes\":".len());
        flipped[place] ^= 1;
        fs::write(&file, flipped).unwrap();
        assert!(merged().contains("is damaged"), "{}", merged());
        fs::write(&file, whole).unwrap();
    }
    let description = part.join("part.json");
    let text = fs::read_to_string(&description).unwrap();
    let items = text.lines().find(|line| line.trim_start().starts_with("\"items\": ")).unwrap();
    let other = text.replacen(items, "  \"items\": 4294967295,", 1);
    fs::write(&description, &other).unwrap();
    assert!(merged().contains("part.json is not as it was written"), "{}", merged());
    fs::write(&description, sealed_again(&other)).unwrap();
    assert!(merged().contains("speaks of 4294967295 seeds in this part"), "{}", merged());
    fs::write(&description, text).unwrap();
    merge(std::slice::from_ref(&part), &place.path("merged"), &quiet(1, 0)).unwrap();
}

/// What was written, changed and sealed: its last key is the seal.
fn sealed_again(text: &str) -> String {
    seal_json(&format!("{}\n}}", &text[..text.rfind(',').unwrap()]))
}

#[test]
fn a_description_with_values_that_no_dataset_can_have_is_refused() {
    let place = place();
    let out = place.path("data");
    let mut info = generate(&place.config, &out, &quiet(2, 0)).unwrap();
    let part = parts(&place, &place.config, 1).remove(0);
    info.cairn.config.splitting.cutoff = 1;
    info.save(&out.join("dataset_info.json")).unwrap();
    let refused = format!("{:#}", verify(&out, &quiet(1, 0)).unwrap_err());
    assert!(refused.contains("cutoff = 1: expected"), "{refused}");
    let path = part.join("part.json");
    let text = fs::read_to_string(&path).unwrap();
    for (from, to, expected) in [
        ("\"count\": 1", "\"count\": 0", "there is no shard 0/0"),
        ("\"triples\": 1000000", "\"triples\": 0", "files.triples = 0: expected"),
    ] {
        assert!(text.contains(from), "{text}");
        fs::write(&path, sealed_again(&text.replacen(from, to, 1))).unwrap();
        let refused =
            merge(std::slice::from_ref(&part), &place.path("merged"), &quiet(1, 0)).unwrap_err();
        assert!(format!("{refused:#}").contains(expected), "{refused:#}");
    }
}
