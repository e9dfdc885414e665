//! What the engine must do, a sentence a file.

#[path = "../common/mod.rs"]
mod common;

mod all_pairs_of_a_class_are_explained;
mod best_first_goes_deep;
mod binders_in_rule_files_are_checked;
mod binding_is_by_place_not_by_name;
mod corpus;
mod corrupted_proofs_are_refused;
mod documented_proof_is_accepted;
mod documented_systems_parse;
mod egraphs_are_stored;
mod equalities_can_be_given;
mod examples_run;
mod extraction_finds_the_cheapest;
mod facts_are_proved;
mod fuzz_targets_hold;
mod grows_as_egg_does;
mod literals_of_each_kind_are_computed_with;
mod loops_become_library_calls;
mod loops_count_their_bodies;
mod matrix_products_are_optimised_in_stages;
mod mistakes_in_rule_files_are_located;
mod no_match_is_missed;
mod no_text_makes_the_parsers_panic;
mod normal_forms_are_proved;
mod proof_files_round_trip;
mod proofs_are_accepted_by_the_checker;
mod proofs_are_shortened;
mod proofs_over_shipped_systems;
mod rules_draw_from_pools;
mod saturated_sizes_are_exact;
mod shipped_algebra_is_sound;
mod shipped_idioms_are_sound;
mod shipped_mba_is_sound;
mod shipped_rise_is_sound;
mod shipped_seeds_are_well_formed;
mod shipped_systems_are_sound;
mod shipped_tensor_is_sound;
mod sketches_find_the_smallest_term;
mod strategies_are_followed;
mod work_ends_within_its_bounds;
