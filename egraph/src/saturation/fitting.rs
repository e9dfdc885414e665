//! Which items fit into a room, the best of them first, without sorting.

use std::cmp::Ordering;

/// How many of `items` fit into `room` if they are taken in an order until one does not; these come
/// first then.
pub(crate) fn put_fitting_first(
    items: &mut [u32],
    mut room: usize,
    bytes: impl Fn(u32) -> usize,
    order: impl Fn(&u32, &u32) -> Ordering,
) -> usize {
    // Those before `from` fit, those from `to` on do not.
    let (mut from, mut to) = (0, items.len());
    while from < to {
        let open = &mut items[from..to];
        let middle = open.len() / 2;
        open.select_nth_unstable_by(middle, &order);
        let half: usize = open[..=middle].iter().map(|&item| bytes(item)).sum();
        if half <= room {
            room -= half;
            from += middle + 1;
        } else {
            to = from + middle;
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_found_without_sorting() {
        let order = |a: &u32, b: &u32| (a % 7, a).cmp(&(b % 7, b));
        let bytes = |item: u32| 4 + item as usize % 3;
        for room in 0..120 {
            let mut items: Vec<u32> = (0..20).collect();
            items.sort_by(order);
            let mut taken = 0;
            let fits = items.iter().take_while(|&&item| {
                taken += bytes(item);
                taken <= room
            });
            let mut expected: Vec<u32> = fits.copied().collect();
            let mut items: Vec<u32> = (0..20).collect();
            let fitting = put_fitting_first(&mut items, room, bytes, order);
            items.truncate(fitting);
            items.sort_unstable();
            expected.sort_unstable();
            assert_eq!(items, expected, "{room}");
        }
    }
}
