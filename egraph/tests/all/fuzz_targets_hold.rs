//! What is fuzzed without a file (cairn/fuzz), with random input.

#[path = "../../../cairn/fuzz/unions.rs"]
mod unions;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn equations(data in prop::collection::vec(any::<u8>(), 0..90)) {
        unions::unions(&data);
    }
}
