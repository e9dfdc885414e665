//! Numbers for readers.

/// A number with commas.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: "1 e-graph", "2,000 e-graphs".
pub fn counted(number: u64, thing: &str) -> String {
    counted_as(number, thing, &format!("{thing}s"))
}

/// As [`counted`], where the plural is not made with an s.
pub fn counted_as(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_things_a_plural() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(12), "12");
        assert_eq!(counted(1, "seed"), "1 seed");
        assert_eq!(counted_as(2_000, "box", "boxes"), "2,000 boxes");
    }
}
