//! Which of several names was meant by one that is unknown.

use strsim::osa_distance;

/// Longer names are not compared.
const LONGEST: usize = 64;

/// ` (did you mean 'x'?)` with the candidate that is most like an unknown name, or nothing where none is
/// like it.
pub fn did_you_mean<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    // A third of a name may be wrong, and one character of any but the shortest.
    let most = match name.chars().count() {
        0 | 1 => 0,
        length => (length / 3).max(1),
    };
    let distance = |candidate: &'a str| {
        let same = candidate.eq_ignore_ascii_case(name);
        let distance = if same { Some(0) } else { distance(name, candidate, most) };
        distance.map(|distance| (distance, candidate))
    };
    match candidates.filter_map(distance).min_by_key(|&(distance, _)| distance) {
        Some((_, candidate)) => format!(" (did you mean '{candidate}'?)"),
        None => String::new(),
    }
}

/// Characters to insert, delete, replace or swap with their neighbour to come from one text to the
/// other, if they are `most` or fewer.
fn distance(from: &str, to: &str, most: usize) -> Option<usize> {
    // To come from nothing to something that shares nothing with it is no slip of the pen.
    let short = from.len() <= LONGEST && to.len() <= LONGEST && most < to.chars().count();
    short.then(|| osa_distance(from, to)).filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_seen_and_other_names_left_alone() {
        let meant = |name| did_you_mean(name, ["min", "max", "shl", "Matrix", "+"].into_iter());
        assert_eq!(meant("mni"), " (did you mean 'min'?)");
        assert_eq!(meant("mx"), " (did you mean 'max'?)");
        assert_eq!(meant("SHL"), " (did you mean 'shl'?)");
        assert_eq!(meant("Matirx"), " (did you mean 'Matrix'?)");
        for other in ["-", "x", "div", "minimum", ""] {
            assert_eq!(meant(other), "", "{other}");
        }
    }
}
