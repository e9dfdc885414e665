//! One reader, which the variable READER names, with whatever libFuzzer thinks of.
#![no_main]

#[path = "../readers.rs"]
mod readers;
#[path = "../unions.rs"]
mod unions;

use std::sync::OnceLock;
use support::EndsInWords;

/// That of the program: where a damaged file asks for all the memory of the world, it ends in words.
#[global_allocator]
static ALLOCATOR: EndsInWords = EndsInWords;

static READER: OnceLock<fn(&[u8]) -> bool> = OnceLock::new();

libfuzzer_sys::fuzz_target!(
    init: {
        let name = std::env::var("READER").expect("READER names a reader");
        let named = readers::READERS.iter().find(|(known, _)| *known == name);
        let _ = READER.set(named.expect("a reader of readers.rs").1);
    },
    |data: &[u8]| {
        READER.get().expect("chosen at the start")(data);
    }
);
