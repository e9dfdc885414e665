//! Seeds that training has not seen.
