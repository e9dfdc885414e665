//! SIGINT and SIGTERM, where a command ends by itself when it is asked to.

use anyhow::{Context, Error, Result};
use model::ReadingStopped;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::note;

/// A command was asked to end, and did when it could: exit code 128 and the number of the signal,
/// as of programs that a signal ends.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Interrupted {
    /// The number of the signal.
    pub signal: u8,
    /// What stands, and how to go on.
    pub message: String,
}

/// From when it is made to when it is dropped, the first signal only sets a flag. The second, and
/// any at another time, ends the program at once.
pub struct Signals {
    /// Set by the first signal.
    pub asked: Arc<AtomicBool>,
    number: Arc<AtomicUsize>,
}

impl Signals {
    /// Catches the first signal.
    ///
    /// # Errors
    /// What the system says.
    pub fn catch() -> Result<Signals> {
        let signals = Signals { asked: Arc::default(), number: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset.
            flag::register_conditional_default(signal, signals.asked.clone())
                .and_then(|_| flag::register_usize(signal, signals.number.clone(), signal as usize))
                .and_then(|_| flag::register(signal, signals.asked.clone()))
                .context("cannot catch signals")?;
        }
        Ok(signals)
    }

    /// That the command ended as it was asked to. `message` says what stands, and how to go on.
    pub fn interrupted(&self, message: String) -> Interrupted {
        let signal = self.number.load(Ordering::SeqCst);
        Interrupted { signal: signal as u8, message }
    }

    /// An error of a training: if it was asked to end while it read its dataset, that it did.
    pub fn explain(&self, error: Error) -> Error {
        if !error.is::<ReadingStopped>() {
            return error;
        }
        let message = "stopped while the dataset was read into tokens, before the first step: the same \
                       command begins again";
        self.interrupted(message.to_owned()).into()
    }
}

/// From now on the first signal ends the program as [`Interrupted`] with this message, wherever it is: for
/// commands whose files are whole at any time.
///
/// # Errors
/// What the system says.
pub fn end_with(message: String) -> Result<()> {
    let mut signals =
        signal_hook::iterator::Signals::new([SIGINT, SIGTERM]).context("cannot catch signals")?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            note(&message);
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.asked.store(true, Ordering::SeqCst);
    }
}
