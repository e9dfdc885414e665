//! What a search for rules promises: each module is named after what it shows.

mod all_rules_are_true;
mod any_end_goes_on;
mod common;
mod conditions_are_weak;
mod pruned_rules_have_proofs;
mod tables_say_what_operators_compute;
