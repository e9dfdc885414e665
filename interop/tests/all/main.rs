//! Programs of egglog that become rules files, e-graphs as other programs read them,
//! expressions of C, functions of LLVM IR and MLIR, and rules as queries of SMT-LIB.

mod c_expressions_keep_their_value;
mod c_functions_keep_their_values;
mod common;
mod egglog_programs_are_taken_over;
mod egraphs_are_written_for_other_programs;
mod false_rules_are_refuted_and_true_ones_are_not;
mod formulas_are_what_is_evaluated;
mod llvm_keeps_what_is_defined;
mod mlir_gets_better_terms;
mod mlir_holds_e_graphs;
mod mlir_is_printed_as_it_is_read;
mod mlir_keeps_what_is_defined;
mod no_program_makes_the_import_panic;
mod relations_of_two_terms_hold_of_one;
mod smt;
mod solvers_may_misbehave;
mod what_is_left_out_is_said;
