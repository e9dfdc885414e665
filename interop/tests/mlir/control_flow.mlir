#map = affine_map<(d0) -> (d0 + 1)>
"builtin.module"() ({
  "func.func"() <{function_type = (i32, i32) -> i32, sym_name = "control_flow"}> ({
  ^bb0(%x: i32, %y: i32):
    %four = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %a = "arith.muli"(%x, %four) : (i32, i32) -> i32
    %b = "arith.subi"(%a, %a) : (i32, i32) -> i32
    %lt = "arith.cmpi"(%x, %y) <{predicate = 6 : i64}> : (i32, i32) -> i1
    %r = "scf.if"(%lt) ({
      %q = "arith.addi"(%a, %b) : (i32, i32) -> i32
      "scf.yield"(%q) : (i32) -> ()
    }, {
      "scf.yield"(%b) : (i32) -> ()
    }) : (i1) -> i32
    "cf.cond_br"(%lt, %r, %y)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
  ^bb1(%z: i32):  // pred: ^bb0
    %s = "arith.addi"(%z, %b) : (i32, i32) -> i32
    "cf.br"(%s)[^bb2] : (i32) -> ()
  ^bb2(%w: i32):
    %t = "arith.addi"(%w, %a) : (i32, i32) -> i32
    %u = "arith.addi"(%t, %b) : (i32, i32) -> i32
    "func.return"(%u) : (i32) -> ()
  }) {note = #map} : () -> ()
}) : () -> ()
