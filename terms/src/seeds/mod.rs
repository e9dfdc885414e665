//! Terms from files or drawn at random, and their normal forms. It must not know e-graphs, but for the
//! filter of random terms.

pub(crate) mod normal_form;
pub(crate) mod one_sort;
pub(crate) mod random;
pub(crate) mod read;
pub(crate) mod seen_seeds;
pub(crate) mod term_file;
