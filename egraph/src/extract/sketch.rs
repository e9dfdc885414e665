//! Extraction: the smallest term of a class, and the smallest that satisfies a sketch.
//!
//! A table gives for every class the size of the smallest term that satisfies one (sub-)sketch;
//! tables of larger sketches are made from those of their parts, and the term is read off from
//! the top. Sizes count nodes as a tree and saturate at [`u64::MAX`], which stands for "none".

use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Leaf, OpId};
use crate::term::leaves::Node;
use crate::term::sketch::Sketch;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

const NO_TERM: u64 = u64::MAX;

/// Numbers the classes without gaps: a quarter of a byte for each id, so that a table needs entries
/// for classes only.
struct Ranks {
    /// For 64 ids each: which of them are classes, and how many classes come before.
    rows: Vec<(u64, u32)>,
    classes: usize,
}

impl Ranks {
    fn new(egraph: &EGraph) -> Ranks {
        let mut rows = vec![(0u64, 0u32); (egraph.built() as usize).div_ceil(64)];
        egraph.classes().for_each(|Id(id)| rows[id as usize / 64].0 |= 1 << (id % 64));
        let mut classes = 0;
        for (bits, before) in &mut rows {
            *before = classes;
            classes += bits.count_ones();
        }
        Ranks { rows, classes: classes as usize }
    }

    fn rank(&self, Id(class): Id) -> usize {
        let (bits, before) = self.rows[class as usize / 64];
        debug_assert!(bits >> (class % 64) & 1 == 1, "not a class");
        let below = bits & ((1 << (class % 64)) - 1);
        (before + below.count_ones()) as usize
    }
}

/// Sizes by class: four bytes for each, and more only for the few that are large.
#[derive(Clone)]
struct ByClass {
    ranks: Rc<Ranks>,
    sizes: Vec<u32>,
    large: FxHashMap<Id, u64>,
}

/// Stands for a size that is to be found among the large ones.
const LARGE: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX;

impl ByClass {
    /// Without a size for any class.
    fn new(ranks: &Rc<Ranks>) -> ByClass {
        let sizes = vec![NONE; ranks.classes];
        ByClass { ranks: ranks.clone(), sizes, large: FxHashMap::default() }
    }

    fn get(&self, class: Id) -> u64 {
        match self.sizes[self.ranks.rank(class)] {
            NONE => NO_TERM,
            LARGE => self.large[&class],
            small => u64::from(small),
        }
    }

    /// Sets a size that is less than before.
    fn lower(&mut self, class: Id, size: u64) {
        let entry = &mut self.sizes[self.ranks.rank(class)];
        if *entry == LARGE {
            self.large.remove(&class);
        }
        *entry = match u32::try_from(size) {
            Ok(small) if small < LARGE => small,
            _ => {
                self.large.insert(class, size);
                LARGE
            }
        };
    }
}

/// The sizes of the smallest terms of all classes.
pub struct LeastSizes(ByClass);

impl LeastSizes {
    /// Of a rebuilt e-graph.
    pub fn of(egraph: &EGraph) -> LeastSizes {
        LeastSizes(smallest_sizes(egraph, &Rc::new(Ranks::new(egraph))))
    }

    /// Nodes of the smallest term of a canonical class.
    pub fn size(&self, class: Id) -> u64 {
        self.0.get(class)
    }
}

/// The smallest term of a class; of several the first in the order of its e-nodes.
pub fn extract_smallest(egraph: &EGraph, bank: &mut TermBank, class: Id) -> TermId {
    extract_sketch(egraph, bank, class, &Sketch::Any).expect("every class has a finite term")
}

/// Whether a term of the class satisfies the sketch.
pub fn sketch_satisfied(egraph: &EGraph, class: Id, sketch: &Sketch) -> bool {
    let (tables, top) = Tables::of(egraph, sketch);
    tables.size(top, egraph.find(class)) != NO_TERM
}

/// The smallest term of the class that satisfies the sketch, if any does.
pub fn extract_sketch(
    egraph: &EGraph,
    bank: &mut TermBank,
    class: Id,
    sketch: &Sketch,
) -> Option<TermId> {
    let (tables, top) = Tables::of(egraph, sketch);
    tables.term(bank, top, egraph.find(class))
}

/// The size of the smallest term by class.
enum Sizes {
    All(ByClass),
    /// Those of the classes that have a term: of most sketches few do.
    Some(FxHashMap<Id, u64>),
}

/// The index of a table.
type TableId = usize;

/// The table of `?`, which all sketches need.
const SMALLEST: TableId = 0;

struct Table<'s> {
    sketch: &'s Sketch,
    sizes: Sizes,
    /// The tables of the sketch's parts.
    parts: Vec<TableId>,
}

/// The tables of a sketch and its parts, one for equal ones.
struct Tables<'s> {
    egraph: &'s EGraph,
    ranks: Rc<Ranks>,
    tables: Vec<Table<'s>>,
    known: FxHashMap<&'s Sketch, TableId>,
}

/// How the smallest term of a class is made.
enum Choice<'s> {
    Leaf(&'s Leaf),
    /// It is that of another table.
    As(TableId),
    /// The operator over the smallest terms of these classes in these tables.
    Op(OpId, SmallVec<[(TableId, Id); 4]>),
}

impl<'s> Tables<'s> {
    /// With the table of `sketch`.
    fn of(egraph: &'s EGraph, sketch: &'s Sketch) -> (Tables<'s>, TableId) {
        let ranks = Rc::new(Ranks::new(egraph));
        let sizes = Sizes::All(smallest_sizes(egraph, &ranks));
        let any = Table { sketch: &Sketch::Any, sizes, parts: Vec::new() };
        let known = FxHashMap::from_iter([(&Sketch::Any, SMALLEST)]);
        let mut tables = Tables { egraph, ranks, tables: vec![any], known };
        let top = tables.enter(sketch);
        (tables, top)
    }

    fn enter(&mut self, sketch: &'s Sketch) -> TableId {
        if let Some(&known) = self.known.get(sketch) {
            return known;
        }
        let parts: Vec<TableId> = match sketch {
            Sketch::Any | Sketch::Leaf(_) => Vec::new(),
            Sketch::Op(_, all) | Sketch::Or(all) => all.iter().map(|s| self.enter(s)).collect(),
            Sketch::Contains(inner) | Sketch::OnlyContains(inner) => vec![self.enter(inner)],
        };
        let sizes = self.sizes(sketch, &parts);
        self.tables.push(Table { sketch, sizes, parts });
        self.known.insert(sketch, self.tables.len() - 1);
        self.tables.len() - 1
    }

    /// The size of the smallest term of a class, as a table has it.
    fn size(&self, table: TableId, class: Id) -> u64 {
        match &self.tables[table].sizes {
            Sizes::All(sizes) => sizes.get(class),
            Sizes::Some(sizes) => sizes.get(&class).copied().unwrap_or(NO_TERM),
        }
    }

    /// All sizes of a table.
    fn all_sizes(&self, table: TableId) -> ByClass {
        match &self.tables[table].sizes {
            Sizes::All(sizes) => sizes.clone(),
            Sizes::Some(sizes) => {
                let mut all = ByClass::new(&self.ranks);
                sizes.iter().for_each(|(&class, &size)| all.lower(class, size));
                all
            }
        }
    }

    fn sizes(&self, sketch: &Sketch, parts: &[TableId]) -> Sizes {
        let egraph = self.egraph;
        match sketch {
            Sketch::Any => unreachable!("its table is there"),
            Sketch::Leaf(leaf) => {
                let node = egraph.leaf_node(leaf).map(|node| (egraph.find(node), 1));
                Sizes::Some(node.into_iter().collect())
            }
            Sketch::Op(op, _) => self.some(|class| {
                let nodes = egraph.nodes(class).iter().copied();
                let nodes = nodes.filter(|&n| egraph.node(n) == Node::Op(*op));
                nodes.map(|node| self.application(node, parts)).min()
            }),
            Sketch::Or(_) => {
                self.some(|class| parts.iter().map(|&part| self.size(part, class)).min())
            }
            Sketch::Contains(_) => {
                let smallest = self.all_sizes(SMALLEST);
                Sizes::All(fixpoint(egraph, self.all_sizes(parts[0]), |sizes, node| {
                    (0..egraph.children(node).len())
                        .map(|i| application(containing(egraph, sizes, &smallest, node, i)))
                        .min()
                        .unwrap_or(NO_TERM)
                }))
            }
            Sketch::OnlyContains(_) => {
                Sizes::All(fixpoint(egraph, self.all_sizes(parts[0]), |sizes, node| {
                    let children = egraph.children(node);
                    if children.is_empty() {
                        return NO_TERM;
                    }
                    application(children.iter().map(|&c| sizes.get(c)))
                }))
            }
        }
    }

    /// The sizes of those classes that have one.
    fn some(&self, size: impl Fn(Id) -> Option<u64>) -> Sizes {
        let sized = |class| Some((class, size(class).filter(|&size| size != NO_TERM)?));
        Sizes::Some(self.egraph.classes().filter_map(sized).collect())
    }

    /// The size of the smallest application at `node` with each child by its table.
    fn application(&self, node: Id, tables: &[TableId]) -> u64 {
        let children = tables.iter().zip(self.egraph.children(node));
        application(children.map(|(&table, &child)| self.size(table, child)))
    }

    /// Reads the smallest term off the tables.
    fn term(&self, bank: &mut TermBank, table: TableId, class: Id) -> Option<TermId> {
        if self.size(table, class) == NO_TERM {
            return None;
        }
        // Terms may be too deep for recursion, and share what they are made of.
        let mut made: FxHashMap<(TableId, Id), TermId> = FxHashMap::default();
        let mut todo = vec![((table, class), self.choose(table, class))];
        while let Some((place, choice)) = todo.last() {
            let needed: SmallVec<[(TableId, Id); 4]> = match choice {
                Choice::Leaf(_) => SmallVec::new(),
                Choice::As(table) => smallvec![(*table, place.1)],
                Choice::Op(_, args) => args.clone(),
            };
            let before = todo.len();
            for &(table, class) in needed.iter().filter(|&place| !made.contains_key(place)) {
                todo.push(((table, class), self.choose(table, class)));
            }
            if todo.len() > before {
                continue;
            }
            let Some((place, choice)) = todo.pop() else { break };
            let args: SmallVec<[TermId; 4]> = needed.iter().map(|place| made[place]).collect();
            let term = match choice {
                Choice::Leaf(leaf) => bank.leaf(leaf),
                Choice::As(_) => args[0],
                Choice::Op(op, _) => bank.apply(op, &args),
            };
            made.insert(place, term);
        }
        made.get(&(table, class)).copied()
    }

    /// The first way to make a term of the size that the table has for the class, which has one.
    fn choose(&self, table: TableId, class: Id) -> Choice<'s> {
        let size = self.size(table, class);
        let Table { sketch, parts, .. } = &self.tables[table];
        match sketch {
            Sketch::Leaf(leaf) => return Choice::Leaf(leaf),
            Sketch::Or(_) | Sketch::Contains(_) | Sketch::OnlyContains(_) => {
                let part = parts.iter().find(|&&part| self.size(part, class) == size);
                if let Some(&part) = part {
                    return Choice::As(part);
                }
            }
            Sketch::Any | Sketch::Op(..) => {}
        }
        let ways = self.egraph.nodes(class).iter().find_map(|&node| {
            let children = self.egraph.children(node);
            let op = match self.egraph.node(node) {
                Node::Op(op) => op,
                Node::Leaf(leaf) => {
                    let alone = matches!(sketch, Sketch::Any) && size == 1;
                    return alone.then_some(Choice::Leaf(leaf));
                }
            };
            let with = |tables: SmallVec<[TableId; 4]>| {
                (self.application(node, &tables) == size).then(|| {
                    Choice::Op(op, tables.into_iter().zip(children.iter().copied()).collect())
                })
            };
            match sketch {
                Sketch::Any | Sketch::OnlyContains(_) => with(smallvec![table; children.len()]),
                Sketch::Op(wanted, _) if *wanted == op => with(parts.iter().copied().collect()),
                Sketch::Contains(_) => (0..children.len()).find_map(|i| {
                    let mut tables: SmallVec<[TableId; 4]> = smallvec![SMALLEST; children.len()];
                    tables[i] = table;
                    with(tables)
                }),
                _ => None,
            }
        });
        ways.expect("a way to make a term of the size that the table has")
    }
}

fn containing<'a>(
    egraph: &'a EGraph,
    sizes: &'a ByClass,
    smallest: &'a ByClass,
    node: Id,
    i: usize,
) -> impl Iterator<Item = u64> + 'a {
    let children = egraph.children(node).iter().enumerate();
    children.map(move |(j, &c)| if i == j { sizes.get(c) } else { smallest.get(c) })
}

/// One node more than its children have together.
fn application(children: impl Iterator<Item = u64>) -> u64 {
    children.fold(1, u64::saturating_add)
}

fn smallest_sizes(egraph: &EGraph, ranks: &Rc<Ranks>) -> ByClass {
    fixpoint(egraph, ByClass::new(ranks), |sizes, node| {
        application(egraph.children(node).iter().map(|&c| sizes.get(c)))
    })
}

/// Lowers `sizes` to what the e-nodes of each class allow, until nothing changes.
fn fixpoint(egraph: &EGraph, mut sizes: ByClass, size: impl Fn(&ByClass, Id) -> u64) -> ByClass {
    loop {
        let mut changed = false;
        for class in egraph.classes() {
            let best = egraph.nodes(class).iter().map(|&n| size(&sizes, n)).min();
            let best = best.unwrap_or(NO_TERM);
            if best < sizes.get(class) {
                sizes.lower(class, best);
                changed = true;
            }
        }
        if !changed {
            return sizes;
        }
    }
}
