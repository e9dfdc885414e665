//! A run of another program: with an end in time, and output that is limited.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// How much longer than the program its output may take.
pub(crate) const GRACE: Duration = Duration::from_millis(500);
/// How often a running program is looked at.
const GLANCE: Duration = Duration::from_millis(1);
/// More bytes of what a program complains of are not read.
const MOST_COMPLAINT: u64 = 1 << 16;

/// How a program ended.
pub(crate) struct Ran {
    pub output: String,
    /// Whether that is all that it wrote.
    pub is_whole: bool,
    /// What it wrote to its standard error.
    pub complaint: String,
    /// Whether it says that it was successful.
    pub success: bool,
}

/// What a program writes to its output, up to `most` bytes, given some input; it is ended when its time is over or `asked` is
/// set.
///
/// # Errors
/// It can't be run, or does not end.
pub(crate) fn run(
    command: &mut Command,
    input: &str,
    time: Duration,
    most: u64,
    asked: &AtomicBool,
) -> Result<Ran, String> {
    let begin = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("it can't be run: {error}"))?;
    // A program that does not read keeps the writer waiting, and nobody else.
    if let (Some(mut stdin), input) = (child.stdin.take(), input.to_owned()) {
        spawn(move || stdin.write_all(input.as_bytes()).ok());
    }
    let output = reader(child.stdout.take(), most);
    let complaint = reader(child.stderr.take(), MOST_COMPLAINT);
    let success = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if begin.elapsed() < time && !asked.load(Ordering::SeqCst) => sleep(GLANCE),
            _ => {
                child.kill().ok();
                child.wait().ok();
                return Err("it gave no answer in its time".to_owned());
            }
        }
    };
    // What the program started may keep its output open.
    let output = output.recv_timeout(GRACE);
    let (output, is_whole) = output.map_err(|_| "its output does not end".to_owned())?;
    let (complaint, _) = complaint.recv_timeout(GRACE).unwrap_or_default();
    Ok(Ran { output, is_whole, complaint, success })
}

/// Reads what a program writes beside it, up to so many bytes, and says whether that is all.
fn reader(from: Option<impl Read + Send + 'static>, most: u64) -> Receiver<(String, bool)> {
    let (sender, receiver) = channel();
    if let Some(from) = from {
        spawn(move || {
            let mut bytes = Vec::new();
            // One byte more tells whether that is all.
            from.take(most.saturating_add(1)).read_to_end(&mut bytes).ok();
            let is_whole = bytes.len() as u64 <= most;
            bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
            sender.send((String::from_utf8_lossy(&bytes).into_owned(), is_whole)).ok();
        });
    }
    receiver
}
