//! What becomes of a match: whether it says something new, and the queue in which it then waits.

use crate::building::right_side::{Lookup, MANY};
use crate::building::term_function::Instance;
use crate::id::Id;
use crate::matching::machine::{Machine, Search, SearchRoom};
use crate::matching::matches::News;
use crate::rules::variables::VarId;
use crate::term::literal::Value;

/// Where less than one in so many matches says what is known, or lacks the root alone, [`MANY`] are kept without a look as
/// many times: to look would cost more than it spares, for before they are applied they are looked at again.
const FEW: usize = 8;

impl Machine<'_> {
    /// All atoms are bound and their conditions hold: counts the match, and notes it, if what is to
    /// be computed for it has a value.
    pub(super) fn matched(&mut self) {
        let Search { egraph, rewrite, .. } = *self.search;
        if !rewrite.rhs.computes(egraph, &|var| self.value(var)) {
            return;
        }
        if rewrite.functions.is_some() {
            return self.matched_with_functions();
        }
        self.count_matches(1);
        if !self.bounds.only_count {
            self.note();
        }
    }

    /// As [`Machine::matched`], for a rule with functions on terms. Where they have no value there is no
    /// match.
    #[cold] // apart, so that the loop is what it would be without
    fn matched_with_functions(&mut self) {
        let Search { egraph, rewrite, .. } = *self.search;
        let by_representatives = |by: &bool| !by || !rewrite.lowered.is_empty();
        let mut ways = [false, true].into_iter().filter(by_representatives);
        let found = ways.find_map(|by| Some((by, self.instance(by)?)));
        let Some((by, instance)) = found else { return };
        self.count_matches(1);
        if !self.bounds.only_count {
            self.note_as(instance.lookup(egraph), by);
        }
    }

    /// The literal or fact that a variable is bound to, once all atoms are.
    fn value(&self, var: VarId) -> Option<Value> {
        let Search { rewrite, rule, .. } = *self.search;
        let of = rule.variables.pattern_of(var);
        self.search.value(var, self.register(rewrite.lhs.register(usize::from(of.0))))
    }

    /// The right-hand side with functions on terms, if these have values.
    fn instance(&self, by_representatives: bool) -> Option<Instance<Id>> {
        let Search { egraph, rewrite, .. } = *self.search;
        let mut found = Vec::new();
        self.bound_ids(&mut found, by_representatives);
        let mut substitution = Vec::new();
        rewrite.substitution(egraph, &found, &mut substitution);
        Instance::of(egraph, rewrite.functions.as_ref()?, &substitution)
    }

    /// Whether the conditions hold, which no program has tested.
    pub(super) fn holds(&self) -> bool {
        let Search { egraph, rewrite, rule, .. } = *self.search;
        let value = |var: VarId| self.value(var);
        let known = |&(register, _): &(usize, VarId)| {
            egraph.literal_node(self.register(register)).is_some()
        };
        rewrite.literals.iter().all(known) && rule.conditions.iter().all(|c| c.holds(&value))
    }

    /// Keeps the match in mind, and looks at all that are, once they are many.
    #[inline]
    fn note(&mut self) {
        let Search { egraph, rewrite, narrow, .. } = *self.search;
        if !narrow {
            return self.note_now();
        }
        let (registers, nodes) = self.room.state.split_at(rewrite.lhs.registers);
        let at = self.pending;
        let literals = rewrite.literals.iter();
        let literals = literals.filter_map(|&(r, _)| egraph.literal_node(registers[r]));
        let ids = nodes.iter().copied().chain(literals).chain(self.search.facts(registers));
        self.room.pending.iter_mut().zip(ids).for_each(|(column, id)| column[at] = id);
        self.pending += 1;
        if self.pending == MANY {
            self.note_pending();
        }
    }

    /// Notes those of the matches kept in mind that say something new.
    pub(super) fn note_pending(&mut self) {
        let Search { egraph, rewrite, ref literals, .. } = *self.search;
        let count = std::mem::take(&mut self.pending);
        if count == 0 {
            return;
        }
        let SearchRoom { pending, classes, lookups, recent, .. } = &mut *self.room;
        let pending = &pending[..rewrite.stride()];
        if let Some(left) = self.unlooked.checked_sub(1) {
            self.unlooked = left;
            let all: [u8; MANY] = std::array::from_fn(|i| i as u8);
            let queue = &mut self.found.queues[News::Nodes as usize];
            queue.push_columns(self.bounds.rule, pending, &all[..count]);
            self.uncounted.kept += count;
            return;
        }
        classes.resize(rewrite.sources.len().max(classes.len()), [Id(0); MANY]);
        for &var in &rewrite.rhs.variables {
            let of_variable = &mut classes[var][..count];
            match rewrite.lhs.place(var) {
                Some((atom, child)) => self.search.children(&pending[atom], child, of_variable),
                None => of_variable.copy_from_slice(&pending[0][..count]),
            }
        }
        let of_variable = |var: usize| &classes[var][..count];
        rewrite.rhs.lookup_many(egraph, count, of_variable, literals, lookups);
        let mut roots = pending[0];
        roots[..count].iter_mut().for_each(|root| *root = egraph.class_of(*root));
        // Most are known, and seen to be without a branch.
        let (mut unknown, mut many) = ([0u8; MANY], 0);
        for (i, (found, class)) in lookups.classes().iter().zip(&roots[..count]).enumerate() {
            unknown[many] = i as u8;
            many += usize::from(found != class);
        }
        let (mut kept, mut counts) = ([[0u8; MANY]; News::COUNT], [0; News::COUNT]);
        for &i in &unknown[..many] {
            let at = usize::from(i);
            if let Some(news) = recent.news(lookups.result(at), roots[at]) {
                kept[news as usize][counts[news as usize]] = i;
                counts[news as usize] += 1;
            }
        }
        for ((queue, kept), count) in self.found.queues.iter_mut().zip(&kept).zip(counts) {
            queue.push_columns(self.bounds.rule, pending, &kept[..count]);
            self.uncounted.kept += count;
        }
        if !self.bounds.looks_at_all && counts[News::Nodes as usize] >= count - count / FEW {
            self.unlooked = FEW;
        }
    }

    /// Notes the match if it says something new.
    fn note_now(&mut self) {
        let Search { egraph, rewrite, ref literals, .. } = *self.search;
        let lhs = &rewrite.lhs;
        let state = &self.room.state;
        let class = |var: usize| state[lhs.register(var)];
        let search = self.search;
        let value = |var: VarId| {
            let of = search.rule.variables.pattern_of(var);
            search.value(var, class(usize::from(of.0)))
        };
        let looked_up = &mut self.room.looked_up;
        let lookup = rewrite.rhs.lookup(egraph, class, &value, literals, looked_up);
        self.note_as(lookup, false);
    }

    /// Notes the match if it says something new by what there is of its right-hand side.
    #[inline]
    fn note_as(&mut self, lookup: Lookup, by_representatives: bool) {
        let class = self.register(0);
        let Some(news) = self.room.recent.news(lookup, class) else { return };
        let mut ids = std::mem::take(&mut self.room.ids);
        ids.clear();
        self.bound_ids(&mut ids, by_representatives);
        self.found.queues[news as usize].push(self.bounds.rule, &ids);
        self.uncounted.kept += 1;
        self.room.ids = ids;
    }

    /// Appends the bound ids of the match; what is lowered as it was matched, or by the representative of
    /// its class.
    fn bound_ids(&self, ids: &mut Vec<Id>, by_representatives: bool) {
        let Search { egraph, rewrite, .. } = *self.search;
        let (registers, nodes) = self.room.state.split_at(rewrite.lhs.registers);
        ids.extend_from_slice(nodes);
        let literals = rewrite.literals.iter();
        ids.extend(literals.filter_map(|&(r, _)| egraph.literal_node(registers[r])));
        ids.extend(rewrite.lowered.iter().map(|&(register, place)| match place {
            _ if by_representatives => egraph.representative(registers[register]),
            Some((node, child)) => egraph.original_children(nodes[node])[child],
            None => nodes[0],
        }));
        ids.extend(self.search.facts(registers));
    }
}
