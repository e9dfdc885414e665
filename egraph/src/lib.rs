//! Explanation-producing e-graphs over rewrite systems given as text.
pub mod builtin;
pub mod language;
pub mod pattern;
pub mod schedule;
pub mod sexpr;
pub mod system;
pub mod term;
