//! E-matching: all matches of a compiled rule in a rebuilt e-graph.

use crate::egraph::{EGraph, Id};
use crate::leaves::Head;
use crate::rewrite::{Instruction, Rewrite, computes};
use crate::system::Rule;

/// Matches of one rule, in the order of their root e-nodes: runs of [`Rewrite::stride`] ids.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub ids: Vec<Id>,
    /// Whether the search ended early because the room was full.
    pub truncated: bool,
}

impl Matches {
    /// Number of matches.
    pub fn len(&self, rewrite: &Rewrite) -> usize {
        self.ids.len() / rewrite.stride()
    }
}

/// Finds the matches of `rewrite` whose conditions hold, at most `room` ids of them.
pub(crate) fn search(egraph: &EGraph, rewrite: &Rewrite, rule: &Rule, room: usize) -> Matches {
    let mut constants = Vec::new();
    for instruction in &rewrite.instructions {
        if let Instruction::Constant(_, constant) = instruction {
            match constant.node(egraph) {
                Some(node) => constants.push(egraph.find(node)),
                // What the e-graph has never seen matches nowhere.
                None => return Matches::default(),
            }
        }
    }
    let mut machine = Machine {
        egraph,
        rewrite,
        rule,
        constants,
        registers: vec![Id(0); rewrite.registers],
        nodes: Vec::with_capacity(rewrite.nodes),
        found: Matches::default(),
        room,
    };
    match rewrite.root {
        Some(op) => {
            for &node in egraph.index().operator(op.0 as usize) {
                machine.enter(node, 0, 0);
                if machine.found.truncated {
                    break;
                }
            }
        }
        None => {
            for class in egraph.classes().filter(|&c| root_sort_fits(egraph, rule, c)) {
                machine.registers[0] = class;
                machine.nodes.push(class);
                machine.run(0, 0);
                machine.nodes.clear();
                if machine.found.truncated {
                    break;
                }
            }
        }
    }
    machine.found
}

/// A bare variable matches classes of its sort only.
fn root_sort_fits(egraph: &EGraph, rule: &Rule, class: Id) -> bool {
    let sort = rule.lhs.sort(&egraph.system().language, &rule.variables);
    egraph.sort(class) == sort
}

struct Machine<'a> {
    egraph: &'a EGraph,
    rewrite: &'a Rewrite,
    rule: &'a Rule,
    /// Classes of the program's constants, in the order of their instructions.
    constants: Vec<Id>,
    registers: Vec<Id>,
    nodes: Vec<Id>,
    found: Matches,
    room: usize,
}

impl Machine<'_> {
    /// Binds `node` by the `Bind` at `at` and goes on. `constants` were passed before.
    fn enter(&mut self, node: Id, at: usize, constants: usize) {
        let Instruction::Bind { children, arity, .. } = self.rewrite.instructions[at] else {
            unreachable!("only a Bind is entered");
        };
        self.registers[children..children + arity].copy_from_slice(self.egraph.children(node));
        self.nodes.push(node);
        self.run(at + 1, constants);
        self.nodes.pop();
    }

    fn run(&mut self, mut at: usize, mut constants: usize) {
        loop {
            match self.rewrite.instructions.get(at) {
                None => return self.found(),
                Some(&Instruction::Same(a, b)) => {
                    if self.registers[a] != self.registers[b] {
                        return;
                    }
                }
                Some(&Instruction::Constant(register, _)) => {
                    if self.registers[register] != self.constants[constants] {
                        return;
                    }
                    constants += 1;
                }
                Some(&Instruction::Bind { class, op, .. }) => {
                    let egraph = self.egraph;
                    let class = self.registers[class];
                    let nodes =
                        egraph.index().class_with_head(class, Head::from(op), |n| egraph.head(n));
                    for &node in nodes {
                        self.enter(node, at, constants);
                        if self.found.truncated {
                            return;
                        }
                    }
                    return;
                }
            }
            at += 1;
        }
    }

    /// All instructions passed: checks the conditions and notes the match.
    fn found(&mut self) {
        let egraph = self.egraph;
        let start = self.found.ids.len();
        if start + self.rewrite.stride() > self.room {
            self.found.truncated = true;
            return;
        }
        self.found.ids.extend_from_slice(&self.nodes);
        for &(register, _) in &self.rewrite.literals {
            match egraph.literal_node(self.registers[register]) {
                Some(literal) => self.found.ids.push(literal),
                None => return self.found.ids.truncate(start),
            }
        }
        if self.rewrite.literals.is_empty() && self.rule.conditions.is_empty() {
            return;
        }
        let value = |var| {
            let mut literals = self.rewrite.literals.iter();
            let &(register, _) = literals.find(|(_, v)| *v == var)?;
            egraph.literal(self.registers[register])
        };
        let kind = |sort| egraph.system().language.literal_kind(sort);
        let holds = self.rule.conditions.iter().all(|c| c.holds(&value))
            && computes(&self.rule.rhs, &kind, &value);
        if !holds {
            self.found.ids.truncate(start);
        }
    }
}
