//! Random choices that depend on nothing but the seed and on what they are for.
//!
//! `support::random` keys its streams by two numbers in another way: data sets are drawn with that one,
//! searches and tasks with this one, and either would draw otherwise with the other's.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The generator of one stream: a task, a request. It does not depend on what other streams
/// drew, so the order of the work can't show.
pub fn stream(seed: u64, a: u64, b: u64, c: u64) -> ChaCha8Rng {
    let mut key = [0u8; 32];
    for (bytes, number) in key.chunks_exact_mut(8).zip([seed, a, b, c]) {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_differ_and_repeat() {
        let first = |a, b| stream(1, a, b, 0).next_u64();
        assert_eq!(first(2, 3), first(2, 3));
        assert_ne!(first(2, 3), first(3, 2));
    }
}
