//! Left-hand sides, compiled for the matching machine ([`crate::matching::machine`]).
//!
//! The applications of a pattern are its *atoms*, numbered in pre-order. There is a program for
//! each atom to begin with: from an e-node that has changed, up to the root of the pattern
//! through the e-nodes that use its class, and then down to all other atoms. Registers hold
//! classes: those of the atoms, and behind them those of the atoms' children.

use crate::rules::expression::Condition;
use crate::rules::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::rules::variables::{VarId, Variables};
use crate::term::language::{Leaf, OpId};
use crate::term::leaves::Head;
use std::ops::Range;
use std::sync::OnceLock;

/// Index of a register; it holds a class.
pub(crate) type Register = usize;

/// One step of the matching machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// Goes on with each e-node for `atom`, which has this head, in the class in a register. `known`: a
    /// child of it, and the register that holds its class already.
    Down { atom: usize, head: Head, class: Register, known: Option<(usize, Register)> },
    /// Goes on with each e-node for `atom`, which has this head and the class of atom `from` as its
    /// child number `child`. `known`: another child of it, and the register that holds its class already.
    Up { atom: usize, head: Head, from: usize, child: usize, known: Option<(usize, Register)> },
    /// Goes on if both registers hold the same class.
    Same(Register, Register),
    /// Goes on if the register holds the class of constant number `1`.
    Constant(Register, usize),
    /// Goes on if the class in the register has a literal.
    Literal(Register),
    /// Goes on if the condition of the start's test with this number holds.
    Test(usize),
}

/// A condition of the rule that is looked at as soon as its variables are known, so that nothing
/// is tried in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    /// Its index in the rule.
    pub condition: usize,
    /// A register of each variable that it reads, by variable, or of the variable whose fact it reads;
    /// those of others mean nothing.
    pub registers: Vec<Register>,
}

/// An application in a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Atom {
    /// Its operator.
    pub op: OpId,
    /// Its first child's register; the others follow. There are two at least.
    pub children: Register,
    pub arity: usize,
    /// The atom above it, and which child of that it is.
    pub parent: Option<(usize, usize)>,
    args: Vec<Arg>,
}

impl Atom {
    pub fn head(&self) -> Head {
        Head::from(self.op)
    }
}

/// A pattern without children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Leaf(Leaf),
    Op(OpId),
}

impl Constant {
    /// # Panics
    /// The pattern is a variable or a computation, or has children.
    pub fn of(pattern: &Pattern) -> Constant {
        match pattern {
            Pattern::Leaf(leaf) => Constant::Leaf(leaf.clone()),
            Pattern::Op(op, args) if args.is_empty() => Constant::Op(*op),
            _ => unreachable!("not a constant"),
        }
    }
}

/// What a child of an atom must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arg {
    Var(usize),
    Constant(usize),
    Atom(usize),
}

/// What follows when a certain atom is bound first. At the end all conditions have been tested.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub instructions: Vec<Instruction>,
    pub tests: Vec<Test>,
}

/// A left-hand side.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Atom `i` has its class in register `i`. None for a bare variable or a constant, whose class
    /// is in register 0.
    pub atoms: Vec<Atom>,
    pub constants: Vec<Constant>,
    /// The root, where there are no atoms: a constant, or else a variable.
    pub constant_root: bool,
    /// By atom: what follows when that one is bound first; made when it is first asked for, for
    /// all together are of the square of the pattern's size.
    starts: Vec<OnceLock<Start>>,
    /// As the first of them, but of the two atoms below the root the second one is bound first; where there are two that
    /// have a variable in common.
    turned: OnceLock<Option<Start>>,
    pub registers: usize,
    /// A register of each variable, and atom and child that it stands for.
    variables: Vec<(Register, Option<(usize, usize)>)>,
}

impl Program {
    /// Compiles the left-hand side of a rule.
    pub fn compile(rule: &Rule) -> Program {
        let mut program = Program {
            atoms: Vec::new(),
            constants: Vec::new(),
            constant_root: false,
            starts: Vec::new(),
            turned: OnceLock::new(),
            registers: 1,
            variables: vec![(0, None); rule.variables.patterns()],
        };
        match program.read(&rule.lhs, None) {
            Arg::Constant(_) => program.constant_root = true,
            Arg::Var(_) => {}
            Arg::Atom(_) => {
                program.registers = program.atoms.len();
                for atom in &mut program.atoms {
                    atom.children = program.registers;
                    program.registers += atom.arity.max(2);
                }
                for (a, atom) in program.atoms.iter().enumerate().rev() {
                    for (i, arg) in atom.args.iter().enumerate().rev() {
                        if let Arg::Var(var) = *arg {
                            program.variables[var] = (atom.children + i, Some((a, i)));
                        }
                    }
                }
                program.starts.resize(program.atoms.len(), OnceLock::new());
            }
        }
        program
    }

    fn read(&mut self, pattern: &Pattern, parent: Option<(usize, usize)>) -> Arg {
        match pattern {
            Pattern::Var(var) => Arg::Var(usize::from(var.0)),
            Pattern::Op(op, args) if !args.is_empty() => {
                let number = self.atoms.len();
                let arity = args.len();
                let atom = Atom { op: *op, children: 0, arity, parent, args: Vec::new() };
                self.atoms.push(atom);
                let read = |(i, arg)| self.read(arg, Some((number, i)));
                let args = args.iter().enumerate().map(read).collect();
                self.atoms[number].args = args;
                Arg::Atom(number)
            }
            constant => {
                self.constants.push(Constant::of(constant));
                Arg::Constant(self.constants.len() - 1)
            }
        }
    }

    /// Number of e-nodes that a match binds; where there are no atoms, the class.
    pub fn bound(&self) -> usize {
        self.atoms.len().max(1)
    }

    /// Whether it may match an e-graph with so many e-nodes, by operator: of each of its own there is one.
    #[inline]
    pub fn may_match(&self, live_by_operator: &[u32]) -> bool {
        self.atoms.iter().all(|atom| live_by_operator[atom.op.0 as usize] > 0)
    }

    /// A register that holds the class of a variable once all atoms are bound.
    pub fn register(&self, var: usize) -> Register {
        self.variables[var].0
    }

    /// Atom and child that a variable stands for; `None` for a bare variable.
    pub fn place(&self, var: usize) -> Option<(usize, usize)> {
        self.variables[var].1
    }

    /// The program that begins with an e-node for atom `first`, where there are atoms. `rule` is
    /// the rule that this was compiled from.
    pub fn start(&self, first: usize, rule: &Rule) -> Option<&Start> {
        let atoms = 0..self.atoms.len();
        Some(self.starts.get(first)?.get_or_init(|| self.plan(first, atoms, rule)))
    }

    /// As [`Program::start`] of the root, with the second of the two atoms below it first, where it has two and both
    /// ask for the same variable: which of the two orders tries less depends on the classes.
    pub fn turned(&self, rule: &Rule) -> Option<&Start> {
        let plan = || {
            let is_below_root =
                |&atom: &usize| self.atoms[atom].parent.is_some_and(|(p, _)| p == 0);
            let below_root: Vec<usize> = (1..self.atoms.len()).filter(is_below_root).collect();
            let [first, second] = below_root[..] else { return None };
            let (left, right) = (first..second, second..self.atoms.len());
            let args = |atoms: Range<usize>| atoms.flat_map(|atom| self.atoms[atom].args.iter());
            let is_common =
                |arg| matches!(arg, &Arg::Var(_)) && args(right.clone()).any(|a| a == arg);
            let have_common = args(left.clone()).any(is_common);
            have_common.then(|| self.plan(0, right.chain(left), rule))
        };
        self.turned.get_or_init(plan).as_ref()
    }

    /// `atoms` are all that is to be found below the first one and its ancestors, each behind its parent.
    fn plan(&self, first: usize, atoms: impl Iterator<Item = usize>, rule: &Rule) -> Start {
        let literals = &rule.literal_vars();
        let mut plan = Plan {
            program: self,
            instructions: Vec::new(),
            known: vec![None; self.variables.len()],
            bound: vec![false; self.atoms.len()],
            literals,
            conditions: rule.conditions.iter().enumerate().collect(),
            variables: &rule.variables,
            tests: Vec::new(),
        };
        plan.bind(first, None);
        let mut at = first;
        while let Some((parent, child)) = self.atoms[at].parent {
            let (head, known) = (self.atoms[parent].head(), plan.known_child(parent));
            plan.instructions.push(Instruction::Up { atom: parent, head, from: at, child, known });
            plan.bind(parent, known);
            at = parent;
        }
        for atom in atoms {
            if !plan.bound[atom] {
                let (head, known) = (self.atoms[atom].head(), plan.known_child(atom));
                let (parent, child) = self.atoms[atom].parent.expect("only the root has none");
                let class = self.atoms[parent].children + child;
                plan.instructions.push(Instruction::Down { atom, head, class, known });
                plan.bind(atom, known);
            }
        }
        Start { instructions: plan.instructions, tests: plan.tests }
    }
}

/// A program in the making.
struct Plan<'p> {
    program: &'p Program,
    instructions: Vec<Instruction>,
    /// The register in which each variable was seen first.
    known: Vec<Option<Register>>,
    bound: Vec<bool>,
    /// The variables that must be literals.
    literals: &'p [VarId],
    /// The conditions that are not tested yet, with their indices.
    conditions: Vec<(usize, &'p Condition)>,
    variables: &'p Variables,
    tests: Vec<Test>,
}

impl Plan<'_> {
    /// A child of an atom that is a variable seen before, and where.
    fn known_child(&self, atom: usize) -> Option<(usize, Register)> {
        let args = self.program.atoms[atom].args.iter().enumerate();
        let mut known = args.filter_map(|(child, arg)| match *arg {
            Arg::Var(var) => Some((child, self.known[var]?)),
            Arg::Constant(_) | Arg::Atom(_) => None,
        });
        known.next()
    }

    /// Tests what is known of the children of an atom that has just been bound, but for the one that was
    /// known.
    fn bind(&mut self, atom: usize, known: Option<(usize, Register)>) {
        self.bound[atom] = true;
        let Atom { children, args, .. } = &self.program.atoms[atom];
        let mut new = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let register = children + i;
            match *arg {
                Arg::Var(var) => match self.known[var] {
                    Some(_) if known.is_some_and(|(child, _)| child == i) => {}
                    Some(first) => self.instructions.push(Instruction::Same(first, register)),
                    None => {
                        self.known[var] = Some(register);
                        new.push((var, register));
                    }
                },
                Arg::Constant(constant) => {
                    self.instructions.push(Instruction::Constant(register, constant));
                }
                // An atom below is either where we come from or is still to be bound.
                Arg::Atom(_) => {}
            }
        }
        for (var, register) in new {
            if self.literals.iter().any(|literal| usize::from(literal.0) == var) {
                self.instructions.push(Instruction::Literal(register));
            }
        }
        self.test();
    }

    /// Tests the conditions all variables of which are known by now.
    fn test(&mut self) {
        let (known, variables) = (&self.known, self.variables);
        // A fact is known where its variable is.
        let register = |var: VarId| known[usize::from(variables.pattern_of(var).0)];
        let ready = |&mut (_, condition): &mut (usize, &Condition)| {
            let mut all = true;
            condition.each_var(&mut |var| all &= register(var).is_some());
            all
        };
        for (condition, _) in self.conditions.extract_if(.., ready) {
            self.instructions.push(Instruction::Test(self.tests.len()));
            let all = (0..variables.names.len() as u16).map(VarId);
            let registers = all.map(|var| register(var).unwrap_or(0)).collect();
            self.tests.push(Test { condition, registers });
        }
    }
}
