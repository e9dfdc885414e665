//! From small terms to a model that guesses them from their normal forms: `guesses`, `verify`, `train`, and `optimise --model`
//! without a goal, with the same bytes whatever the number of threads.

use crate::common::{cairn, run};
use dataset_gen::{Split, read_triples};
use guided_search::{OPTIMISED_FILE, OptimisedRow};
use std::fs;
use support::read_table;

const PRODUCTS: [[&str; 3]; 2] =
    [["(+ x y)", "(- x 1)", "(+ y 2)"], ["(- y x)", "(+ x 1)", "(+ x (+ y 3))"]];

#[test]
fn what_a_normal_form_was_is_guessed_and_proved() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let mut products = String::new();
    for a in PRODUCTS[0] {
        for b in PRODUCTS[1] {
            products += &format!("(* {a} {b})\n(* (* {a} {b}) x)\n(* y (* {b} {a}))\n");
        }
    }
    fs::write(path("products.txt"), products + "(+ x y)\n").unwrap();
    fs::write(path("tests.txt"), "(+ (+ (* x x) (* x y)) (+ x y))\n(* a (* b c))\n").unwrap();
    let learn = "guesses --system polynomials --seeds products.txt --without tests.txt";
    run(&directory, &format!("{learn} --validation 0.2 --out data --threads 1"));
    run(&directory, &format!("{learn} --validation 0.2 --out again --threads 2"));
    run(&directory, "verify data");
    for split in [Split::Train, Split::Validation] {
        let [triples, again] =
            ["data", "again"].map(|name| read_triples(&path(name), split).unwrap());
        assert_eq!(triples, again);
        assert!(!triples.is_empty());
        for triple in triples {
            assert_eq!((&triple.start, triple.start_size), (&triple.target, triple.target_size));
            assert!(triple.start_size > triple.guide_size, "{triple:?}");
        }
    }
    let said = cairn(&directory).args(format!("{learn} --out third").split(' ')).assert().success();
    let said = String::from_utf8(said.get_output().stderr.clone()).unwrap();
    assert!(said.contains("4 no smaller than the normal form"), "{said}");
    assert!(said.contains(" 1 with that of a term of --without"), "{said}");

    run(&directory, "train --data data --out model --config tiny --steps 30");
    let search =
        "optimise --system polynomials --cost size --terms tests.txt --model model --cap 500";
    for threads in [1, 2] {
        run(&directory, &format!("{search} --work 3000 --threads {threads} --out o{threads}"));
    }
    let table = |name: &str| fs::read(path(name).join(OPTIMISED_FILE)).unwrap();
    assert!(table("o1") == table("o2"));
    for row in read_table::<OptimisedRow>(&path("o1").join(OPTIMISED_FILE)).unwrap() {
        let check = ["check", "--system", "polynomials", &format!("o1/{}", row.proof_file)];
        cairn(&directory).args(check).assert().success();
    }
}

#[test]
fn what_can_not_be_guessed_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |arguments: &str, expected: &str| {
        let done = cairn(&directory).args(arguments.split(' ')).assert().code(2);
        let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(said.contains(expected), "{said}");
        assert!(!directory.path().join("data").exists());
    };
    fs::write(directory.path().join("terms.txt"), "(+ x y)\n(* x y)\n").unwrap();
    let terms = "--seeds terms.txt --out data";
    refused(&format!("guesses --system polynomials {terms}"), "no term is smaller");
    refused(&format!("guesses --system ring {terms}"), "the system has no normal form");
    refused(&format!("guesses --system polynomials {terms} --validation 0"), "expected a share");
    refused("guesses --system polynomials --seeds none.txt --out data", "none.txt");
    refused("optimise --system ring --term x --model model", "or a system with a normal form");
}
