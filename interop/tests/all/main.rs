//! Programs of egglog that become rules files, e-graphs as other programs read them,
//! expressions of C, and functions of MLIR.

mod c_expressions_keep_their_value;
mod common;
mod egglog_programs_are_taken_over;
mod egraphs_are_written_for_other_programs;
mod mlir_gets_better_terms;
mod mlir_holds_e_graphs;
mod mlir_is_printed_as_it_is_read;
mod no_program_makes_the_import_panic;
mod relations_of_two_terms_hold_of_one;
mod what_is_left_out_is_said;
