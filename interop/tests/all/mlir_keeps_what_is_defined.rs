//! Integers of MLIR are computed by better terms on words only where the output has a value wherever the input has one.

use egraph::{CostFunction, System, TermBank, TermId};
use interop::{Mlir, Taken, mlir_lacks};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

static WORDS: LazyLock<Arc<System>> = LazyLock::new(|| {
    let rules = include_str!("../../../configs/systems/words.rules");
    Arc::new(System::parse(rules).unwrap())
});

/// A function with these parameters and operations, of which `plain` is short for the generic form.
fn function(head: &str, body: &str) -> String {
    let attributes = head.split(", ").map(|parameter| match parameter.ends_with(" noundef") {
        true => "{llvm.noundef}",
        false => "{}",
    });
    let attributes: Vec<&str> = attributes.collect();
    let head = head.replace(" noundef", "");
    let lines = body.trim().lines().map(|line| format!("  {}\n", line.trim()));
    format!(
        "\"func.func\"() <{{arg_attrs = [{}], sym_name = \"f\"}}> ({{\n^bb0({head}):\n{}}}) : () -> ()\n",
        attributes.join(", "),
        lines.collect::<String>()
    )
}

/// The text where some values are computed by other terms, and what became of each value that is needed.
fn rewritten(text: &str, better: &[(&str, &str)]) -> (String, Vec<Taken>) {
    let mut bank = TermBank::new(WORDS.language.clone());
    let mut mlir = Mlir::parse(text).unwrap();
    let values = mlir.word_values(&mut bank).unwrap();
    let mut best: HashMap<TermId, TermId> = HashMap::new();
    for (name, term) in better {
        let value = values.iter().find(|value| value.name == *name);
        let value = value.unwrap_or_else(|| panic!("{name} is not needed: {values:?}"));
        let term = bank.parse(term, Some(bank.sort(value.term))).unwrap();
        best.insert(value.term, term);
    }
    let cost = CostFunction::named(&WORDS, "size").unwrap();
    let best = |term| best.get(&term).copied().unwrap_or(term);
    let taken = mlir.rewrite_words(&mut bank, &best, &cost).unwrap();
    // What is printed is read, and its values are words.
    let printed = mlir.to_string();
    assert_eq!(Mlir::parse(&printed).as_ref(), Ok(&mlir));
    Mlir::parse(&printed).unwrap().word_values(&mut bank).unwrap();
    (printed, taken)
}

/// The operations of a function before and after.
#[track_caller]
fn becomes(head: &str, before: &str, better: &[(&str, &str)], after: &str) {
    let (found, taken) = rewritten(&function(head, before), better);
    let plain = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    assert_eq!(plain(&found), plain(&function(head, after)), "{taken:?}\n{found}");
}

const HEAD: &str = "%x: i32, %y: i32, %a: i8, %p: i1, %q: i1, %w: i64, %i: index, %j: index";

/// The term of `%r` = this operation; `None` if it is opaque.
fn term(operation: &str) -> Option<String> {
    let ones = "%one = \"arith.constant\"() <{value = 1 : i32}> : () -> i32
        %ones = \"arith.constant\"() <{value = -1 : i32}> : () -> i32
        %zero = \"arith.constant\"() <{value = 0 : i32}> : () -> i32
        %truth = \"arith.constant\"() <{value = true}> : () -> i1";
    let of_type = operation.rsplit(' ').next().unwrap();
    let body = format!("{ones}\n%r = {operation}\n\"test.use\"(%r) : ({of_type}) -> ()");
    let mut bank = TermBank::new(WORDS.language.clone());
    let mlir = Mlir::parse(&function(HEAD, &body)).unwrap();
    let values = mlir.word_values(&mut bank).unwrap();
    values.first().map(|value| bank.text(value.term))
}

#[test]
fn operations_are_terms() {
    for (operation, expected) in [
        ("\"arith.addi\"(%x, %ones) : (i32, i32) -> i32", "(+:32 x 4294967295)"),
        (
            "\"arith.muli\"(%w, %w) <{overflowFlags = #arith.overflow<nsw, nuw>}> : (i64, i64) -> i64",
            "(*:64 w w)",
        ),
        ("\"arith.subi\"(%zero, %x) : (i32, i32) -> i32", "(neg:32 x)"),
        ("\"arith.xori\"(%x, %ones) : (i32, i32) -> i32", "(~:32 x)"),
        ("\"arith.xori\"(%p, %truth) : (i1, i1) -> i1", "(! p)"),
        ("\"arith.andi\"(%p, %q) : (i1, i1) -> i1", "(&& p q)"),
        ("\"arith.divsi\"(%x, %y) <{isExact}> : (i32, i32) -> i32", "(/s:32 x y)"),
        ("\"arith.remui\"(%i, %j) : (index, index) -> index", "(%:64 i j)"),
        ("\"arith.shrsi\"(%a, %a) : (i8, i8) -> i8", "(>>s:8 a a)"),
        ("\"arith.minsi\"(%x, %y) : (i32, i32) -> i32", "(mins:32 x y)"),
        ("\"arith.maxui\"(%x, %y) {eqsat_cost = 1 : i64} : (i32, i32) -> i32", "(max:32 x y)"),
        ("\"arith.cmpi\"(%x, %y) <{predicate = 4 : i64}> : (i32, i32) -> i1", "(<s:32 y x)"),
        ("\"arith.cmpi\"(%i, %j) <{predicate = 7 : i64}> : (index, index) -> i1", "(<=:64 i j)"),
        ("\"arith.cmpi\"(%p, %q) <{predicate = 1 : i64}> : (i1, i1) -> i1", "(!=:1 p q)"),
        ("\"arith.select\"(%p, %x, %one) : (i1, i32, i32) -> i32", "(select:32 p x 1)"),
        ("\"arith.extui\"(%a) <{nonNeg}> : (i8) -> i32", "(zext:8:32 a)"),
        ("\"arith.extsi\"(%p) : (i1) -> i64", "(sext:1:64 p)"),
        ("\"arith.trunci\"(%x) : (i32) -> i8", "(trunc:32:8 x)"),
        ("\"arith.trunci\"(%x) : (i32) -> i1", "(!=:32 (&:32 x 1) 0)"),
        ("\"arith.index_cast\"(%x) : (i32) -> index", "(sext:32:64 x)"),
        ("\"arith.index_castui\"(%x) : (i32) -> index", "(zext:32:64 x)"),
        ("\"arith.index_cast\"(%i) : (index) -> i32", "(trunc:64:32 i)"),
    ] {
        assert_eq!(term(operation).as_deref(), Some(expected), "{operation}");
    }
    for opaque in [
        "\"arith.addf\"(%x, %x) : (i32, i32) -> i32",
        "\"arith.ceildivsi\"(%x, %y) : (i32, i32) -> i32",
        "\"arith.addi\"(%x, %y) {my.note} : (i32, i32) -> i32",
        "\"arith.cmpi\"(%p, %q) <{predicate = 6 : i64}> : (i1, i1) -> i1",
        "\"arith.cmpi\"(%x, %y) <{predicate = 10 : i64}> : (i32, i32) -> i1",
        "\"arith.shli\"(%p, %q) : (i1, i1) -> i1",
        "\"arith.index_cast\"(%i) : (index) -> i64",
        "\"arith.addi\"(%x, %x) : (i32, i32) -> i33",
        "\"arith.trunci\"(%a) : (i8) -> i32",
        "\"ub.poison\"() <{value = #ub.poison}> : () -> i32",
        "\"math.ctpop\"(%x) : (i32) -> i32",
    ] {
        assert_eq!(term(opaque), None, "{opaque}");
    }
    let lacks = mlir_lacks(&WORDS.language).unwrap();
    let names: Vec<&str> = lacks.iter().map(|op| WORDS.language.op(*op).name.as_str()).collect();
    assert!(names.contains(&"rotl:32") && names.contains(&"popcount:8"), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("+:") || name.starts_with("select")));
}

#[test]
fn a_better_term_stands_where_the_value_was() {
    becomes(
        "%x: i32, %y: i32",
        "%one = \"arith.constant\"() <{value = 1 : i32}> : () -> i32
        %a = \"arith.xori\"(%x, %y) : (i32, i32) -> i32
        %b = \"arith.andi\"(%x, %y) : (i32, i32) -> i32
        %c = \"arith.shli\"(%b, %one) : (i32, i32) -> i32
        %r = \"arith.addi\"(%a, %c) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
        \"func.return\"(%r) : (i32) -> ()",
        &[("%r", "(+:32 x y)")],
        "%r = \"arith.addi\"(%x, %y) : (i32, i32) -> i32
        \"func.return\"(%r) : (i32) -> ()",
    );
    // Constants that are there are taken, others are made, and what is a value already stands for it.
    becomes(
        "%x: i32, %y: i32",
        "%zero = \"arith.constant\"() <{value = 0 : i32}> : () -> i32
        %a = \"arith.addi\"(%x, %zero) : (i32, i32) -> i32
        \"test.use\"(%a) : (i32) -> ()
        %b = \"arith.xori\"(%a, %a) : (i32, i32) -> i32
        \"test.use\"(%b) : (i32) -> ()
        %c = \"arith.muli\"(%y, %y) : (i32, i32) -> i32
        %d = \"arith.muli\"(%c, %c) : (i32, i32) -> i32
        \"test.use\"(%d) : (i32) -> ()",
        &[("%a", "x"), ("%b", "0"), ("%d", "(~:32 y)")],
        "%zero = \"arith.constant\"() <{value = 0 : i32}> : () -> i32
        \"test.use\"(%x) : (i32) -> ()
        \"test.use\"(%zero) : (i32) -> ()
        %c0 = \"arith.constant\"() <{value = -1 : i32}> : () -> i32
        %d = \"arith.xori\"(%y, %c0) : (i32, i32) -> i32
        \"test.use\"(%d) : (i32) -> ()",
    );
    // Nothing changes without a better term.
    let text = function(
        "%x: i32",
        "%a = \"arith.addi\"(%x, %x) : (i32, i32) -> i32\n\"test.use\"(%a) : (i32) -> ()",
    );
    let (same, taken) = rewritten(&text, &[]);
    assert_eq!(Mlir::parse(&same), Mlir::parse(&text));
    assert_eq!(taken, [Ok(())]);
}

#[test]
fn words_of_64_bits_are_of_two_types() {
    // Casts between them are no operators; those that are needed are written.
    becomes(
        "%i: index, %w: i64, %p: i1",
        "%v = \"arith.index_cast\"(%i) : (index) -> i64
        %a = \"arith.xori\"(%v, %w) : (i64, i64) -> i64
        %b = \"arith.andi\"(%v, %w) : (i64, i64) -> i64
        %c = \"arith.addi\"(%b, %b) : (i64, i64) -> i64
        %s = \"arith.addi\"(%a, %c) : (i64, i64) -> i64
        %r = \"arith.index_cast\"(%s) : (i64) -> index
        \"test.use\"(%r) : (index) -> ()",
        &[("%s", "(+:64 i w)")],
        "%c0 = \"arith.index_cast\"(%i) : (index) -> i64
        %s = \"arith.addi\"(%c0, %w) : (i64, i64) -> i64
        %r = \"arith.index_cast\"(%s) : (i64) -> index
        \"test.use\"(%r) : (index) -> ()",
    );
    becomes(
        "%i: index, %x: i32",
        "%zero = \"arith.constant\"() <{value = 0 : index}> : () -> index
        %a = \"arith.addi\"(%i, %zero) : (index, index) -> index
        %b = \"arith.index_cast\"(%a) : (index) -> i64
        \"test.use\"(%b) : (i64) -> ()
        %e = \"arith.index_castui\"(%x) : (i32) -> index
        %f = \"arith.addi\"(%e, %zero) : (index, index) -> index
        %g = \"arith.addi\"(%f, %i) : (index, index) -> index
        \"test.use\"(%g) : (index) -> ()
        %h = \"arith.index_castui\"(%i) : (index) -> i32
        %k = \"arith.addi\"(%h, %h) : (i32, i32) -> i32
        %l = \"arith.addi\"(%k, %k) : (i32, i32) -> i32
        \"test.use\"(%l) : (i32) -> ()",
        &[("%a", "i"), ("%g", "(+:64 i (zext:32:64 x))"), ("%l", "(trunc:64:32 (<<:64 i 2))")],
        "%b = \"arith.index_cast\"(%i) : (index) -> i64
        \"test.use\"(%b) : (i64) -> ()
        %c0 = \"arith.index_castui\"(%x) : (i32) -> index
        %g = \"arith.addi\"(%i, %c0) : (index, index) -> index
        \"test.use\"(%g) : (index) -> ()
        %c2 = \"arith.constant\"() <{value = 2 : index}> : () -> index
        %c1 = \"arith.shli\"(%i, %c2) : (index, index) -> index
        %l = \"arith.index_cast\"(%c1) : (index) -> i32
        \"test.use\"(%l) : (i32) -> ()",
    );
    // A value of one type in the place of one of the other.
    becomes(
        "%i: index, %w: i64",
        "%v = \"arith.index_cast\"(%i) : (index) -> i64
        %a = \"arith.subi\"(%v, %w) : (i64, i64) -> i64
        %b = \"arith.addi\"(%a, %w) : (i64, i64) -> i64
        \"test.use\"(%b) : (i64) -> ()",
        &[("%b", "i")],
        "%b = \"arith.index_cast\"(%i) : (index) -> i64
        \"test.use\"(%b) : (i64) -> ()",
    );
}

#[test]
fn what_may_be_poison_is_read_only_where_the_value_is_poison_with_it() {
    let taken = |head: &str, body: &str, better: &str, of_type: &str| {
        let text = function(head, &format!("{body}\n\"test.use\"(%r) : ({of_type}) -> ()"));
        rewritten(&text, &[("%r", better)]).1.pop().unwrap()
    };
    let open = Err("it reads a value that may be poison where the value so far may not be");
    let chooses = "%zero = \"arith.constant\"() <{value = 0 : i32}> : () -> i32
        %no = \"arith.constant\"() <{value = false}> : () -> i1
        %s = \"arith.select\"(%p, %q, %no) : (i1, i1, i1) -> i1
        %r = \"arith.select\"(%s, %x, %zero) : (i1, i32, i32) -> i32";
    // The value is not poison with %q where %p is false.
    for (head, better, expected) in [
        ("%p: i1, %q: i1 noundef, %x: i32 noundef", "(*:32 (zext:1:32 (&& p q)) x)", Ok(())),
        ("%p: i1, %q: i1, %x: i32 noundef", "(*:32 (zext:1:32 (&& p q)) x)", open),
        ("%p: i1, %q: i1 noundef, %x: i32", "(*:32 (zext:1:32 (&& p q)) x)", open),
        ("%p: i1, %q: i1, %x: i32", "(zext:1:32 p)", Ok(())),
    ] {
        assert_eq!(taken(head, chooses, better, "i32"), expected, "{head}");
    }
    // What is read under the same choices is poison where it was: %x is, where %s is true.
    let guarded = chooses.replace("%r =", "%t =")
        + "\n%u = \"arith.addi\"(%t, %zero) : (i32, i32) -> i32
        %v = \"arith.addi\"(%u, %zero) : (i32, i32) -> i32
        %r = \"arith.addi\"(%v, %zero) : (i32, i32) -> i32";
    for (better, expected) in [
        ("(select:32 (select:1 p q 0) (+:32 x x) 0)", Ok(())),
        ("(select:32 (! (select:1 p q 0)) 0 (+:32 x x))", Ok(())),
        ("(select:32 p (select:32 q (+:32 x x) 0) 0)", open),
        ("(select:32 (! (select:1 p q 0)) (+:32 x x) 0)", open),
        ("(select:32 (select:1 p q 0) 0 (+:32 x x))", open),
    ] {
        let better = better.replace('y', "0");
        assert_eq!(
            taken("%p: i1, %q: i1, %x: i32", &guarded, &better, "i32"),
            expected,
            "{better}"
        );
    }
    // A poison value is poison wherever it is read; an undefined one may be two words.
    let double = "%three = \"arith.constant\"() <{value = 3 : i32}> : () -> i32
        %one = \"arith.constant\"() <{value = 1 : i32}> : () -> i32
        %a = \"arith.shli\"(%x, %three) : (i32, i32) -> i32
        %r = \"arith.shrui\"(%a, %one) : (i32, i32) -> i32";
    assert_eq!(taken("%x: i32", double, "(+:32 x x)", "i32"), Ok(()));
    let llvm = format!("%u = \"llvm.mlir.undef\"() : () -> i32\n{double}");
    assert_eq!(taken("%x: i32", &llvm, "(+:32 x x)", "i32"), open);
    let frozen = format!("%x = \"llvm.freeze\"(%y) : (i32) -> i32\n{double}");
    assert_eq!(taken("%y: i32", &frozen, "(+:32 x x)", "i32"), Ok(()));
}

#[test]
fn shifts_and_divisions_are_written_where_they_have_a_value() {
    let taken = |body: &str, better: &str| {
        let text = format!(
            "{body}\n%s = \"arith.xori\"(%m, %x) : (i32, i32) -> i32\n%t = \"arith.muli\"(%s, %m) : (i32, i32) -> i32\n%r = \"arith.addi\"(%t, %m) : (i32, i32) -> i32
            \"func.return\"(%r) : (i32) -> ()"
        );
        let head = "%x: i32, %y: i32, %n: i32 noundef";
        rewritten(&function(head, &text), &[("%r", better)]).1.pop().unwrap()
    };
    let open = Err("it shifts or divides by what MLIR leaves open");
    let product = "%m = \"arith.muli\"(%x, %y) : (i32, i32) -> i32";
    let shift = "%m = \"arith.shli\"(%x, %y) : (i32, i32) -> i32";
    let quotient = "%d = \"arith.remui\"(%n, %y) : (i32, i32) -> i32
        \"test.use\"(%d) : (i32) -> ()
        %m = \"arith.muli\"(%x, %y) : (i32, i32) -> i32";
    for (body, better, expected) in [
        (shift, "(<<:32 x y)", Ok(())),
        (product, "(<<:32 x y)", open),
        (product, "(<<:32 x 31)", Ok(())),
        (product, "(<<:32 x 32)", open),
        (product, "(>>:32 x (&:32 y 31))", Ok(())),
        (product, "(/:32 x y)", open),
        (product, "(/:32 x 3)", Ok(())),
        (product, "(/s:32 x 4294967295)", open),
        (quotient, "(/:32 x y)", Ok(())),
        (product, "(rotl:32 x 3)", Err("MLIR has no operation for an operator of it")),
    ] {
        assert_eq!(taken(body, better), expected, "{body}: {better}");
    }
}

#[test]
fn flags_go_where_others_use_the_value() {
    // The sum may overflow where the other value does not choose it.
    becomes(
        "%x: i32 noundef, %y: i32 noundef, %p: i1",
        "%seven = \"arith.constant\"() <{value = 7 : i32}> : () -> i32
        %a = \"arith.addi\"(%x, %y) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
        %b = \"arith.select\"(%p, %a, %seven) : (i1, i32, i32) -> i32
        %c = \"arith.muli\"(%a, %seven) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
        %t = \"arith.xori\"(%x, %seven) : (i32, i32) -> i32
        %u = \"arith.addi\"(%t, %y) : (i32, i32) -> i32
        \"test.use\"(%b, %c, %u) : (i32, i32, i32) -> ()",
        &[("%u", "(+:32 x y)")],
        "%seven = \"arith.constant\"() <{value = 7 : i32}> : () -> i32
        %a = \"arith.addi\"(%x, %y) : (i32, i32) -> i32
        %b = \"arith.select\"(%p, %a, %seven) : (i1, i32, i32) -> i32
        %c = \"arith.muli\"(%a, %seven) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
        \"test.use\"(%b, %c, %a) : (i32, i32, i32) -> ()",
    );
}

#[test]
fn blocks_and_regions_are_looked_at_one_by_one() {
    // Names in regions side by side may be the same; constants from outside are known.
    becomes(
        "%x: i32, %y: i32, %p: i1",
        "%zero = \"arith.constant\"() <{value = 0 : i32}> : () -> i32
        %o = \"arith.addi\"(%x, %zero) : (i32, i32) -> i32
        %1 = \"scf.if\"(%p) ({
        %2 = \"arith.addi\"(%o, %zero) : (i32, i32) -> i32
        %3 = \"arith.muli\"(%2, %y) : (i32, i32) -> i32
        \"scf.yield\"(%3) : (i32) -> ()
        }, {
        %2 = \"arith.muli\"(%y, %y) : (i32, i32) -> i32
        %4 = \"arith.muli\"(%2, %2) : (i32, i32) -> i32
        %3 = \"arith.addi\"(%4, %2) : (i32, i32) -> i32
        \"scf.yield\"(%3) : (i32) -> ()
        }) : (i1) -> i32
        \"func.return\"(%1) : (i32) -> ()",
        &[("%o", "x"), ("%3", "(*:32 o y)"), ("%3_0", "(*:32 y 5)")],
        "%1 = \"scf.if\"(%p) ({
        %3 = \"arith.muli\"(%x, %y) : (i32, i32) -> i32
        \"scf.yield\"(%3) : (i32) -> ()
        }, {
        %c0 = \"arith.constant\"() <{value = 5 : i32}> : () -> i32
        %3_0 = \"arith.muli\"(%y, %c0) : (i32, i32) -> i32
        \"scf.yield\"(%3_0) : (i32) -> ()
        }) : (i1) -> i32
        \"func.return\"(%1) : (i32) -> ()",
    );
    // What a region of another dialect computes is left alone, and renamed with the rest.
    becomes(
        "%x: i32",
        "%zero = \"arith.constant\"() <{value = 0 : i32}> : () -> i32
        %o = \"arith.addi\"(%x, %zero) : (i32, i32) -> i32
        \"test.graph\"() ({
        %2 = \"arith.addi\"(%o, %zero) : (i32, i32) -> i32
        \"test.use\"(%2) : (i32) -> ()
        }) : () -> ()
        \"cf.br\"(%o)[^bb1] : (i32) -> ()
        ^bb1(%z: i32):
        %s = \"arith.subi\"(%z, %zero) : (i32, i32) -> i32
        %t = \"arith.muli\"(%s, %o) : (i32, i32) -> i32
        \"func.return\"(%t) : (i32) -> ()",
        &[("%o", "x"), ("%t", "(*:32 o z)")],
        "%zero = \"arith.constant\"() <{value = 0 : i32}> : () -> i32
        \"test.graph\"() ({
        %2 = \"arith.addi\"(%x, %zero) : (i32, i32) -> i32
        \"test.use\"(%2) : (i32) -> ()
        }) : () -> ()
        \"cf.br\"(%x)[^bb1] : (i32) -> ()
        ^bb1(%z: i32):
        %t = \"arith.muli\"(%x, %z) : (i32, i32) -> i32
        \"func.return\"(%t) : (i32) -> ()",
    );
}

#[test]
fn mistakes_are_said_with_their_place() {
    let mistake = |text: &str| {
        let mut bank = TermBank::new(WORDS.language.clone());
        Mlir::parse(text).unwrap().word_values(&mut bank).unwrap_err().to_string()
    };
    let add = |operand: &str, result: &str, of_type: &str| {
        format!(
            "{result} = \"arith.addi\"({operand}, {operand}) : ({of_type}, {of_type}) -> {of_type}"
        )
    };
    for (body, expected) in [
        (add("%z", "%y", "i32"), "3:3: %z is used and not defined in @f"),
        (add("%x", "%x", "i32"), "3:3: %x is defined a second time"),
        (add("%x", "%y", "i8"), "3:3: %x is of another type elsewhere"),
        (add("%i", "%y", "i64"), "3:3: %i is of another type elsewhere"),
        (
            format!(
                "\"scf.if\"(%p) ({{\n{}\n}}) : (i1) -> ()\n\"test.use\"(%y) : (i32) -> ()",
                add("%x", "%y", "i32")
            ),
            "6:3: %y is used and not defined in @f",
        ),
        (
            "%y = \"equivalence.class\"(%x) : (i32) -> i32".to_owned(),
            "3:3: 'equivalence.class' is part of an e-graph",
        ),
    ] {
        let found = mistake(&function("%x: i32, %i: index, %p: i1", &body));
        assert!(found.starts_with(expected), "{body}: {found}");
    }
    let small = Arc::new(System::parse("(sort W) (literal (bits 32) W) (variable W)").unwrap());
    let text = function("%x: i32", "\"func.return\"(%x) : (i32) -> ()");
    let values =
        Mlir::parse(&text).unwrap().word_values(&mut TermBank::new(small.language.clone()));
    assert!(values.unwrap_err().to_string().contains("the system has no words for MLIR"));
    assert_eq!(mlir_lacks(&small.language), None);
}
