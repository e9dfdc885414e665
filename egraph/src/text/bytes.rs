//! Sizes in bytes, written as `64MiB`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A number of bytes, at least one, read and written as `512KiB`, `64MiB`, `1GiB` or `1000B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub usize);

const UNITS: [(&str, usize); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS.iter().find(|(_, unit)| self.0.is_multiple_of(*unit) && self.0 >= *unit);
        let (name, unit) = whole.unwrap_or(&("B", 1));
        write!(f, "{}{name}", self.0 / unit)
    }
}

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let split = UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)));
        match split {
            // The number may have a sign for `parse`, but not for us.
            Some((number, unit))
                if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) =>
            {
                match number.parse().ok().and_then(|number: usize| number.checked_mul(unit)) {
                    Some(0) => Err(format!("'{text}' is too small: expected at least 1B")),
                    Some(bytes) => Ok(ByteSize(bytes)),
                    None => Err(format!("'{text}' is too large: expected less than 2^64 bytes")),
                }
            }
            _ => Err(format!("expected a size like 64MiB, 512KiB, 1GiB or 1000B, found '{text}'")),
        }
    }
}

impl Serialize for ByteSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written_alike() {
        for (text, bytes) in [("64MiB", 64 << 20), ("1GiB", 1 << 30), ("1000B", 1000)] {
            let size: ByteSize = text.parse().unwrap();
            assert_eq!((size.0, size.to_string().as_str()), (bytes, text));
        }
        for wrong in ["64", "64MB", "-1MiB", "1.5GiB", "+5MiB", " 5MiB", "MiB", ""] {
            assert!(
                wrong.parse::<ByteSize>().unwrap_err().starts_with("expected a size"),
                "{wrong}"
            );
        }
        let wrong = |text: &str| text.parse::<ByteSize>().unwrap_err();
        assert!(wrong("99999999999GiB").contains("too large"));
        assert!(wrong("99999999999999999999B").contains("too large"));
        assert!(wrong("0MiB").contains("too small"));
    }
}
