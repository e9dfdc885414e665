//! Loops over plain numbers on the processor, with the widest vectors that it has.

pub(crate) mod attention;
pub(crate) mod product;
pub(crate) mod rows;
pub(crate) mod transposed_keys;
