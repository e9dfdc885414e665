//! E-nodes sorted by class, in flat arrays, made anew by each rebuild.

use crate::id::Id;
use crate::term::leaves::Head;

/// Where the e-nodes of each class are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClassIndex {
    /// `nodes[starts[c]..starts[c + 1]]` are the e-nodes of class `c`, sorted by head, then id.
    starts: Vec<u32>,
    nodes: Vec<Id>,
}

/// Where an e-node stands among all others: by class, then head, then id. One number is compared faster than three.
fn rank(class: Id, head: Head, id: Id) -> u128 {
    u128::from(class.0) << 64 | u128::from(head.0) << 32 | u128::from(id.0)
}

impl ClassIndex {
    pub fn heap_bytes(&self) -> usize {
        (self.starts.capacity() + self.nodes.capacity()) * size_of::<u32>()
    }

    /// The capacities of its arrays.
    pub fn capacities(&self) -> [usize; 2] {
        [self.starts.capacity(), self.nodes.capacity()]
    }

    /// Makes that much room, of an empty one.
    pub fn reserve_as(&mut self, [starts, nodes]: [usize; 2]) {
        // What is too much is left to be made when it is needed.
        let _ = self.starts.try_reserve_exact(starts);
        let _ = self.nodes.try_reserve_exact(nodes);
    }

    /// Makes room for an index over `ids` ids, so that a later rebuild allocates nothing.
    pub fn reserve(&mut self, ids: usize) {
        self.starts.reserve_exact((ids + 1).saturating_sub(self.starts.len()));
        self.nodes.reserve_exact(ids.saturating_sub(self.nodes.len()));
    }

    /// Gives back what [`ClassIndex::reserve`] made room for beyond so many ids.
    pub fn shrink_to(&mut self, ids: usize) {
        self.starts.shrink_to(ids + 1);
        self.nodes.shrink_to(ids);
    }

    /// Indexes the `live` e-nodes among ids `0..ids`: a counting sort by class.
    pub fn build(
        &mut self,
        ids: usize,
        live: impl Fn(Id) -> bool,
        class: impl Fn(Id) -> Id,
        head: impl Fn(Id) -> Head,
    ) {
        let ClassIndex { starts, nodes } = self;
        let all = || (0..ids as u32).map(Id).filter(|&id| live(id));
        starts.clear();
        starts.resize(ids + 1, 0);
        for id in all() {
            starts[class(id).0 as usize] += 1;
        }
        // Now where each class ends; filled from its end on, it ends where it starts.
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        nodes.clear();
        nodes.resize(end as usize, Id(0));
        for id in all().rev() {
            let place = &mut starts[class(id).0 as usize];
            *place -= 1;
            nodes[*place as usize] = id;
        }
        let (mut sorter, mut rest) = (ByHead::default(), &mut nodes[..]);
        for run in starts.windows(2) {
            let (run, later) = rest.split_at_mut((run[1] - run[0]) as usize);
            rest = later;
            // Already in order of id; and mostly of one operator.
            if run.len() > 1 && !run.is_sorted_by_key(|&id| head(id)) {
                sorter.sort(run, &head);
            }
        }
    }

    /// As [`ClassIndex::build`], where only some classes have other e-nodes than before: `changed`, those that were absorbed
    /// since included, and those of new ids. All else is moved, not looked at. Where what is to be sorted is much, all are
    /// indexed.
    pub fn update(
        &mut self,
        ids: usize,
        changed: &[Id],
        live: impl Fn(Id) -> bool,
        class: impl Fn(Id) -> Id,
        head: impl Fn(Id) -> Head,
    ) {
        let (old_ids, old_len) = (self.ids(), self.nodes.len());
        let new = (old_ids as u32..ids as u32).map(Id).filter(|&id| live(id));
        let mut changed: Vec<Id> = changed.iter().copied().chain(new.clone().map(&class)).collect();
        changed.sort_unstable();
        changed.dedup();
        if changed.iter().map(|&old| self.class(old).len()).sum::<usize>() > old_len / 4 {
            return self.build(ids, live, class, head);
        }
        // Their e-nodes, by class, head and id.
        let before = changed.iter().flat_map(|&old| self.class(old)).copied();
        let ranks =
            before.filter(|&id| live(id)).chain(new).map(|id| rank(class(id), head(id), id));
        let mut members: Vec<u128> = ranks.collect();
        members.sort_unstable();
        let ClassIndex { starts, nodes } = self;
        starts.resize(ids + 1, old_len as u32);
        // What lies between the runs of changed classes is first pushed together to the left, then apart to the right.
        let gap = |i: usize| {
            let next = changed.get(i + 1).map_or(old_len, |next| starts[next.0 as usize] as usize);
            starts[changed[i].0 as usize + 1] as usize..next
        };
        let gaps: Vec<usize> = (0..changed.len()).map(|i| gap(i).len()).collect();
        let mut end = changed.first().map_or(old_len, |first| starts[first.0 as usize] as usize);
        for (i, length) in gaps.iter().enumerate() {
            nodes.copy_within(gap(i), end);
            end += length;
        }
        let (mut from, mut to, mut left) = (end, end + members.len(), members.len());
        nodes.resize(to, Id(0));
        // By changed class: how many e-nodes more or fewer it has; less than none wraps.
        let mut more = vec![0u32; changed.len()];
        for (i, &class) in changed.iter().enumerate().rev() {
            from -= gaps[i];
            to -= gaps[i];
            nodes.copy_within(from..from + gaps[i], to);
            let start = rank(class, Head(0), Id(0));
            let first = members[..left].partition_point(|&member| member < start);
            let run = &members[first..left];
            to -= run.len();
            nodes[to..to + run.len()].iter_mut().zip(run).for_each(|(id, &to)| *id = Id(to as u32));
            let before = starts[class.0 as usize + 1] - starts[class.0 as usize];
            more[i] = (run.len() as u32).wrapping_sub(before);
            left = first;
        }
        let mut shift = 0u32;
        for (i, &class) in changed.iter().enumerate() {
            shift = shift.wrapping_add(more[i]);
            let next = changed.get(i + 1).map_or(ids, |next| next.0 as usize);
            let later = &mut starts[class.0 as usize + 1..=next];
            later.iter_mut().for_each(|start| *start = start.wrapping_add(shift));
        }
    }

    /// The ids over which the index was built.
    pub fn ids(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// All e-nodes, by class, then head, then id.
    pub fn nodes(&self) -> &[Id] {
        &self.nodes
    }

    /// All e-nodes of a class.
    pub fn class(&self, class: Id) -> &[Id] {
        match self.starts.get(class.0 as usize + 1) {
            Some(&end) => &self.nodes[self.starts[class.0 as usize] as usize..end as usize],
            None => &[],
        }
    }

    /// The e-nodes of a class with this head.
    #[inline]
    pub fn class_with_head(
        &self,
        class: Id,
        head: Head,
        head_of: impl Fn(Id) -> Head,
        runs: &mut LongRuns,
    ) -> &[Id] {
        let nodes = self.class(class);
        let [Some(first), Some(last)] =
            [nodes.first(), nodes.last()].map(|n| n.map(|&n| head_of(n)))
        else {
            return &[];
        };
        // Most classes have few operators.
        if first == head && last == head {
            return nodes;
        }
        if head < first || last < head {
            return &[];
        }
        // A short run is gone through, a long one searched by halves.
        let (start, end) = if nodes.len() <= 4 {
            let start = nodes.iter().take_while(|&&id| head_of(id) < head).count();
            let count = nodes[start..].iter().take_while(|&&id| head_of(id) == head).count();
            (start, start + count)
        } else {
            runs.find(class, head, || {
                let start = nodes.partition_point(|&id| head_of(id) < head);
                (start, start + nodes[start..].partition_point(|&id| head_of(id) == head))
            })
        };
        &nodes[start..end]
    }
}

/// Sorts e-nodes by head.
#[derive(Default)]
struct ByHead {
    /// The heads that occur with how many e-nodes have each, and then with where the next of them goes.
    heads: Vec<(Head, u32)>,
    nodes: Vec<Id>,
}

/// Fewer e-nodes than this, or more heads, are compared with each other.
const SHORT: usize = 16;
const MANY_HEADS: usize = 32;

impl ByHead {
    /// Those with the same head are in order of id, and stay in it.
    fn sort(&mut self, run: &mut [Id], head: impl Fn(Id) -> Head) {
        let ByHead { heads, nodes } = self;
        heads.clear();
        for &id in run.iter() {
            let of_this = head(id);
            match heads.iter_mut().find(|(head, _)| *head == of_this) {
                Some((_, count)) => *count += 1,
                None => heads.push((of_this, 1)),
            }
            if heads.len() > MANY_HEADS || run.len() < SHORT {
                return run.sort_unstable_by_key(|&id| (head(id), id));
            }
        }
        heads.sort_unstable();
        let mut start = 0;
        for (_, place) in heads.iter_mut() {
            start += std::mem::replace(place, start);
        }
        nodes.clear();
        nodes.extend_from_slice(run);
        for &id in nodes.iter() {
            let of_this = head(id);
            if let Some((_, place)) = heads.iter_mut().find(|(head, _)| *head == of_this) {
                run[*place as usize] = id;
                *place += 1;
            }
        }
    }
}

/// Where in large classes the e-nodes of a head are, as far as that was looked for lately. It belongs to one index: the
/// same few classes are asked for again and again, and halving takes a look at an e-node for each step.
#[derive(Debug, Default)]
pub(crate) struct LongRuns {
    /// By class and head: these, and the run.
    places: Vec<(Id, Head, u32, u32)>,
}

/// Places of [`LongRuns`]: 4 KiB.
const PLACES: usize = 256;

impl LongRuns {
    fn find(
        &mut self,
        class: Id,
        head: Head,
        search: impl FnOnce() -> (usize, usize),
    ) -> (usize, usize) {
        if self.places.is_empty() {
            self.places.resize(PLACES, (Id(u32::MAX), head, 0, 0));
        }
        let hash = (class.0 ^ head.0 << 16).wrapping_mul(0x9e37_79b9) >> 16;
        let place = &mut self.places[hash as usize % PLACES];
        if (place.0, place.1) != (class, head) {
            let (start, end) = search();
            *place = (class, head, start as u32, end as u32);
        }
        (place.2 as usize, place.3 as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Of some e-nodes in classes, of which some die, two classes are united time and again, and more come.
        #[test]
        fn an_update_is_what_building_anew_is(
            before in 1u32..400,
            unions in prop::collection::vec((0u32..420, 0u32..420), 0..12),
            dead in prop::collection::vec(0u32..420, 0..4),
            new in 0u32..20,
            heads in prop::collection::vec(0u32..3, 420),
            groups in 1u32..300,
        ) {
            let ids = before + new;
            let head = |id: Id| Head(heads[id.0 as usize]);
            let mut classes: Vec<u32> =
                (0..ids).map(|id| if id < before { id % groups.min(before) } else { id }).collect();
            let mut index = ClassIndex::default();
            index.build(before as usize, |_| true, |id| Id(classes[id.0 as usize]), head);
            let mut changed = Vec::new();
            for (left, right) in unions {
                let [kept, absorbed] = [left, right].map(|id| classes[(id % ids) as usize]);
                classes.iter_mut().filter(|class| **class == absorbed).for_each(|class| *class = kept);
                changed.extend([Id(kept), Id(absorbed)]);
            }
            let dead: Vec<u32> = dead.into_iter().map(|id| id % ids).collect();
            changed.extend(dead.iter().map(|&id| Id(classes[id as usize])));
            let live = |id: Id| !dead.contains(&id.0);
            let class = |id: Id| Id(classes[id.0 as usize]);
            let mut anew = ClassIndex::default();
            anew.build(ids as usize, live, class, head);
            index.update(ids as usize, &changed, live, class, head);
            prop_assert_eq!(index, anew);
        }
    }
}
