//! Additions, unions and rebuilds beside a naive congruence closure.
#![no_main]

#[path = "../entries.rs"]
#[allow(dead_code)]
mod entries;

libfuzzer_sys::fuzz_target!(|data: &[u8]| entries::unions(data));
