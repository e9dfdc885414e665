//! Where each class is a child: for every class the list of its *slots*, which are the places of
//! children of e-nodes. Two lists are joined in constant time.

use crate::id::Id;

const NONE: u32 = u32::MAX;

/// Circular lists through all slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    /// By class: the last slot of its list. Those of ids that are not roots are stale.
    last: Vec<u32>,
    /// By slot: the next slot of the list; after the last comes the first.
    next: Vec<u32>,
}

/// A part of a list that once was the list of one class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub first: u32,
    pub last: u32,
}

impl Uses {
    pub fn heap_bytes(&self) -> usize {
        (self.last.capacity() + self.next.capacity()) * size_of::<u32>()
    }

    /// The last slots, and the next ones.
    pub fn stored(&self) -> [&Vec<u32>; 2] {
        [&self.last, &self.next]
    }

    /// Takes lists as they were stored.
    pub fn read(&mut self, [last, next]: [Vec<u32>; 2]) {
        (self.last, self.next) = (last, next);
    }

    /// Whether all slots that are in a list are in circles: each of them comes after one other, or itself.
    pub fn is_sound(&self) -> bool {
        let mut seen = vec![false; self.next.len()];
        let is_first = |&next: &u32| {
            let Some(seen) = seen.get_mut(next as usize) else { return next == NONE };
            !std::mem::replace(seen, true)
        };
        let within =
            |&last: &u32| last == NONE || self.next.get(last as usize).is_some_and(|&n| n != NONE);
        // As many come after others as others come after them; so where a list goes on, it comes back.
        self.next.iter().all(is_first)
            && self.next.iter().zip(&seen).all(|(&next, &seen)| (next != NONE) == seen)
            && self.last.iter().all(within)
    }

    pub fn reserve_exact(&mut self, classes: usize, slots: usize) {
        self.last.reserve_exact(classes);
        self.next.reserve_exact(slots);
    }

    pub fn shrink_to(&mut self, classes: usize, slots: usize) {
        self.last.shrink_to(classes);
        self.next.shrink_to(slots);
    }

    /// New ids without uses, up to `len` ids, with so many slots each for their own children.
    pub fn extend_to(&mut self, len: usize, slots: usize) {
        self.last.resize(len, NONE);
        self.next.resize(len * slots, NONE);
    }

    /// Notes that `class` stands in `slot`.
    pub fn append(&mut self, class: Id, slot: usize) {
        let last = &mut self.last[class.0 as usize];
        let before = std::mem::replace(last, slot as u32);
        self.next[slot] = match before {
            NONE => slot as u32,
            before => std::mem::replace(&mut self.next[before as usize], slot as u32),
        };
    }

    /// Appends the list of `absorbed` to that of `kept`; returns what was appended.
    pub fn join(&mut self, kept: Id, absorbed: Id) -> Option<Run> {
        let last = self.last[absorbed.0 as usize];
        if last == NONE {
            return None;
        }
        let run = Run { first: self.next[last as usize], last };
        let before = std::mem::replace(&mut self.last[kept.0 as usize], last);
        if before != NONE {
            self.next.swap(before as usize, last as usize);
        }
        Some(run)
    }

    /// All slots of a class.
    pub fn all(&self, class: Id) -> Option<Run> {
        match self.last[class.0 as usize] {
            NONE => None,
            last => Some(Run { first: self.next[last as usize], last }),
        }
    }

    /// The slot after `slot` in a run.
    pub fn after(&self, slot: u32, run: Run) -> Option<u32> {
        (slot != run.last).then(|| self.next[slot as usize])
    }

    /// The slots of a class, in the order in which they came to be.
    pub fn of(&self, class: Id) -> impl Iterator<Item = u32> + '_ {
        let run = self.all(class);
        std::iter::successors(run.map(|run| run.first), move |&slot| self.after(slot, run?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_do_not_come_back_are_not_sound() {
        let with = |last: &[u32], next: &[u32]| {
            let mut uses = Uses::default();
            uses.read([last.to_vec(), next.to_vec()]);
            uses.is_sound()
        };
        assert!(with(&[2, NONE, 1], &[2, 1, 0, NONE]));
        assert!(!with(&[0], &[1, 2, NONE]), "it ends");
        assert!(!with(&[0], &[1, 1, NONE]), "two before one");
        assert!(!with(&[0], &[7]) && !with(&[7], &[0]), "beyond the end");
        assert!(!with(&[1], &[0, NONE]), "a last slot in no list");
    }

    #[test]
    fn lists_are_joined_in_order() {
        let mut uses = Uses::default();
        uses.extend_to(3, 2);
        let [a, b, c] = [Id(0), Id(1), Id(2)];
        for (class, slot) in [(a, 0), (b, 1), (a, 2), (b, 3), (a, 4)] {
            uses.append(class, slot);
        }
        let list = |uses: &Uses, class| uses.of(class).collect::<Vec<_>>();
        assert_eq!(list(&uses, a), [0, 2, 4]);
        assert!(uses.join(a, c).is_none());
        let run = uses.join(a, b).unwrap();
        uses.append(a, 5);
        assert_eq!(list(&uses, a), [0, 2, 4, 1, 3, 5]);
        assert_eq!((run.first, uses.after(1, run), uses.after(3, run)), (1, Some(3), None));
        let run = uses.join(c, a).unwrap();
        assert_eq!(list(&uses, c), [0, 2, 4, 1, 3, 5]);
        assert_eq!((run.first, run.last), (0, 5));
    }
}
