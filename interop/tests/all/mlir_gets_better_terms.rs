//! Functions of MLIR: what the system's operators compute is computed better, all else stays.

use egraph::{
    CostFunction, EGraph, Limits, ParseError, SaturationConfig, Sketch, System, TermBank, TermId,
    extract_best, saturate,
};
use interop::{Mlir, MlirTable};
use std::ops::ControlFlow;
use std::sync::Arc;

pub fn arith() -> Arc<System> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/systems/arith.rules");
    Arc::new(System::load(path.as_ref()).unwrap())
}

pub fn case(name: &str) -> String {
    let path = format!("{}/tests/mlir/{name}.mlir", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// A function with these operations in its one block.
pub fn function(arguments: &str, body: &str) -> String {
    format!(
        "\"func.func\"() <{{sym_name = \"f\"}}> ({{\n^bb0({arguments}):\n{body}\n}}) : () -> ()"
    )
}

fn best(system: &Arc<System>, bank: &mut TermBank, term: TermId, cost: &CostFunction) -> TermId {
    let mut egraph = EGraph::new(system.clone());
    let root = egraph.add_term(bank, term);
    let limits = Limits { nodes: Some(2_000), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    extract_best(&egraph, bank, root, &Sketch::Any, cost).unwrap().0
}

fn optimised(text: &str) -> Result<String, ParseError> {
    let system = arith();
    let table = MlirTable::of(&system)?;
    let mut bank = TermBank::new(system.language.clone());
    let cost = CostFunction::named(&system, "cost").unwrap();
    let cost = cost.without(&table.missing(&system.language));
    let mut mlir = Mlir::parse(text)?;
    let values = mlir.values(&table, &mut bank)?;
    let found: Vec<(TermId, TermId)> = values
        .iter()
        .map(|value| (value.term, best(&system, &mut bank, value.term, &cost)))
        .collect();
    let of = |term| found.iter().find(|(start, _)| *start == term).map_or(term, |found| found.1);
    mlir.rewrite(&table, &mut bank, &of, &cost)?;
    // What is printed is read, and nothing else is found in it.
    let text = mlir.to_string();
    assert_eq!(Mlir::parse(&text)?, mlir);
    let again = Mlir::parse(&text)?.values(&table, &mut bank)?;
    let terms =
        |values: &[interop::NeededValue]| values.iter().map(|v| of(v.term)).collect::<Vec<_>>();
    assert!(terms(&again).iter().all(|term| terms(&values).contains(term)), "{text}");
    Ok(text)
}

/// The operations with a result, or a name, in the order of the text.
fn lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| line.contains("\"(") && !line.contains("builtin.module")).collect()
}

#[test]
fn a_product_becomes_a_shift() {
    let text = optimised(&case("shift")).unwrap();
    assert!(text.contains("%y = \"arith.shli\"(%x, %c0) : (i32, i32) -> i32"), "{text}");
    assert!(text.contains("%c0 = \"arith.constant\"() <{value = 1 : i32}> : () -> i32"), "{text}");
    assert!(!text.contains("muli") && !text.contains("%two"), "{text}");
}

#[test]
fn stores_keep_their_order() {
    let text = optimised(&case("stores")).unwrap();
    let names = |text: &str, of: &str| -> Vec<String> {
        lines(text).into_iter().filter(|line| line.contains(of)).map(str::to_owned).collect()
    };
    let memory = names(&text, "memref.");
    assert_eq!(memory.len(), 4);
    assert!(memory[0].contains("\"memref.store\"(%a, %m, %i)"), "{text}");
    assert!(memory[1].starts_with("%l = \"memref.load\""), "{text}");
    assert!(memory[2].contains("\"memref.store\"(%c, "), "{text}");
    // %b is %l + 0.
    assert!(memory[3].contains("\"memref.store\"(%l, "), "{text}");
    assert!(text.contains("\"func.return\"(%l)"), "{text}");
}

#[test]
fn several_results_are_projections() {
    let text = optimised(&case("two_results")).unwrap();
    // The first sum has no carry; the second is one operation with both of its results.
    assert_eq!(text.matches("arith.addui_extended").count(), 1, "{text}");
    assert!(text.contains("%4:2 = \"func.call\"(%2)"), "{text}");
    assert!(text.contains("\"func.return\"(%2, %3, %4#0)") || text.contains(", %4#0)"), "{text}");
}

#[test]
fn regions_and_other_blocks_see_what_they_saw() {
    let text = optimised(&case("control_flow")).unwrap();
    assert!(text.starts_with("#map = affine_map<(d0) -> (d0 + 1)>\n"), "{text}");
    assert!(text.contains("{note = #map}"), "{text}");
    // The region is opaque: its operation stays, and its operands are there.
    assert!(text.contains("%q = \"arith.addi\"(%a, %b)"), "{text}");
    assert!(text.contains("%a = \"arith.shli\"(%x, "), "{text}");
    assert!(text.contains("%b = \"arith.constant\"() <{value = 0 : i32}>"), "{text}");
    assert!(text.contains("^bb1(%z: i32):\n"), "{text}");
}

#[test]
fn names_of_other_scopes_are_left_alone() {
    let body = "%0 = \"arith.constant\"() <{value = 0 : i32}> : () -> i32
        %1 = \"arith.addi\"(%x, %0) : (i32, i32) -> i32
        \"test.isolated\"() ({
          %1 = \"test.value\"() : () -> i32
          \"test.use\"(%1) : (i32) -> ()
        }, {
          \"test.use\"(%1) : (i32) -> ()
        }) : () -> ()
        \"func.return\"(%1) : (i32) -> ()";
    let text = optimised(&function("%x: i32", body)).unwrap();
    let uses: Vec<&str> =
        lines(&text).into_iter().filter(|line| line.contains("test.use")).collect();
    assert_eq!(uses, ["\"test.use\"(%1) : (i32) -> ()", "\"test.use\"(%x) : (i32) -> ()"]);
}

#[test]
fn what_is_shared_is_not_computed_twice() {
    // By itself x * 3 + x is best as a shift; with x * 3 there anyway it is a sum.
    let body = "%3 = \"arith.constant\"() <{value = 3 : i32}> : () -> i32
        %p = \"arith.muli\"(%x, %3) : (i32, i32) -> i32
        %q = \"arith.addi\"(%p, %x) : (i32, i32) -> i32
        \"func.return\"(%p, %q) : (i32, i32) -> ()";
    let text = optimised(&function("%x: i32", body)).unwrap();
    assert!(text.contains("%q = \"arith.addi\"(%p, %x)"), "{text}");
}

#[test]
fn a_function_in_which_nothing_is_better_keeps_its_text() {
    let body = "%p = \"arith.addi\"(%x, %y) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32 loc(\"f.c\":1:2)
        %u = \"arith.divui\"(%x, %y) {note} : (i32, i32) -> i32
        \"func.return\"(%p, %u) : (i32, i32) -> ()";
    let text = function("%x: i32, %y: i32", body);
    assert_eq!(optimised(&text).unwrap(), Mlir::parse(&text).unwrap().to_string());
}

#[test]
fn mistakes_are_told_with_their_places() {
    for (body, place, message) in [
        ("\"func.return\"(%z) : (i32) -> ()", (3, 1), "%z is used and not defined in @f"),
        ("%x = \"test.a\"() : () -> i32", (3, 1), "%x is defined a second time"),
        ("%0 = \"test.a\"(%x) : () -> i32", (3, 1), "'test.a' has 1 operands and 0 types"),
        ("%0 = arith.addi %x, %x : i32", (3, 6), "expected an operation in the generic form"),
        ("\"test.a\"() {a = [1, 2} : () -> ()", (3, 22), "expected ']', found '}'"),
        ("\"test.a\"() {a = \"b} : () -> ()", (3, 17), "'\"' is never closed on its line"),
        ("\"test.a\"() : () -> ", (4, 1), "expected a type, found '})'"),
        ("%0:99999999999 = \"test.a\"() : () -> i32", (3, 15), "expected a number up to 10000"),
        ("%0 = \"equivalence.class\"(%x) : (i32) -> i32", (3, 1), "is part of an e-graph"),
        (
            "%0 = \"arith.addi\"(%0, %x) : (i32, i32) -> i32\n\"func.return\"(%0) : (i32) -> ()",
            (3, 1),
            "%0 can't be computed without itself",
        ),
        (
            "%0 = \"arith.addi\"(%x, %x) : (i32, i32) -> i32
            %1 = \"arith.andi\"(%0, %0) : (i1, i1) -> i1\n\"func.return\"(%1) : (i1) -> ()",
            (4, 13),
            "%0 is of another type elsewhere",
        ),
    ] {
        let mistake = optimised(&function("%x: i32", body)).unwrap_err();
        assert_eq!((mistake.place.line, mistake.place.column), place, "{mistake}");
        assert!(mistake.message.contains(message), "{mistake}");
    }
    let deep = "\"a.b\"() ({".repeat(100_000);
    assert!(Mlir::parse(&deep).unwrap_err().message.contains("nested more than 100 deep"));
    let brackets = format!("\"a.b\"() {{a = {}", "[".repeat(100_000));
    assert!(Mlir::parse(&brackets).unwrap_err().message.contains("'[' is never closed"));
}

#[test]
fn mistakes_in_tables_are_told() {
    let table = |mlir: &str| {
        let text = format!(
            "(sort I) (sort B) (literal i64 I) (literal bool B) (op + (I I) I) (op lo (I I) I) (op p (B) B)\n(mlir {mlir})"
        );
        MlirTable::of(&System::parse(&text).unwrap())
            .map(drop)
            .map_err(|mistake| mistake.to_string())
    };
    assert_eq!(table("(type I i32) (+ \"arith.addi\")"), Ok(()));
    for (mlir, message) in [
        ("(type J i32)", "2:13: unknown sort 'J'"),
        ("(type I i32) (type B i32)", "2:20: sort I has type i32 already"),
        (
            "(type I f32)",
            "2:7: literals of this sort are of kind i64: expected type i2 to i64, or index",
        ),
        ("(+ \"arith.addi\")", "2:8: sort I of '+' has no type: expected (type I …)"),
        ("(type I i32) (- \"arith.subi\")", "2:21: unknown operator '-'"),
        ("(type I i32) (+ arith.addi)", "2:20: expected (type Sort type)"),
        ("(type I i32) (+ \"addi\")", "2:21: \"addi\" is no operation"),
        ("(type I i32) (+ \"a.b\") (lo \"a.b\")", "2:31: '+' is the same operation"),
        ("(type I i32) (+ \"a.b\") (+ \"a.c\")", "2:31: '+' is an operation already"),
        ("(type I i32) (+ \"a.b\" :result 1)", "2:7: no operator is result 0 of 'a.b'"),
        ("(type I i32) (+ \"a.b\" :results 1)", "2:29: expected (attribute value) or :result"),
        ("7", "2:7: expected (type Sort type)"),
    ] {
        let mistake = table(mlir).unwrap_err();
        assert!(mistake.starts_with(message), "{mistake}");
    }
}

#[test]
fn expressions_of_halide_go_in_and_out() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mlir/halide/");
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let rules = read(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/systems/halide.rules"));
    let system = System::parse(&(rules + &read(&format!("{folder}table.rules")))).unwrap();
    let system = Arc::new(system);
    let table = MlirTable::of(&system).unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let text = read(&format!("{folder}expressions.mlir"));
    let mut mlir = Mlir::parse(&text).unwrap();
    let values = mlir.values(&table, &mut bank).unwrap();
    // The term of each function stands above it.
    let above = text.lines().filter_map(|line| line.trim().strip_prefix("// "));
    assert_eq!(
        values.iter().map(|v| bank.text(v.term)).collect::<Vec<_>>(),
        above.collect::<Vec<_>>()
    );
    let size = CostFunction::size();
    let found: Vec<TermId> =
        values.iter().map(|v| best(&system, &mut bank, v.term, &size)).collect();
    let of = |term| values.iter().position(|v| v.term == term).map_or(term, |i| found[i]);
    let taken = mlir.rewrite(&table, &mut bank, &of, &size).unwrap();
    assert!(taken.iter().filter(|taken| **taken).count() > 20);
    let again = Mlir::parse(&mlir.to_string()).unwrap().values(&table, &mut bank).unwrap();
    let terms: Vec<&TermId> = again.iter().map(|v| &v.term).collect();
    for (term, taken) in found.iter().zip(taken) {
        // A variable needs no operation.
        let is_there = terms.contains(&term) || bank.size(*term) == 1;
        assert!(!taken || is_there, "{}", bank.text(*term));
    }
}
