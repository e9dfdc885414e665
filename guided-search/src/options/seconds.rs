//! A time, in seconds.

use serde::Deserialize;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// A time that is given in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Seconds(pub Duration);

impl Seconds {
    /// When it is over that begins now; nothing where that is beyond all clocks.
    pub fn from_now(self) -> Option<Instant> {
        Instant::now().checked_add(self.0)
    }
}

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Seconds, String> {
        let time = Duration::try_from_secs_f64(seconds);
        time.map(Seconds).map_err(|_| format!("expected seconds, found {seconds}"))
    }
}

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seconds, String> {
        let seconds = text.parse::<f64>().ok().and_then(|seconds| Seconds::try_from(seconds).ok());
        seconds.ok_or_else(|| format!("expected seconds, found '{text}'"))
    }
}
