//! The programs that read MLIR as people write it, and write the generic form.

use crate::program::run;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The variable that names a program, the program that is looked for without it, and its option.
const KNOWN: [(&str, &str, &str); 2] = [
    ("MLIR_OPT", "mlir-opt", "--mlir-print-op-generic"),
    ("XDSL_OPT", "xdsl-opt", "--print-op-generic"),
];
/// How long it may take.
const TIME: Duration = Duration::from_secs(60);
/// How much it may write, in bytes.
const MOST_OUTPUT: u64 = 1 << 30;

/// A program that writes the generic form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MlirTool {
    program: PathBuf,
    option: &'static str,
}

impl MlirTool {
    /// The first that there is: what the variable `MLIR_OPT` names, `mlir-opt` in the directories of `PATH`, the same with `XDSL_OPT` and
    /// `xdsl-opt`. A variable that is empty names none, and none is looked for in its place. `variable` gives the values.
    pub fn find(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<MlirTool> {
        let path = variable("PATH").unwrap_or_default();
        KNOWN.into_iter().find_map(|(name, program, option)| {
            let program = match variable(name) {
                Some(named) if named.is_empty() => None,
                Some(named) => Some(PathBuf::from(named)),
                None => on_path(&path, program),
            };
            program.map(|program| MlirTool { program, option })
        })
    }

    /// A file in the generic form, with the places of its operations left out.
    ///
    /// # Errors
    /// What the program says, or why it says nothing.
    pub fn generic(&self, file: &Path) -> Result<String, String> {
        let never = AtomicBool::new(false);
        let mut command = Command::new(&self.program);
        // A name that begins with a dash is no option.
        let file = if file.is_relative() { Path::new(".").join(file) } else { file.to_owned() };
        command.arg(self.option).arg("--allow-unregistered-dialect").arg(file);
        let ran = run(&mut command, "", TIME, MOST_OUTPUT, &never)?;
        match (ran.success, ran.is_whole) {
            (true, true) => Ok(ran.output),
            (true, false) => Err(format!("it wrote more than {MOST_OUTPUT} bytes")),
            (false, _) => Err(complaint(&ran.complaint)),
        }
    }
}

impl fmt::Display for MlirTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.program.display(), self.option)
    }
}

fn on_path(path: &OsStr, program: &str) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|directory| directory.join(program))
        .find(|program| program.is_file())
}

/// What a program complains of, in one line: the first that says what is wrong, or the last one.
fn complaint(said: &str) -> String {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let wrong = lines().find(|line| line.contains("error:")).or_else(|| lines().next_back());
    wrong.map_or_else(|| "it failed without a word".to_owned(), str::to_owned)
}
