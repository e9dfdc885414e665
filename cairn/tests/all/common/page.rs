//! What pages show of what commands print.

/// The lines below a command on docs/words.md, without those that stand for others.
pub fn shown_below(command: &str) -> Vec<String> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/words.md"));
    let page = page.unwrap();
    let shown = page.split_once(&format!("{command}\n")).unwrap().1;
    let shown = shown.lines().take_while(|line| !line.is_empty()).map(|line| line[4..].to_owned());
    let shown: Vec<String> = shown.filter(|line| line != "…").collect();
    assert!(!shown.is_empty());
    shown
}

/// Whether each line that is shown is one of a text. Of a comment, the cost counts: how many steps a proof has says nothing here.
pub fn assert_shown(shown: &[String], text: &str) {
    let shorter = |line: &str| line.split("; proved").next().map(str::to_owned);
    for line in shown {
        let is_there = text.lines().any(|told| shorter(told) == shorter(line));
        assert!(is_there, "'{line}' is not in:\n{text}");
    }
}
