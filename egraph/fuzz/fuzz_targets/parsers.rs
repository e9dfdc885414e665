//! Any text through every parser.
#![no_main]

#[path = "../entries.rs"]
#[allow(dead_code)]
mod entries;

libfuzzer_sys::fuzz_target!(|text: &str| entries::parsers(text));
