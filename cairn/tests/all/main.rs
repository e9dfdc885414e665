//! What the program does, seen from outside: each module is named after what it shows.

mod a_dry_run_writes_nothing;
mod bad_input_is_refused;
mod bad_input_of_datasets_is_one_message;
mod binders_are_known_to_every_command;
mod both_checkers_agree_on_mutants;
mod both_checkers_say_the_same;
mod c_expressions_go_in_and_out;
mod common;
mod evaluation_repeats;
mod families_of_tasks_stand_apart;
mod gelu_needs_no_tanh;
mod guides_prove_what_one_egraph_cannot;
mod inspect_reads_what_commands_write;
mod killed_runs_go_on;
mod killed_trainings_go_on;
mod learning_goes_on_where_it_was;
mod literals_of_all_kinds_go_through;
mod many_terms_are_optimised;
mod newcomers_are_told_what_to_change;
mod optimise_finds_the_best_term;
mod optimisers_are_compared;
mod output_can_be_cut_off;
mod output_replaces_its_own_kind_only;
mod plans_are_learned;
mod proofs_are_worth_reading;
mod random_seeds_make_a_file;
mod resident_memory_stays_near_the_limit;
mod results_that_do_not_hold_are_done_again;
mod saturate_exports_e_graphs;
mod saturate_says_how_it_ended;
mod saturate_shows_the_published_growth;
mod seen_seeds_are_refused;
mod shipped_files_need_no_repository;
#[path = "../../../dataset-gen/tests/all/small_system/rules.rs"]
mod small_system;
mod system_check_shows_all_that_is_wrong;
