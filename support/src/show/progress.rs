//! Progress of long work: a bar on a terminal, plain lines in a log, nothing if quiet.

use super::console::note;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// In a log a line is written when at least this long has passed since the last one.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// Counts finished items and shows the rate, the remaining time and the memory in use on the
/// standard error. It may be shared between threads.
#[derive(Debug)]
pub struct Progress {
    label: String,
    total: u64,
    done: AtomicU64,
    /// How many of them were done by an earlier run.
    found: AtomicU64,
    message: Mutex<String>,
    shown: Shown,
}

#[derive(Debug)]
enum Shown {
    Bar(ProgressBar),
    Lines { start: Instant, last: Mutex<Instant> },
    Nothing,
}

impl Progress {
    /// Work on `total` items, called `label` ("seeds", "steps").
    pub fn new(label: &str, total: u64, quiet: bool) -> Progress {
        let now = Instant::now();
        let shown = if quiet {
            Shown::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = "{prefix:>10} [{bar:30}] {pos}/{len} {per_sec} ETA {eta} {msg}";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_prefix(label.to_owned());
            bar.enable_steady_tick(Duration::from_millis(500));
            Shown::Bar(bar)
        } else {
            Shown::Lines { start: now, last: Mutex::new(now) }
        };
        Progress {
            label: label.to_owned(),
            total,
            done: AtomicU64::new(0),
            found: AtomicU64::new(0),
            message: Mutex::new(String::new()),
            shown,
        }
    }

    /// What to show beside the numbers from now on, such as a loss.
    pub fn message(&self, text: impl Into<String>) {
        if let Ok(mut message) = self.message.lock() {
            *message = text.into();
        }
    }

    /// `count` further items are done.
    pub fn advance(&self, count: u64) {
        let done = self.done.fetch_add(count, Ordering::Relaxed) + count;
        match &self.shown {
            Shown::Bar(bar) => {
                bar.set_message(self.tail());
                bar.inc(count);
            }
            Shown::Lines { start, last } => {
                // A thread that finds the clock taken leaves the line to the one that has it.
                if let Ok(mut last) = last.try_lock()
                    && last.elapsed() >= LINE_EVERY
                {
                    *last = Instant::now();
                    self.line(done, start.elapsed());
                }
            }
            Shown::Nothing => {}
        }
    }

    /// `count` items were done by an earlier run: they say nothing about the rate.
    pub fn found(&self, count: u64) {
        self.found.fetch_add(count, Ordering::Relaxed);
        self.done.fetch_add(count, Ordering::Relaxed);
        if let Shown::Bar(bar) = &self.shown {
            bar.inc(count);
            bar.reset_eta();
        }
    }

    /// Writes a line above the bar, or into the log.
    pub fn print(&self, text: &str) {
        match &self.shown {
            Shown::Bar(bar) => bar.suspend(|| note(text)),
            Shown::Lines { .. } => note(text),
            Shown::Nothing => {}
        }
    }

    /// The work is over: shows the final numbers.
    pub fn finish(&self) {
        match &self.shown {
            Shown::Bar(bar) => {
                bar.set_message(self.tail());
                bar.abandon();
            }
            Shown::Lines { start, .. } => {
                self.line(self.done.load(Ordering::Relaxed), start.elapsed());
            }
            Shown::Nothing => {}
        }
    }

    fn line(&self, done: u64, elapsed: Duration) {
        note(&format!("{} {}", self.numbers(done, elapsed), self.tail()));
    }

    fn numbers(&self, done: u64, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs_f64();
        let found = self.found.load(Ordering::Relaxed);
        let new = done.saturating_sub(found);
        let rate = if seconds > 0.0 { new as f64 / seconds } else { 0.0 };
        let found = if found > 0 { format!(" ({found} found)") } else { String::new() };
        let left = self.total.saturating_sub(done);
        let remaining = if left > 0 && rate > 0.0 {
            let eta = Duration::from_secs_f64((left as f64 / rate).min(1e9));
            format!(", ETA {}", HumanDuration(eta))
        } else {
            String::new()
        };
        let Progress { label, total, .. } = self;
        format!("{label}: {done}/{total}{found} in {seconds:.1} s, {rate:.2}/s{remaining}")
    }

    fn tail(&self) -> String {
        let message = self.message.lock().map(|m| m.clone()).unwrap_or_default();
        match resident_bytes() {
            Some(bytes) => format!("{message} ({} MiB)", bytes >> 20),
            None => message,
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // An error on the way: leave the terminal in order.
        if let Shown::Bar(bar) = &self.shown {
            bar.abandon();
        }
    }
}

/// The memory of this process that is in RAM, where the system tells (Linux).
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_run_did_says_nothing_about_the_rate() {
        let progress = Progress::new("seeds", 10, true);
        let after = |done: u64| progress.numbers(done, Duration::from_secs(2));
        progress.advance(2);
        assert_eq!(after(2), "seeds: 2/10 in 2.0 s, 1.00/s, ETA 8 seconds");
        progress.found(4);
        assert_eq!(after(6), "seeds: 6/10 (4 found) in 2.0 s, 1.00/s, ETA 4 seconds");
    }
}
