//! Names of files for things that have names of any kind.

use std::collections::BTreeSet;

/// A name of a file for each, all of them distinct: what can't stand in one becomes `_`, and a later one of two alike gets a
/// number.
pub fn file_names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    names
        .map(|name| {
            let plain = name.replace(['/', '\\'], "_");
            let numbered = (2..).map(|number| format!("{plain}_{number}"));
            let free = std::iter::once(plain.clone()).chain(numbered);
            let name = free.into_iter().find(|name| !taken.contains(name)).unwrap_or(plain);
            taken.insert(name.clone());
            name
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_be_alike_are_told_apart() {
        let names = ["a/b", "a_b", "a_b_2", "a\\b", "c"];
        assert_eq!(file_names(names.into_iter()), ["a_b", "a_b_2", "a_b_2_2", "a_b_3", "c"]);
    }
}
