//! Options that were renamed: for one release the old name does what it did, and the new one is said.

use clap::Command;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// What is said of an old name.
pub fn was_renamed(old: &str, new: &str) -> String {
    format!("warning: {old} is called {new} now; the next release does not know the old name")
}

/// What is to be said of the arguments of a program: hidden aliases of a command's options are their old names.
pub fn warnings(program: &Command, arguments: &[OsString]) -> Vec<String> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let words = words.split(|&word| word == "--").next().unwrap_or_default();
    let command = words.iter().find_map(|&word| program.find_subcommand(word));
    let renamed: BTreeMap<String, String> = command
        .iter()
        .flat_map(|command| command.get_arguments())
        .flat_map(|argument| {
            let new = argument.get_long().unwrap_or_default();
            let old = argument.get_all_aliases().unwrap_or_default();
            old.into_iter().map(move |old| (format!("--{old}"), format!("--{new}")))
        })
        .collect();
    let said = |word: &&str| {
        let old = word.split('=').next().unwrap_or_default();
        renamed.get(old).map(|new| was_renamed(old, new))
    };
    words.iter().filter_map(said).collect()
}
