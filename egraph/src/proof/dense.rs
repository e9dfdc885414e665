//! Maps keyed by small integers, kept from one use to the next.

/// A map from ids to numbers that forgets everything in constant time.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseMap {
    /// When each entry was written, and its value.
    entries: Vec<(u32, u32)>,
    now: u32,
}

impl DenseMap {
    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.now = self.now.checked_add(1).unwrap_or_else(|| {
            self.entries.clear();
            1
        });
    }

    /// The value of `key`.
    pub fn get(&self, key: u32) -> Option<u32> {
        match self.entries.get(key as usize) {
            Some(&(when, value)) if when == self.now => Some(value),
            _ => None,
        }
    }

    /// Sets the value of `key`; whether it had none.
    pub fn insert(&mut self, key: u32, value: u32) -> bool {
        let key = key as usize;
        if key >= self.entries.len() {
            self.entries.resize(key + 1 + key / 2, (self.now.wrapping_sub(1), 0));
        }
        let new = self.entries[key].0 != self.now;
        self.entries[key] = (self.now, value);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_when_told() {
        let mut map = DenseMap::default();
        map.clear();
        assert!(map.insert(7, 1));
        assert!(!map.insert(7, 2));
        assert_eq!((map.get(7), map.get(8), map.get(1_000)), (Some(2), None, None));
        map.clear();
        assert_eq!(map.get(7), None);
        assert!(map.insert(7, 3));
    }
}
