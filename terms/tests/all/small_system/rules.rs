//! The rules of the small system; the tests of `cairn` use them, too.

use egraph::System;
use std::sync::Arc;

pub const RULES: &str = "
(sort Int) (sort Bool)
(literal i64 Int) (literal bool Bool) (variable Int)
(op + (Int Int) Int) (op * (Int Int) Int)
(op < (Int Int) Bool) (op if (Bool Int Int) Int)
(analysis constant)
(rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name add-assoc)
(birewrite (+ ?a 0) ?a :name add-zero)
(rewrite (* ?a ?b) (* ?b ?a) :name mul-comm)
(birewrite (* ?a 1) ?a :name mul-one)
(rewrite (* ?a 0) 0 :name mul-zero)
(birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name distribute)
(rewrite (if ?c ?a ?a) ?a :name if-same)
(rewrite (< ?a ?a) 0 :name lt-same)
(rewrite (< (+ ?a ?c) (+ ?b ?c)) (< ?a ?b) :name lt-cancel)
";

pub fn system() -> Arc<System> {
    Arc::new(System::parse(RULES).expect("the rules are well-formed"))
}
