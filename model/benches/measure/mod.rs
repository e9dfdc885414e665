//! What Linux counts of this process: on a machine that others use as well, processor time says more
//! than the time that passes.
#![allow(dead_code)] // each bench uses a part

use anyhow::{Context, Result};
use std::fs::read_to_string;

/// Processor seconds of all threads so far, to a hundredth.
pub fn of_process() -> Result<f64> {
    let stat = read_to_string("/proc/self/stat")?;
    // Behind the name, which may hold anything: state, ten numbers, then user and system time.
    let numbers = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = numbers.skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>().context("/proc/self/stat has no times")? / 100.0)
}

/// Processor seconds of this thread so far, to a nanosecond.
pub fn of_thread() -> Result<f64> {
    // The kernel adds up when it schedules, every few milliseconds by itself.
    std::thread::yield_now();
    let stat = read_to_string("/proc/thread-self/schedstat")?;
    let first = stat.split_whitespace().next().and_then(|n| n.parse::<f64>().ok());
    Ok(first.context("/proc/thread-self/schedstat has no times")? / 1e9)
}

/// The most memory that the process has had resident.
pub fn resident_mib() -> Result<f64> {
    let status = read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    Ok(kib.context("/proc/self/status has no VmHWM")? / 1024.0)
}
