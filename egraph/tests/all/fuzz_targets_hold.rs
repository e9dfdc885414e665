//! The entries of the fuzz targets (egraph/fuzz), with random input.

#[path = "../../fuzz/entries.rs"]
mod entries;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn parsers(text in "[()?+<!a-c0-3 ;:{}\\[\\]\",\n]{0,60}") {
        entries::parsers(&text);
    }

    #[test]
    fn unions(data in prop::collection::vec(any::<u8>(), 0..90)) {
        entries::unions(&data);
    }
}
