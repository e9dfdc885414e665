//! The tests that cross files, each named after what it shows.

mod answers_do_not_depend_on_who_asks_together;
mod attention_agrees_with_the_formula;
mod beginning;

mod candle_starts_no_threads;
mod common;
mod guides_are_terms;
mod step_by_step_equals_all_at_once;
mod the_network_agrees_with_its_formula;
mod tokens_are_read_from_one_file;
mod training;
mod training_and_decoding_share_one_distribution;
