//! What is rewritten: a language as data, terms with one id each, sketches. It must not know rules
//! or e-graphs.

pub(crate) mod bank;
pub(crate) mod bound;
pub(crate) mod builtin;
pub(crate) mod display;
pub(crate) mod import;
pub(crate) mod language;
pub(crate) mod leaves;
pub(crate) mod literal;
pub(crate) mod operator;
pub(crate) mod read;
pub(crate) mod sketch;
pub(crate) mod values;
