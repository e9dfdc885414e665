//! Programs of egglog that become rules files, e-graphs as other programs read them, and
//! expressions of C.

mod c_expressions_keep_their_value;
mod egglog_programs_are_taken_over;
mod egraphs_are_written_for_other_programs;
mod no_program_makes_the_import_panic;
mod what_is_left_out_is_said;
