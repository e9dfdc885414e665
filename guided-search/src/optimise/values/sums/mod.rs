//! Smaller terms of sums: what is linear over bitwise terms is put together anew, from the inside out.
//!
//! A word that is a sum of multiples of bitwise terms over some atoms is known by one coefficient for each combination of
//! their truth values (Zhou et al., *Information Hiding in Software with Mixed Boolean-Arithmetic Transforms*, WISA 2007;
//! SiMBA, CheckMATE 2022). So the smallest sum of a few multiples can be looked for by these coefficients alone.

mod bitwise;
mod inside_out;
mod signature;
mod smallest;

pub use inside_out::put_together_anew;

#[cfg(test)]
mod tests;
