//! Files and directories get their final name when they are whole, and nobody's are overwritten.

use anyhow::bail;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use support::{
    FileKind, OutputDir, OutputFile, StagedDir, first_bytes, named_inside, write_atomic,
    write_atomic_with,
};

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_failed_write_leaves_nothing_and_keeps_what_was_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    let fail = |file: &mut BufWriter<File>| {
        file.write_all(b"half")?;
        bail!("no more")
    };
    assert!(write_atomic_with(&path, fail).is_err());
    assert_eq!(names(directory.path()), Vec::<String>::new());
    write_atomic(&path, b"whole").unwrap();
    assert!(write_atomic_with(&path, fail).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"whole");
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn a_named_file_replaces_its_own_kind_only() {
    let directory = tempfile::tempdir().unwrap();
    let kind = FileKind {
        name: "a poem",
        recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with("poem")),
    };
    let path = directory.path().join("p.txt");
    let write = |text: &str| {
        OutputFile::new(&path, kind)?.write(|file| Ok(file.write_all(text.as_bytes())?))
    };
    write("poem 1").unwrap();
    write("poem 2").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"poem 2");
    fs::write(&path, "a thesis").unwrap();
    assert!(write("poem 3").unwrap_err().to_string().contains("exists and is not a poem"));
    assert_eq!(fs::read(&path).unwrap(), b"a thesis");
    fs::write(&path, "").unwrap();
    write("poem 4").unwrap();
    assert!(OutputFile::new(directory.path(), kind).is_err());
    assert!(OutputFile::new(&directory.path().join("no/p.txt"), kind).is_err());
}

#[test]
fn a_directory_of_something_else_is_refused_and_not_touched() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("thesis.tex"), "…").unwrap();
    let message = OutputDir::create(directory.path(), "config.json").unwrap_err().to_string();
    assert!(message.contains("already holds something else (thesis.tex)"), "{message}");
    let message = StagedDir::create(directory.path(), "").unwrap_err().to_string();
    assert!(message.contains("already holds something else (thesis.tex)"), "{message}");
    assert_eq!(names(directory.path()), ["thesis.tex"]);
    let file = directory.path().join("thesis.tex");
    let message = StagedDir::create(&file, "").unwrap_err().to_string();
    assert!(message.contains("is a file"), "{message}");
}

#[test]
fn an_output_directory_is_resumed_by_its_marker() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run");
    let run = OutputDir::create(&path, "config.json").unwrap();
    write_atomic(&run.file("config.json"), b"{}").unwrap();
    write_atomic(&run.file("other"), b"").unwrap();
    drop(run);
    OutputDir::create(&path, "config.json").unwrap();
    assert_eq!(names(&path), ["config.json", "other"]);
}

#[test]
fn an_unused_output_directory_vanishes() {
    let directory = tempfile::tempdir().unwrap();
    drop(OutputDir::create(&directory.path().join("run"), "config.json").unwrap());
    drop(StagedDir::create(&directory.path().join("data"), "key").unwrap());
    assert_eq!(names(directory.path()), Vec::<String>::new());
}

#[test]
fn a_second_writer_is_refused_and_the_lock_of_a_dead_one_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run");
    // What a killed process leaves: the file, but no lock on it.
    fs::create_dir(&path).unwrap();
    fs::write(path.join(".lock"), "").unwrap();
    let first = OutputDir::create(&path, "config.json").unwrap();
    let message = OutputDir::create(&path, "config.json").unwrap_err().to_string();
    assert!(message.contains("another process is writing to"), "{message}");
    drop(first);
    OutputDir::create(&path, "config.json").unwrap();

    let path = directory.path().join("data");
    let first = StagedDir::create(&path, "key").unwrap();
    let message = StagedDir::create(&path, "key").unwrap_err().to_string();
    assert!(message.contains("another process is writing to"), "{message}");
    drop(first);
    StagedDir::create(&path, "key").unwrap();
}

#[test]
fn staged_work_is_kept_under_its_key_and_published_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let staged = StagedDir::create(&path, "one").unwrap();
    fs::write(staged.file("parts/1").unwrap(), "1").unwrap();
    drop(staged);
    assert_eq!(names(directory.path()), [".data.partial"]);

    let staged = StagedDir::create(&path, "one").unwrap();
    assert!(staged.file("parts/1").unwrap().exists());
    drop(staged);
    let message = StagedDir::create(&path, "two").unwrap_err().to_string();
    assert!(message.contains("unfinished work of a run with other arguments"), "{message}");

    let staged = StagedDir::create(&path, "one").unwrap();
    fs::write(staged.file("parts/2").unwrap(), "2").unwrap();
    staged.publish().unwrap();
    assert_eq!(names(directory.path()), ["data"]);
    assert_eq!(names(&path), ["parts"]);
    assert_eq!(names(&path.join("parts")), ["1", "2"]);
}

#[test]
fn a_result_may_take_the_place_of_an_empty_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    fs::create_dir(&path).unwrap();
    let staged = StagedDir::create(&path.join("."), "key").unwrap();
    fs::write(staged.file("a").unwrap(), "").unwrap();
    staged.publish().unwrap();
    assert_eq!(names(&path), ["a"]);
}

#[test]
fn a_directory_that_could_not_get_its_name_can_be_published_later() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let staged = StagedDir::create(&path, "key").unwrap();
    write_atomic(&staged.file("work").unwrap(), b"done").unwrap();
    // Somebody takes the name in the meantime.
    fs::create_dir(&path).unwrap();
    fs::write(path.join("thesis.tex"), "…").unwrap();
    let message = staged.publish().unwrap_err().to_string();
    assert!(message.contains(".data.partial is whole"), "{message}");
    assert_eq!(names(&path), ["thesis.tex"]);
    fs::remove_dir_all(&path).unwrap();
    let staged = StagedDir::create(&path, "key").unwrap();
    assert_eq!(fs::read(staged.path().join("work")).unwrap(), b"done");
    staged.publish().unwrap();
    assert_eq!(names(&path), ["work"]);
    assert_eq!(names(directory.path()), ["data"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_an_empty_directory_stays_one() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let [real, link] = ["real", "link"].map(|name| directory.path().join(name));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    drop(StagedDir::create(&link, "key").unwrap());
    assert_eq!(names(directory.path()), ["link", "real"]);
    let staged = StagedDir::create(&link, "key").unwrap();
    write_atomic(&staged.file("work").unwrap(), b"done").unwrap();
    staged.publish().unwrap();
    assert!(link.is_symlink());
    assert_eq!(names(&link), ["work"]);

    let nowhere = directory.path().join("nowhere");
    symlink(directory.path().join("gone"), &nowhere).unwrap();
    let message = StagedDir::create(&nowhere, "key").unwrap_err().to_string();
    assert!(message.contains("leads nowhere"), "{message}");
}

#[test]
fn what_did_no_work_stands_in_nobodys_way() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let staged = StagedDir::create(&path, "one").unwrap();
    fs::create_dir(staged.path().join("units")).unwrap();
    // As if the process had been killed.
    std::mem::forget(staged);
    fs::remove_file(directory.path().join(".data.partial/.lock")).unwrap();
    let staged = StagedDir::create(&path, "two").unwrap();
    fs::write(staged.path().join("units/0"), "work").unwrap();
    drop(staged);
    let message = StagedDir::create(&path, "three").unwrap_err().to_string();
    assert!(message.contains("unfinished work of a run with other arguments"), "{message}");
    StagedDir::create(&path, "two").unwrap();
}

#[test]
fn work_for_a_file_is_kept_beside_it_until_it_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table");
    fs::write(&path, "an earlier one").unwrap();
    let work = |key: &str| {
        let staged = StagedDir::beside(&path, key)?;
        fs::write(staged.file("parts/1")?, "1")?;
        fs::write(staged.file("items")?, "1")?;
        anyhow::Ok(staged)
    };
    drop(work("one").unwrap());
    let message = work("two").unwrap_err().to_string();
    assert!(message.contains("unfinished work of a run with other arguments"), "{message}");
    work("one").unwrap().discard().unwrap();
    assert_eq!(names(directory.path()), ["table"]);
    assert_eq!(fs::read(&path).unwrap(), b"an earlier one");
    // Empty files are no work.
    let staged = StagedDir::beside(&path, "two").unwrap();
    fs::write(staged.file("items").unwrap(), "").unwrap();
    drop(staged);
    assert_eq!(names(directory.path()), ["table"]);
    // Killed when the result was written, and before the work was given up.
    let staged = work("two").unwrap();
    StagedDir::tidy_beside(&path);
    assert_eq!(names(directory.path()), [".table.partial", "table"], "a process is at work");
    drop(staged);
    StagedDir::tidy_beside(&path);
    assert_eq!(names(directory.path()), ["table"]);
}

/// A directory with a file that nobody may touch, and the path of a directory of ours.
#[cfg(unix)]
fn beside_a_victim(directory: &Path) -> (std::path::PathBuf, std::path::PathBuf) {
    let victim = directory.join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("thesis.tex"), "…").unwrap();
    (victim, directory.join("data"))
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_a_staging_directory() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let (victim, path) = beside_a_victim(directory.path());
    symlink(&victim, directory.path().join(".data.partial")).unwrap();
    let message = StagedDir::create(&path, "key").unwrap_err().to_string();
    assert!(message.contains(".data.partial is a link"), "{message}");
    fs::remove_file(directory.path().join(".data.partial")).unwrap();
    let staged = StagedDir::create(&path, "key").unwrap();
    symlink(&victim, staged.path().join("units")).unwrap();
    for refused in [staged.file("units/1"), staged.directory("units")] {
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("units is a link"), "{message}");
    }
    assert_eq!(names(&victim), ["thesis.tex"]);
}

#[cfg(unix)]
#[test]
fn the_lock_is_no_link() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let (victim, path) = beside_a_victim(directory.path());
    fs::create_dir(&path).unwrap();
    symlink(victim.join("new"), path.join(".lock")).unwrap();
    let taken = OutputDir::create(&path, "config.json").unwrap();
    assert!(OutputDir::create(&path, "config.json").is_err());
    drop(taken);
    assert_eq!(names(&victim), ["thesis.tex"]);
    assert_eq!(names(&path), Vec::<String>::new());
}

#[test]
fn a_lock_that_was_replaced_is_not_taken() {
    // Many that come and go: whoever has the directory must be the only one.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run");
    fs::create_dir(&path).unwrap();
    let inside = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..400 {
                    let Ok(taken) = OutputDir::create(&path, "config.json") else { continue };
                    let before = inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    assert_eq!(before, 0, "two have the directory");
                    inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    drop(taken);
                }
            });
        }
    });
}

#[test]
fn what_killed_processes_left_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("run");
    fs::create_dir_all(run.join("rows")).unwrap();
    for name in ["config.json", ".lock", ".config.json.tmp", "rows/.1.json.tmp", "rows/1.json"] {
        fs::write(run.join(name), "").unwrap();
    }
    drop(OutputDir::create(&run, "config.json").unwrap());
    assert_eq!(names(&run), ["config.json", "rows"]);
    assert_eq!(names(&run.join("rows")), ["1.json"]);

    // Killed between the final name and the end.
    let done = directory.path().join("done");
    fs::create_dir(&done).unwrap();
    for name in [".lock", ".key", "work"] {
        fs::write(done.join(name), "").unwrap();
    }
    StagedDir::tidy(&done);
    assert_eq!(names(&done), ["work"]);

    let kind = FileKind { name: "a poem", recognise: |_| true };
    let poem = directory.path().join("poem");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(600);
    for name in [".poem.123.tmp", ".poem.456.tmp", ".poem.mine.tmp"] {
        let file = File::create(directory.path().join(name)).unwrap();
        file.set_modified(old).unwrap();
    }
    // A process that lives.
    let living = File::options().write(true).open(directory.path().join(".poem.456.tmp")).unwrap();
    living.lock().unwrap();
    OutputFile::new(&poem, kind).unwrap().write(|file| Ok(file.write_all(b"poem")?)).unwrap();
    assert_eq!(names(directory.path()), [".poem.456.tmp", ".poem.mine.tmp", "done", "poem", "run"]);
}

#[cfg(unix)]
#[test]
fn a_name_in_a_file_leads_to_a_regular_file_inside_only() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let (victim, path) = beside_a_victim(directory.path());
    fs::create_dir_all(path.join("proofs")).unwrap();
    fs::write(path.join("proofs/1.json"), "").unwrap();
    assert_eq!(named_inside(&path, "proofs/1.json").unwrap(), path.join("proofs/1.json"));
    symlink(&victim, path.join("out")).unwrap();
    symlink(victim.join("thesis.tex"), path.join("link")).unwrap();
    let pipe = path.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let absolute = path.join("proofs/1.json");
    for name in [
        "/dev/zero",
        "../victim/thesis.tex",
        "out/thesis.tex",
        "link",
        "pipe",
        "proofs",
        "",
        "none",
        absolute.to_str().unwrap(),
    ] {
        assert!(named_inside(&path, name).is_err(), "{name}");
    }
}
