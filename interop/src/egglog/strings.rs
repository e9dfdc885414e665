//! Strings as atoms. What can't stand in an atom is written as another character, so that places in the text
//! stay; line ends within a string come after it.

/// A text in which every string is one atom: white space in it becomes `␣`, parentheses and semicolons become
/// those of other scripts. Strings that differ stay different, but for those with such characters in them.
pub(super) fn as_atoms(text: &str) -> String {
    let mut atoms = String::with_capacity(text.len());
    let (mut within, mut comment, mut escaped) = (false, false, false);
    let mut line_ends = String::new();
    for c in text.chars() {
        let was_escaped = std::mem::take(&mut escaped);
        match c {
            '\n' | '\r' if !within => comment = false,
            ';' if !within => comment = true,
            '"' if !comment && !was_escaped => within = !within,
            '\\' if within => escaped = !was_escaped,
            _ => {}
        }
        atoms.push(match c {
            '(' if within => '❨',
            ')' if within => '❩',
            ';' if within => '；',
            '\n' | '\r' if within => {
                line_ends.push(c);
                '␣'
            }
            '\u{feff}' if within => '␣',
            c if within && c.is_whitespace() => '␣',
            c => c,
        });
        if !within {
            atoms.push_str(&std::mem::take(&mut line_ends));
        }
    }
    atoms
}
