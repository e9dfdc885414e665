"builtin.module"() ({
  "func.func"() <{function_type = (i32, i32) -> i32, sym_name = "sum"}> ({
  ^bb0(%x: i32, %y: i32):
    %one = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %differ = "arith.xori"(%x, %y) : (i32, i32) -> i32
    %both = "arith.andi"(%x, %y) : (i32, i32) -> i32
    %carry = "arith.shli"(%both, %one) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %sum = "arith.addi"(%differ, %carry) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
    "func.return"(%sum) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<?xi8>, i32, i1) -> i8, sym_name = "digit"}> ({
  ^bb0(%m: memref<?xi8>, %i: i32, %p: i1):
    %r = "scf.if"(%p) ({
      %four = "arith.constant"() <{value = 4 : i32}> : () -> i32
      %zero = "arith.constant"() <{value = 0 : index}> : () -> index
      %a = "arith.divui"(%i, %four) : (i32, i32) -> i32
      %b = "arith.muli"(%a, %four) : (i32, i32) -> i32
      %c = "arith.subi"(%i, %b) : (i32, i32) -> i32
      %d = "arith.index_castui"(%c) : (i32) -> index
      %e = "arith.addi"(%d, %zero) : (index, index) -> index
      %l = "memref.load"(%m, %e) <{nontemporal = false}> : (memref<?xi8>, index) -> i8
      "scf.yield"(%l) : (i8) -> ()
    }, {
      %four = "arith.constant"() <{value = 4 : i8}> : () -> i8
      %l = "arith.trunci"(%i) : (i32) -> i8
      %h = "arith.shli"(%l, %four) : (i8, i8) -> i8
      %k = "arith.shrui"(%h, %four) : (i8, i8) -> i8
      "scf.yield"(%k) : (i8) -> ()
    }) : (i1) -> i8
    "func.return"(%r) : (i8) -> ()
  }) : () -> ()
}) : () -> ()
