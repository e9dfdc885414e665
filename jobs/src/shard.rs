//! Which items belong to which part.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One of `count` parts of numbered items: every `count`-th item, from number `index` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 0.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
}

impl Shard {
    /// The items of this part, of so many.
    pub fn of(self, items: u64) -> impl Iterator<Item = u64> {
        (u64::from(self.index)..items).step_by(self.count as usize)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(index, count)| {
            let shard = Shard { index: index.parse().ok()?, count: count.parse().ok()? };
            (shard.index < shard.count).then_some(shard)
        });
        numbers.ok_or_else(|| "expected I/N with I from 0 to N-1, as 0/8".to_owned())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_in_one_shard() {
        for text in ["3/3", "1", "a/2", "-1/2", "0/0", "1/2/3", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        let shards: Vec<Shard> = (0..3).map(|i| format!("{i}/3").parse().unwrap()).collect();
        for items in 0..10 {
            let mut all: Vec<u64> = shards.iter().flat_map(|shard| shard.of(items)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..items).collect::<Vec<_>>());
        }
    }
}
