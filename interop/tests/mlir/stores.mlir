"builtin.module"() ({
  "func.func"() <{function_type = (i32, memref<4xi32>, index) -> i32, sym_name = "stores"}> ({
  ^bb0(%x: i32, %m: memref<4xi32>, %i: index):
    %8 = "arith.constant"() <{value = 8 : i32}> : () -> i32
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %a = "arith.muli"(%x, %8) : (i32, i32) -> i32
    "memref.store"(%a, %m, %i) <{nontemporal = false}> : (i32, memref<4xi32>, index) -> ()
    %l = "memref.load"(%m, %i) <{nontemporal = false}> : (memref<4xi32>, index) -> i32
    %b = "arith.addi"(%l, %0) : (i32, i32) -> i32
    %c = "arith.addi"(%b, %b) : (i32, i32) -> i32
    "memref.store"(%c, %m, %i) <{nontemporal = false}> : (i32, memref<4xi32>, index) -> ()
    "memref.store"(%b, %m, %i) <{nontemporal = false}> : (i32, memref<4xi32>, index) -> ()
    "func.return"(%b) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
