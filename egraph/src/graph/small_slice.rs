//! A few ids as a slice, without an allocation where there are few.

use crate::id::Id;

/// Calls `f` with the ids as a slice.
#[inline]
pub(crate) fn with_slice<R>(
    ids: impl ExactSizeIterator<Item = Id>,
    f: impl FnOnce(&[Id]) -> R,
) -> R {
    const FEW: usize = 4;
    let count = ids.len();
    if count > FEW {
        return f(&ids.collect::<Vec<_>>());
    }
    let mut row = [Id(0); FEW];
    for (place, id) in row.iter_mut().zip(ids) {
        *place = id;
    }
    f(&row[..count])
}
