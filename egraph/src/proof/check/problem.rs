//! What can be wrong with a proof.

/// Why a proof is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step}: {problem}")]
pub struct CheckError {
    /// Index of the step in the proof.
    pub step: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It refers to itself, to a later step or to none at all.
    #[error("refers to a step that does not come before it")]
    BadReference,
    /// It names a term that is not in the bank.
    #[error("names a term that does not exist")]
    BadTerm,
    /// It names a rule that is not in the system.
    #[error("names a rule that the system does not have")]
    UnknownRule,
    /// The substitution has the wrong length or sorts.
    #[error("the substitution does not fit the rule's variables")]
    BadSubstitution,
    /// The term on the left is not the instance of the rule's left-hand side.
    #[error("the left term is not an instance of the rule's left-hand side")]
    LeftMismatch,
    /// The term on the right is not the instance of the rule's right-hand side.
    #[error("the right term is not an instance of the rule's right-hand side")]
    RightMismatch,
    /// Not the fact that is needed: of another analysis or term, or with another value.
    #[error("the fact that it needs is not proved by the step that it names")]
    FactMismatch,
    /// A fact does not follow from what it names.
    #[error("the fact does not follow")]
    BadFact,
    /// A condition of the rule does not hold.
    #[error("condition {0} of the rule does not hold")]
    ConditionFails(usize),
    /// Not an operator on literals with the stated value.
    #[error("not the value of a built-in operator on literals")]
    BadFold,
    /// The two terms of a congruence have different operators or numbers of children.
    #[error("congruence between different operators")]
    DifferentOperators,
    /// A child's proof does not go from one term's child to the other's.
    #[error("the proof of child {0} does not connect the children")]
    ChildMismatch(usize),
    /// The steps of a chain do not meet, or miss its ends.
    #[error("the steps of the chain do not meet")]
    BrokenChain,
    /// The number of terms of a flat proof is not one more than that of its steps, or there is
    /// no subterm where a step rewrites.
    #[error("no such position in the term")]
    BadPosition,
    /// A step among the facts of a flat proof is wrong.
    #[error("among the facts: {0}")]
    InFacts(Box<Problem>),
    /// The two terms around a flat step differ elsewhere than where it rewrites.
    #[error("the terms differ outside the rewritten position")]
    DifferElsewhere,
}
