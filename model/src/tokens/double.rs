//! Which texts a double is displayed as: `12.5`, or `1.25e-7` where it is below 0.0001 or not below 10¹⁶.
//!
//! Which digits are the shortest that say a number is not asked: up to 17 are words, which is how many the
//! longest needs.

/// Digits of a number at most, from its first that is not zero.
const MOST_DIGITS: usize = 17;
/// Digits before the point at most.
const MOST_WHOLE: usize = 16;
/// Zeros between the point and the first other digit at most.
const MOST_ZEROS: usize = 3;

/// Whether `text` is a word.
pub(crate) fn is_word(text: &str) -> bool {
    let Some(Parts { whole, fraction, exponent }) = parts(text) else { return false };
    match (fraction, exponent) {
        (None, None) => false,
        (Some("0"), None) => text != "-0.0",
        (fraction, exponent) => {
            let size =
                exponent.map(|digits| digits.trim_start_matches('-').parse().unwrap_or(0u32));
            let least = if exponent.is_some_and(|digits| digits.starts_with('-')) { 5 } else { 16 };
            !fraction.is_some_and(|digits| digits.is_empty() || digits.ends_with('0'))
                && size.is_none_or(|size| size >= least)
                && !whole.is_empty()
                && is_in_range(text)
        }
    }
}

/// Whether a word longer than `text` begins with it.
pub(crate) fn begins_word(text: &str) -> bool {
    if text.is_empty() || text == "-" {
        return true;
    }
    let Some(Parts { whole, fraction, exponent }) = parts(text) else { return false };
    match (fraction, exponent) {
        // The point, at least.
        (_, None) if !text.contains('.') => true,
        (Some(""), None) => true,
        (Some(digits), None) => {
            digits_of(whole, digits) < MOST_DIGITS && zeros_fit(whole, &format!("{digits}1"))
                || (can_have_exponent(whole) && !digits.ends_with('0'))
        }
        (_, Some("" | "-")) => true,
        // If zero, which leads least far, does not fit behind, no digit does.
        (_, Some(digits)) => {
            digits.trim_start_matches('-').len() < 3 && is_in_range(&format!("{text}0"))
        }
        (None, None) => false,
    }
}

/// The digits of the beginning of a word.
struct Parts<'t> {
    whole: &'t str,
    /// Behind a point.
    fraction: Option<&'t str>,
    /// With its sign.
    exponent: Option<&'t str>,
}

/// `None` where no word begins so.
fn parts(text: &str) -> Option<Parts<'_>> {
    let number = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match number.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (number, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = |text: &str| text.starts_with('0') && text.len() > 1;
    let behind = fraction.unwrap_or("");
    let fits = !whole.is_empty()
        && whole.len() <= MOST_WHOLE
        && !leading_zero(whole)
        && digits(whole)
        && digits(behind)
        && digits_of(whole, behind) <= MOST_DIGITS
        && zeros_fit(whole, behind)
        && exponent.is_none_or(|exponent| {
            let size = exponent.strip_prefix('-').unwrap_or(exponent);
            can_have_exponent(whole)
                && !fraction.is_some_and(|digits| digits.is_empty() || digits.ends_with('0'))
                && size.len() <= 3
                && digits(size)
                && !size.starts_with('0')
        });
    fits.then_some(Parts { whole, fraction, exponent })
}

/// How many digits there are from the first that is not zero.
fn digits_of(whole: &str, fraction: &str) -> usize {
    match whole {
        "0" => fraction.trim_start_matches('0').len(),
        _ => whole.len() + fraction.len(),
    }
}

/// Below 0.0001 there is an exponent, and only zero itself has no digit but zeros.
fn zeros_fit(whole: &str, fraction: &str) -> bool {
    whole != "0" || fraction.len() - fraction.trim_start_matches('0').len() <= MOST_ZEROS
}

/// With an exponent there is one digit before the point.
fn can_have_exponent(whole: &str) -> bool {
    whole.len() == 1 && whole != "0"
}

fn is_in_range(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(|x| x.is_finite() && x != 0.0)
}
