//! What is seen of matches before they are applied: the e-graph as an order of matches sees it.

use crate::building::right_side::Extent;
use crate::building::term_function::Instance;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::rules::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::rules::system::System;
use crate::rules::variables::VarId;
use crate::saturation::match_order::{Above, Kind, MatchView, Operators};
use crate::saturation::surroundings::{Around, Sizes, Surroundings, operator};
use crate::term::leaves::Node;
use smallvec::SmallVec;
use std::sync::OnceLock;

/// What instances of a pattern are measured by: its nodes without the variables, and these, each as
/// often as it occurs.
#[derive(Debug)]
struct Shape {
    own: u64,
    operators: Operators,
    variables: SmallVec<[VarId; 8]>,
    /// Applications in each other.
    depth: u8,
}

impl Shape {
    fn of(pattern: &Pattern) -> Shape {
        fn depth(pattern: &Pattern) -> u8 {
            match pattern {
                Pattern::Op(_, args) => {
                    args.iter().map(depth).max().map_or(1, |below| below.saturating_add(1))
                }
                // What it gives may be of any depth.
                Pattern::Function(..) => u8::MAX,
                Pattern::Var(_) | Pattern::Leaf(_) | Pattern::Compute(..) => 0,
            }
        }
        fn collect(pattern: &Pattern, shape: &mut Shape) {
            match pattern {
                Pattern::Var(var) => return shape.variables.push(*var),
                Pattern::Leaf(_) | Pattern::Compute(..) => {}
                // What a function gives is about as large as what it reads.
                Pattern::Function(_, args) => {
                    return args.iter().for_each(|arg| collect(arg, shape));
                }
                Pattern::Op(op, args) => {
                    shape.operators.insert(*op);
                    args.iter().for_each(|arg| collect(arg, shape));
                }
            }
            shape.own += 1;
        }
        let mut shape = Shape {
            own: 0,
            operators: Operators::default(),
            variables: SmallVec::new(),
            depth: depth(pattern),
        };
        collect(pattern, &mut shape);
        shape
    }

    /// Nodes of the smallest instance.
    fn size(&self, sizes: &[u32]) -> u64 {
        let size = |var: &VarId| u64::from(sizes[usize::from(var.0)]);
        self.variables.iter().fold(self.own, |sum, var| sum + size(var))
    }
}

/// The two sides of a rule.
#[derive(Debug)]
pub(crate) struct RuleShape {
    left: Shape,
    right: Shape,
}

impl RuleShape {
    fn of(rule: &Rule) -> RuleShape {
        RuleShape { left: Shape::of(&rule.lhs), right: Shape::of(&rule.rhs) }
    }
}

/// The shapes of the rules of a system, each made when it is asked for: of thousands of rules few match in an e-graph.
#[derive(Debug)]
pub(crate) struct Shapes(Vec<OnceLock<RuleShape>>);

impl Shapes {
    /// Of so many rules.
    pub fn of(rules: usize) -> Shapes {
        Shapes((0..rules).map(|_| OnceLock::new()).collect())
    }
}

/// A rebuilt e-graph, looked at once for all matches of an iteration.
pub(crate) struct Sight<'a> {
    egraph: &'a EGraph,
    system: &'a System,
    shapes: &'a Shapes,
    iteration: u64,
    sizes: Sizes,
    /// None where nothing is said of sides.
    sides: Option<[Surroundings; 2]>,
    /// By id, for those that are classes; where they are wanted.
    kinds: OnceLock<Vec<Kind>>,
    /// By rule: the literals of its right-hand side; where they are wanted.
    literals: Vec<OnceLock<Vec<Option<Id>>>>,
}

/// What of a match is looked at first, as [`MatchView`] has it.
struct Glimpse {
    class: Id,
    extent: Extent,
    right: u64,
    least: u64,
    /// What stands around the class in the terms of the side where that is less, and of the other one.
    around: Around,
    second: Option<Around>,
    /// Whether that is the second side.
    turned: bool,
    excess: i64,
}

/// What stands in no term of a side comes last.
const NOWHERE: Around = Around { excess: u32::MAX as i64, above: None };

/// Room to look at a match in.
#[derive(Debug, Default)]
pub(crate) struct SightRoom {
    /// Of the variables.
    classes: Vec<Id>,
    sizes: Vec<u32>,
    /// Of the applications.
    found: Vec<Id>,
}

impl<'a> Sight<'a> {
    /// Looks at an e-graph in the terms of the classes of `sides`, of every class if there are none.
    pub fn new(
        egraph: &'a EGraph,
        sizes: Sizes,
        shapes: &'a Shapes,
        sides: &[Vec<Id>; 2],
        iteration: u64,
    ) -> Sight<'a> {
        let system: &System = egraph.system();
        let said = sides.iter().any(|side| !side.is_empty());
        let sides = said.then(|| [0, 1].map(|i| Surroundings::new(egraph, &sizes, &sides[i])));
        let literals = (0..system.rewrites.len()).map(|_| OnceLock::new()).collect();
        let kinds = OnceLock::new();
        Sight { egraph, system, shapes, iteration, sizes, sides, kinds, literals }
    }

    /// The sizes, for later.
    pub fn into_sizes(self) -> Sizes {
        self.sizes
    }

    fn kinds(&self) -> &[Kind] {
        self.kinds.get_or_init(|| {
            let mut kinds = vec![Kind::Variable; self.egraph.built() as usize];
            let classes = self.egraph.classes();
            classes.for_each(|class| kinds[class.0 as usize] = kind(self.egraph, class));
            kinds
        })
    }

    /// Bytes that it takes to look at an e-graph.
    pub fn bytes(egraph: &EGraph) -> usize {
        // Kinds take the place of what waits while surroundings are found.
        const { assert!(size_of::<Kind>() <= size_of::<u64>()) };
        egraph.built() as usize * Surroundings::BYTES
    }

    /// What of a match is looked at first; none if it would change nothing.
    #[inline(always)]
    fn glimpse(&self, rule: u32, ids: &[Id], room: &mut SightRoom) -> Option<Glimpse> {
        let (egraph, number) = (self.egraph, rule as usize);
        let (rewrite, shape) = (&self.system.rewrites[number], self.shape(rule));
        let class = egraph.find(ids[0]);
        let SightRoom { classes, sizes, found: applications } = room;
        let extent = match &rewrite.functions {
            None => {
                rewrite.classes(egraph, ids, classes);
                let literals = &self.literals[number];
                let literals = literals.get_or_init(|| rewrite.rhs.known_literals(egraph));
                rewrite.rhs.extent(egraph, classes, literals, applications)
            }
            Some(rhs) => {
                rewrite.substitution(egraph, ids, classes);
                let instance = Instance::of(egraph, rhs, classes)?;
                classes.iter_mut().for_each(|id| *id = egraph.find(*id));
                instance.extent(egraph)
            }
        };
        if extent.class == Some(class) {
            return None;
        }
        sizes.clear();
        sizes.extend(classes.iter().map(|&class| self.sizes.size(class)));
        let right = shape.right.size(sizes);
        let least = u64::from(self.sizes.size(class));
        let (sides, turned) = self.around(class, least);
        let around = sides[0].unwrap_or(NOWHERE);
        let excess = around.excess + right as i64;
        Some(Glimpse { class, extent, right, least, around, second: sides[1], turned, excess })
    }

    /// [`MatchView::excess`] of a match of a rule; none if it would change nothing. `came` says whether something may have
    /// come into a class, as so many applications in each other, since that was last not so.
    #[inline]
    pub fn excess(
        &self,
        rule: u32,
        ids: &[Id],
        room: &mut SightRoom,
        came: impl Fn(Id, u8) -> bool,
    ) -> Option<i64> {
        let (egraph, shape) = (self.egraph, self.shape(rule));
        let class = egraph.find(ids[0]);
        if came(class, shape.right.depth) {
            return self.glimpse(rule, ids, room).map(|seen| seen.excess);
        }
        let rewrite = &self.system.rewrites[rule as usize];
        let size = |var: &VarId| {
            u64::from(self.sizes.size(rewrite.class(egraph, ids, usize::from(var.0))))
        };
        let right = shape.right.variables.iter().fold(shape.right.own, |sum, var| sum + size(var));
        let (sides, _) = self.around(class, u64::from(self.sizes.size(class)));
        let excess = sides[0].unwrap_or(NOWHERE).excess + right as i64;
        debug_assert_eq!(self.glimpse(rule, ids, room).map(|seen| seen.excess), Some(excess));
        Some(excess)
    }

    fn shape(&self, rule: u32) -> &RuleShape {
        let make = || RuleShape::of(&self.system.rules[rule as usize]);
        self.shapes.0[rule as usize].get_or_init(make)
    }

    /// What a match looks like that was found in an iteration; none if it would change nothing.
    // Many words are returned: they are written where they are wanted.
    #[inline(always)]
    pub fn view(
        &self,
        (rule, found): (u32, u32),
        ids: &[Id],
        room: &mut SightRoom,
    ) -> Option<MatchView> {
        let Glimpse { class, extent, right, least, around, second, turned, excess } =
            self.glimpse(rule, ids, room)?;
        let (egraph, shape) = (self.egraph, self.shape(rule));
        let (SightRoom { classes, sizes, .. }, kinds) = (room, self.kinds());
        let left = shape.left.size(sizes);
        let Around { excess: around, above } = around;
        let kinds = classes.iter().map(|&class| kinds[class.0 as usize]);
        let mut variables = [None; 3];
        for (place, kind) in variables.iter_mut().zip(kinds.clone()) {
            *place = Some(kind);
        }
        let mut variable_sizes = [0; 3];
        variable_sizes.iter_mut().zip(&*sizes).for_each(|(place, &size)| *place = size);
        Some(MatchView {
            rule,
            above: above.and_then(|node| self.above(node, class, turned)),
            variables,
            variable_sizes,
            literals: kinds.filter(|kind| matches!(kind, Kind::Literal(_))).count() as u32,
            excess,
            other_excess: second.map(|around| around.excess + right as i64),
            excess_before: around + least as i64,
            right,
            left,
            least,
            waited: self.iteration.saturating_sub(u64::from(found)),
            class_nodes: egraph.nodes(class).len() as u32,
            missing: extent.missing,
            unites: extent.class.is_some(),
            united: match extent.class {
                Some(united) => self.excess_of(united, turned),
                None => [None; 2],
            },
            brings: Operators(shape.right.operators.0 & !shape.left.operators.0),
            drops: Operators(shape.left.operators.0 & !shape.right.operators.0),
            around: self.in_turn(turned, |side| side.operators).unwrap_or_default(),
            e_nodes: egraph.node_count() as u64,
            iteration: self.iteration,
            sides: self
                .sides
                .as_ref()
                .map_or([0; 2], |[a, b]| [a, b].map(|side| u64::from(side.least))),
        })
    }

    /// The excess of a class without its own term, and the e-node above it: in the terms of both
    /// sides, the better one first; whether that is the second.
    #[inline]
    fn around(&self, class: Id, least: u64) -> ([Option<Around>; 2], bool) {
        let Some(sides) = self.in_turn(false, |side| side.of(class)) else {
            return ([Some(Around { excess: -(least as i64), above: None }), None], false);
        };
        let [first, second] = sides;
        let excess = |around: Option<Around>| around.map_or(i64::MAX, |around| around.excess);
        if excess(second) < excess(first) { ([second, first], true) } else { (sides, false) }
    }

    /// What an e-node above a class looks like.
    fn above(&self, node: Id, class: Id, turned: bool) -> Option<Above> {
        let op = operator(self.egraph, node)?;
        let children = self.egraph.children(node);
        let argument = children.iter().position(|&child| child == class)?;
        let sibling = (0..children.len()).find(|&i| i != argument);
        let parent = self.egraph.find(node);
        let next = |side: &Surroundings| operator(self.egraph, side.of(parent)?.above?);
        Some(Above {
            op,
            argument: argument as u32,
            sibling: sibling.map(|i| self.kinds()[children[i].0 as usize]),
            next: self.in_turn(turned, next).and_then(|[next, _]| next),
        })
    }

    /// By how much the smallest term of each side with a class in it is larger than the smallest.
    fn excess_of(&self, class: Id, turned: bool) -> [Option<i64>; 2] {
        let least = i64::from(self.sizes.size(class));
        let excess = |side: &Surroundings| side.of(class).map(|around| around.excess + least);
        self.in_turn(turned, excess).unwrap_or_default()
    }

    /// Something of both sides, if there are any; of the second one first if they are `turned`.
    #[inline]
    fn in_turn<T>(&self, turned: bool, of: impl Fn(&Surroundings) -> T) -> Option<[T; 2]> {
        let [first, second] = self.sides.as_ref()?;
        Some(if turned { [of(second), of(first)] } else { [of(first), of(second)] })
    }
}

fn kind(egraph: &EGraph, class: Id) -> Kind {
    let nodes = egraph.nodes(class);
    // Leaves come after operators.
    match [nodes[0], nodes[nodes.len() - 1]].map(|node| egraph.node(node)) {
        [Node::Op(first), Node::Op(_)] => Kind::Op(first),
        _ => match egraph.literal(class) {
            Some(value) => {
                let small = value.whole().filter(|n| (-1..=1).contains(n));
                Kind::Literal(small.map(|n| n as i8))
            }
            None => Kind::Variable,
        },
    }
}
