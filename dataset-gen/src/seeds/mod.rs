//! What goes in: seed terms from files or drawn at random, and the split that each belongs to. It must
//! not know e-graphs, but for the filter of random terms.

pub(crate) mod assign_splits;
pub mod normal_form;
pub(crate) mod one_sort;
pub mod random;
pub mod read;
pub mod seen_seeds;
pub mod split;
pub mod term_file;
