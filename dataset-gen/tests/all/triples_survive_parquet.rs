//! What is written to Parquet is read again.

use dataset_gen::{Split, Triple, read_triples, write_triples};
use proptest::prelude::*;

prop_compose! {
    fn triple()(
        numbers in any::<(u64, u32, u64, u32, u32, u32, u32, u32, u32)>(),
        texts in any::<(String, String, String, String)>(),
    ) -> Triple {
        let (id, seed, proof, steps_start_guide, steps_guide_target, start_size, guide_size, target_size, depth) =
            numbers;
        let (seed_id, start, guide, target) = texts;
        Triple {
            id, seed, seed_id, proof, start, guide, target, steps_start_guide, steps_guide_target,
            start_size, guide_size, target_size, depth,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_triples(triples in prop::collection::vec(triple(), 0..40)) {
        let directory = tempfile::tempdir().unwrap();
        write_triples(directory.path(), Split::Test, &triples).unwrap();
        prop_assert_eq!(read_triples(directory.path(), Split::Test).unwrap(), triples);
    }
}

#[test]
fn more_than_one_row_group() {
    let directory = tempfile::tempdir().unwrap();
    let triples: Vec<Triple> =
        (0..40_000).map(|id| Triple { id, start: format!("v{id}"), ..Triple::default() }).collect();
    write_triples(directory.path(), Split::Train, &triples).unwrap();
    assert_eq!(read_triples(directory.path(), Split::Train).unwrap(), triples);
}
