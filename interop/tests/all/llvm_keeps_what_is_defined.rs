//! Values of LLVM IR are computed by better terms only where the output is defined wherever the input is.

use egraph::{CostFunction, System, TermBank, TermId};
use interop::{Llvm, Taken};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

const MODULE: &str = include_str!("../llvm/module.ll");

static WORDS: LazyLock<Arc<System>> = LazyLock::new(|| {
    let rules = include_str!("../../../configs/systems/words.rules");
    Arc::new(System::parse(rules).unwrap())
});

/// The text where some values are computed by other terms, and what became of each value that is needed.
fn rewritten(text: &str, better: &[(&str, &str)]) -> (String, Vec<Taken>) {
    let mut bank = TermBank::new(WORDS.language.clone());
    let module = Llvm::parse(text).unwrap();
    let values = module.values(&mut bank).unwrap();
    let mut best: HashMap<TermId, TermId> = HashMap::new();
    for (name, term) in better {
        let value = values.iter().find(|value| value.name == *name);
        let value = value.unwrap_or_else(|| panic!("{name} is not needed: {values:?}"));
        let term = bank.parse(term, Some(bank.sort(value.term))).unwrap();
        best.insert(value.term, term);
    }
    let cost = CostFunction::named(&WORDS, "size").unwrap();
    let best = |term| best.get(&term).copied().unwrap_or(term);
    module.rewrite(&mut bank, &best, &cost).unwrap()
}

/// The body of `define i32 @f(HEAD)` before and after.
#[track_caller]
fn becomes(head: &str, before: &str, better: &[(&str, &str)], after: &str) {
    let lines = |body: &str| -> String {
        body.trim().lines().map(|line| format!("  {}\n", line.trim())).collect()
    };
    let text = |body: &str| format!("define i32 @f({head}) {{\n{}}}\n", lines(body));
    let (found, taken) = rewritten(&text(before), better);
    let found = found.split("\ndeclare").next().unwrap();
    assert_eq!(found.trim_end(), text(after).trim_end(), "{taken:?}");
}

/// The term of the value `%r` of a function of words `x`, `y`, `z` of 32 bits, `a`, `b` of 8 and `p`, `q` of one; `None` if it is opaque.
fn term(instruction: &str) -> Option<String> {
    let head = "i32 %x, i32 %y, i32 %z, i8 %a, i8 %b, i1 %p, i1 %q, i64 %w";
    let text = format!(
        "define void @f({head}) {{\n  %r = {instruction}\n  call void @use(i32 %r)\n  ret void\n}}"
    );
    let mut bank = TermBank::new(WORDS.language.clone());
    let values = Llvm::parse(&text).unwrap().values(&mut bank).unwrap();
    values.first().map(|value| bank.text(value.term))
}

#[test]
fn instructions_are_terms() {
    for (instruction, expected) in [
        ("add nuw nsw i32 %x, -1", "(+:32 x 4294967295)"),
        ("sub i32 0, %x", "(neg:32 x)"),
        ("xor i8 %a, -1", "(~:8 a)"),
        ("xor i8 %a, 255", "(~:8 a)"),
        ("mul i64 %w, 3, !dbg !3, !other !4", "(*:64 w 3)"),
        ("sdiv exact i32 %x, %y", "(/s:32 x y)"),
        ("urem i32 %x, %y ; a comment", "(%:32 x y)"),
        ("ashr i8 %a, %b", "(>>s:8 a b)"),
        ("or disjoint i8 %a, %b", "(|:8 a b)"),
        ("icmp ugt i32 %x, %y", "(<:32 y x)"),
        ("icmp samesign sle i8 %a, 3", "(<=s:8 a 3)"),
        ("icmp ne i1 %p, %q", "(!=:1 p q)"),
        ("xor i1 %p, true", "(! p)"),
        ("and i1 %p, %q", "(&& p q)"),
        ("select i1 %p, i32 %x, i32 7", "(select:32 p x 7)"),
        ("select i1 %p, i1 %q, i1 false", "(select:1 p q 0)"),
        ("zext nneg i8 %a to i32", "(zext:8:32 a)"),
        ("sext i1 %p to i64", "(sext:1:64 p)"),
        ("trunc nuw i32 %x to i8", "(trunc:32:8 x)"),
        ("trunc i32 %x to i1", "(!=:32 (&:32 x 1) 0)"),
        ("tail call i32 @llvm.umin.i32(i32 %x, i32 noundef %y) #2, !dbg !1", "(min:32 x y)"),
        ("call i32 @llvm.ctlz.i32(i32 %x, i1 true)", "(clz:32 x)"),
        ("call i8 @llvm.ctpop.i8(i8 %a)", "(popcount:8 a)"),
        ("call i32 @llvm.fshl.i32(i32 %x, i32 %x, i32 %y)", "(rotl:32 x y)"),
    ] {
        assert_eq!(term(instruction).as_deref(), Some(expected), "{instruction}");
    }
    for opaque in [
        "add i32 %x, undef",
        "add i33 %x, 1",
        "add i8 %a, 256",
        "add <2 x i32> %x, %x",
        "fadd double %x, %x",
        "icmp ult i1 %p, %q",
        "icmp eq i32* %x, %y",
        "shl i1 %p, %q",
        "trunc i8 %a to i64",
        "freeze i32 %x",
        "call i32 @llvm.fshl.i32(i32 %x, i32 %y, i32 3)",
        "call i32 @llvm.abs.i32(i32 %x, i1 false)",
        "call range(i32 0, 9) i32 @llvm.umin.i32(i32 %x, i32 %y)",
        "call i32 @llvm.umin.i32(i16 %x, i16 %y)",
        "musttail call i32 @llvm.umin.i32(i32 %x, i32 %y)",
        "add i32 %x, 1, 2",
        "add i32 %x, ptrtoint (i8* @g to i32)",
        "load i32, i32* %x",
    ] {
        assert_eq!(term(opaque), None, "{opaque}");
    }
}

#[test]
fn what_is_not_replaced_stays_byte_for_byte() {
    assert_eq!(rewritten(MODULE, &[]).0, MODULE);
    let (text, taken) = rewritten(MODULE, &[("%6", "(+:32 v0 v1)")]);
    assert_eq!(taken, [Ok(()), Ok(())]);
    // Two are gone, and all numbers after them are two less.
    let (before, rest) = MODULE.split_once("  %4 = ").unwrap();
    let after = rest.split_once("\n}\n").unwrap().1;
    let body = "  %4 = add i32 %0, %1, !dbg !9
  %5 = icmp sgt i32 %4, 0, !dbg !10 ; kept
  br i1 %5, label %6, label %9

6:                                                ; preds = %3
  %7 = getelementptr inbounds %struct.pair, %struct.pair* %2, i64 0, i32 0
  %8 = load i32, i32* %7, align 4, !tbaa !11
  br label %9

9:                                               ; preds = %6, %3
  %10 = phi i32 [ %8, %6 ], [ %4, %3 ]
  switch i32 %10, label %12 [
    i32 1, label %11
    i32 2, label %11
  ]

11:                                               ; preds = %9, %9
  br label %12

12:                                               ; preds = %11, %9
  %13 = phi i32 [ 0, %9 ], [ 7, %11 ]
  ret i32 %13
}
";
    assert_eq!(text, format!("{before}{body}{after}"));
}

#[test]
fn a_better_term_stands_where_the_value_was() {
    becomes(
        "i32 noundef %x, i32 noundef %y",
        "%a = and i32 %x, %y
        %b = or i32 %x, %y
        call void @g()
        %r = add nuw i32 %a, %b, !dbg !4
        call void @use(i32 %a)
        ret i32 %r",
        &[("%r", "(+:32 x y)")],
        "%a = and i32 %x, %y
        call void @g()
        %r = add i32 %x, %y, !dbg !4
        call void @use(i32 %a)
        ret i32 %r",
    );
    // A block may begin without a label; what one computes is not there in the other.
    becomes(
        "i1 %p, i32 noundef %x, i32 noundef %y",
        "br i1 %p, label %1, label %2
        ; <label>:1:
        %a = add i32 %x, 0
        %r = mul i32 %a, %y
        ret i32 %r
        ; <label>:2:
        %b = xor i32 %x, 0
        %s = mul i32 %b, %y
        ret i32 %s",
        &[("%r", "(*:32 x y)"), ("%s", "(*:32 x y)")],
        "br i1 %p, label %1, label %2
        ; <label>:1:
        %r = mul i32 %x, %y
        ret i32 %r
        ; <label>:2:
        %s = mul i32 %x, %y
        ret i32 %s",
    );
    // Literals and other values come in the place of its uses, also in other blocks.
    becomes(
        "i32 %x, i1 %p",
        "%a = xor i32 %x, %x
        %b = add i32 %x, 0
        %q = or i1 %p, %p
        br i1 %q, label %then, label %then
        then:
        ret i32 0",
        &[("%q", "p")],
        "br i1 %p, label %then, label %then
        then:
        ret i32 0",
    );
    let before = "define i32 @f(i32 %x) {\n  %z = xor i32 %x, %x\n  %s = add i32 %x, 0\n  br label %b\nb:\n  %p = phi i32 [ %z, %0 ], [ %s, %b ]\n  ret i32 %p\n}\n";
    let (text, _) = rewritten(before, &[("%z", "0"), ("%s", "x")]);
    assert_eq!(
        text,
        "define i32 @f(i32 %x) {\n  br label %b\nb:\n  %p = phi i32 [ 0, %0 ], [ %x, %b ]\n  ret i32 %p\n}\n"
    );
}

#[test]
fn what_may_be_undefined_is_frozen_where_it_is_read_more_often() {
    let double = "%d = shl i32 %x, 1
        %r = add i32 %d, 0
        ret i32 %r";
    let twice = [("%r", "(+:32 x x)")];
    // An undefined x may be two words.
    becomes("i32 %x", double, &twice, "%c0 = freeze i32 %x\n%r = add i32 %c0, %c0\nret i32 %r");
    becomes("i32 noundef %x", double, &twice, "%r = add i32 %x, %x\nret i32 %r");
    // Read once, it makes the result poison or any word as before.
    becomes(
        "i32 %x, i32 %y",
        "%a = sub i32 %x, 0
        %r = add i32 %a, %y
        ret i32 %r",
        &[("%r", "(+:32 x y)")],
        "%r = add i32 %x, %y\nret i32 %r",
    );
    // A lowest bit is one instruction.
    becomes(
        "i32 noundef %x",
        "%a = xor i32 %x, 0
        %b = and i32 %a, 1
        %p = icmp ne i32 %b, 0
        %r = select i1 %p, i32 3, i32 4
        ret i32 %r",
        &[("%r", "(select:32 (!=:32 (&:32 1 x) 0) 3 4)")],
        "%c0 = trunc i32 %x to i1
        %r = select i1 %c0, i32 3, i32 4
        ret i32 %r",
    );
    // The source is not poison with what it does not choose.
    becomes(
        "i1 %p, i1 %q, i32 %x",
        "%s = select i1 %p, i1 %q, i1 false
        %r = select i1 %s, i32 %x, i32 0
        ret i32 %r",
        &[("%r", "(*:32 (zext:1:32 (&& p q)) x)")],
        "%c0 = freeze i1 %q
        %c1 = freeze i32 %x
        %c2 = and i1 %p, %c0
        %c3 = zext i1 %c2 to i32
        %r = mul i32 %c3, %c1
        ret i32 %r",
    );
    becomes(
        "i1 %p, i1 %q",
        "%n = xor i1 %q, true
        %m = xor i1 %n, true
        %s = select i1 %p, i1 %m, i1 false
        %r = zext i1 %s to i32
        ret i32 %r",
        &[("%r", "(zext:1:32 (&& p q))")],
        "%c0 = freeze i1 %q
        %c1 = and i1 %p, %c0
        %r = zext i1 %c1 to i32
        ret i32 %r",
    );
}

#[test]
fn shifts_and_divisions_are_written_where_they_have_a_value() {
    let taken = |head: &str, body: &str, better: &str| {
        let text = format!("define i32 @f({head}) {{\n{body}\n  ret i32 %r\n}}");
        rewritten(&text, &[("%r", better)]).1.pop().unwrap()
    };
    let open = Err("it shifts or divides by what LLVM leaves open");
    let head = "i32 %x, i32 %y, i1 %p, i32 noundef %n";
    for (body, better, expected) in [
        ("%a = shl i32 %x, %y\n%r = add i32 %a, 0", "(<<:32 x y)", Ok(())),
        (
            "%a = shl i32 %x, %y\n%b = add i32 %a, 0\n%r = select i1 %p, i32 %b, i32 0",
            "(select:32 p (<<:32 x y) 0)",
            open,
        ),
        ("%a = mul i32 %x, %y\n%r = add i32 %a, 0", "(<<:32 x y)", open),
        ("%a = mul i32 %x, %y\n%r = add i32 %a, 0", "(<<:32 x 31)", Ok(())),
        ("%a = mul i32 %x, %y\n%r = add i32 %a, 0", "(<<:32 x 32)", open),
        (
            "%a = mul i32 %x, %y\n%b = add i32 %a, 0\n%r = add i32 %b, 0",
            "(>>:32 x (&:32 y 31))",
            Ok(()),
        ),
        ("%a = mul i32 %x, %y\n%r = add i32 %a, 0", "(/:32 x y)", open),
        ("%a = mul i32 %x, %y\n%r = add i32 %a, 0", "(/:32 x 3)", Ok(())),
        ("%a = mul i32 %x, %y\n%r = add i32 %a, 0", "(/s:32 x 4294967295)", open),
        ("%d = urem i32 %n, %y\n%a = mul i32 %x, %y\n%r = add i32 %a, 0", "(/:32 x y)", Ok(())),
        ("%d = sdiv i32 %x, %y\n%r = add i32 %d, 0", "(/s:32 x y)", open),
        ("%d = sdiv i32 %n, %y\n%r = add i32 %d, 0", "(/s:32 n y)", Ok(())),
        ("%r = mul i32 %x, %y\n%d = urem i32 %n, %y", "(/:32 x y)", open),
    ] {
        assert_eq!(taken(head, body, better), expected, "{body}: {better}");
    }
}

#[test]
fn flags_go_where_others_use_the_value() {
    // The sum may overflow where %r does not choose it.
    let before = "%a = add nsw i32 %x, %y
        %b = select i1 %p, i32 %a, i32 7
        %c = mul nsw i32 %a, 3
        %t = add i32 %x, %y
        %u = add i32 %t, 0
        %v = xor i32 %u, 0
        call void @use(i32 %b)
        call void @use(i32 %c)
        ret i32 %v";
    becomes(
        "i32 noundef %x, i32 noundef %y, i1 %p",
        before,
        &[("%v", "(+:32 x y)")],
        "%a = add i32 %x, %y
        %b = select i1 %p, i32 %a, i32 7
        %c = mul nsw i32 %a, 3
        call void @use(i32 %b)
        call void @use(i32 %c)
        ret i32 %a",
    );
    // What is poison of zero is not taken for what is not.
    becomes(
        "i32 noundef %x",
        "%a = call i32 @llvm.ctlz.i32(i32 %x, i1 true)
        call void @use(i32 %a)
        %m = add i32 %a, 0
        %n = xor i32 %m, 0
        %r = add i32 %n, 1
        ret i32 %r",
        &[("%r", "(+:32 1 (clz:32 x))")],
        "%a = call i32 @llvm.ctlz.i32(i32 %x, i1 true)
        call void @use(i32 %a)
        %c0 = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
        %r = add i32 1, %c0
        ret i32 %r",
    );
}

#[test]
fn names_and_declarations_collide_with_nothing() {
    let before = "declare i32 @llvm.umax.i32(i32, i32)
define i32 @f(i32 noundef %\"a b\", i32 noundef %c0) {
  %c1 = add i32 %c0, 0
  %r = mul i32 %\"a b\", %c1
  %\"s\" = add i32 %c0, 1
  %t = add i32 %s, 1
  call void @use(i32 %t)
  ret i32 %r
}
!0 = !{}";
    let better = [("%r", "(max:32 (rotl:32 a_b 3) c0)"), ("%t", "(+:32 c0 2)")];
    let (text, taken) = rewritten(before, &better[..1]);
    assert_eq!(text, before);
    assert_eq!(taken[0], Err("with it the function would cost no less"));
    let longer = before.replace("%\"a b\", %c1", "%\"a b\", %l").replace(
        "  %r =",
        "  %j = sub i32 %c1, %\"a b\"\n  %k = udiv i32 %j, 9\n  %l = xor i32 %k, 3\n  %r =",
    );
    let (text, taken) = rewritten(&longer, &better);
    assert_eq!(taken, [Ok(()), Ok(())]);
    assert!(
        text.contains(
            "
  %c2 = call i32 @llvm.fshl.i32(i32 %\"a b\", i32 %\"a b\", i32 3)
  %r = call i32 @llvm.umax.i32(i32 %c2, i32 %c0)
"
        ),
        "{text}"
    );
    assert!(text.ends_with("!0 = !{}\n\ndeclare i32 @llvm.fshl.i32(i32, i32, i32)\n"), "{text}");
    assert_eq!(text.matches("declare i32 @llvm.umax").count(), 1);
}

#[test]
fn what_else_names_values_leaves_a_function_as_it_is() {
    for text in [
        "@a = global i8* blockaddress(@f, %2)\ndefine i32 @f(i32 %0) {\n  br label %2\n\n2:\n  %3 = add i32 %0, 0\n  ret i32 %3\n}\n",
        "%0 = type { i32 }\ndefine i32 @f(i32 %0) {\n  %2 = add i32 %0, 0\n  ret i32 %2\n}\n",
        "%x = type { i32 }\ndefine i32 @f(i32 %x) {\n  %r = add i32 %x, 0\n  ret i32 %r\n}\n",
        "define i32 @f(i32 %x) {\n  %r = add i32 %x, 0\n  ret i32 %r\n  uselistorder i32 %x, { 1, 0 }\n}\n",
    ] {
        let mut bank = TermBank::new(WORDS.language.clone());
        assert_eq!(Llvm::parse(text).unwrap().values(&mut bank).unwrap(), []);
        assert_eq!(rewritten(text, &[]).0, text);
    }
}

#[test]
fn mistakes_are_said_with_their_place() {
    let mistake = |text: &str| {
        let mut bank = TermBank::new(WORDS.language.clone());
        let found = Llvm::parse(text).and_then(|module| module.values(&mut bank));
        found.unwrap_err().to_string()
    };
    for (text, expected) in [
        ("\ndefine i32 @f() {\n  ret i32 1\n", "2:1: the body of @f is never closed: expected '}'"),
        (
            "define i32 @f() { ret i32 1 }\n",
            "1:1: expected a function whose body begins on a line after '{'",
        ),
        ("define i32 @f(i32 %x {\n}\n", "1:14: the parameters of @f are never closed"),
        ("define i32 (i32 %x) {\n}\n", "1:1: expected a function with a name, as @f"),
        (
            "define i32 @f(i32 %x) {\n  %y = add i32 %x, %z\n  ret i32 %y\n}\n",
            "2:1: %z is used and not defined in @f",
        ),
        (
            "define i32 @f(i32 %x) {\n  %x = add i32 1, 1\n  ret i32 %x\n}\n",
            "2:1: %x is defined a second time",
        ),
        (
            "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  %z = add i8 %x, 1\n  ret i32 %y\n}\n",
            "3:1: %x is of another type elsewhere",
        ),
        (
            "define i32 @f(i32 %x) {\na: ret i32 %x\n}\n",
            "2:4: expected nothing else on the line of a label",
        ),
        ("define i32 @\"f(i32 %x) {\n}\n", "1:13: '\"' is never closed"),
        (
            "define i32 @f(i32 %0) {\n  %02 = add i32 %0, 1\n  ret i32 %02\n}\n",
            "2:3: %02: expected a number, without zeros before it",
        ),
        (
            "define i32 @f(i32 %x) {\n  %s = xor i32$%x, %x\n  ret i32 %s\n}\n",
            "2:12: i32$: expected a keyword, a type or a number",
        ),
        (
            "define i32 @f(i32 %0) {\n  br label %2\n02:\n  ret i32 %0\n}\n",
            "3:1: 02: expected a number, without zeros before it",
        ),
        (
            "define i32 @f(i32 %2x) {\n  ret i32 %2x\n}\n",
            "1:19: %2x: expected a number, without zeros before it",
        ),
    ] {
        assert_eq!(mistake(text), expected, "{text}");
    }
    let small = Arc::new(System::parse("(sort W) (literal (bits 32) W) (variable W)").unwrap());
    let values = Llvm::parse(MODULE).unwrap().values(&mut TermBank::new(small.language.clone()));
    assert!(values.unwrap_err().to_string().contains("the system has no words for LLVM"));
}
