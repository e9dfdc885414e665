"builtin.module"() ({
  "func.func"() <{function_type = (i32, i32) -> (i32, i1, i32), sym_name = "two_results"}> ({
  ^bb0(%x: i32, %y: i32):
    %zero = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %z = "arith.muli"(%y, %zero) : (i32, i32) -> i32
    %0:2 = "arith.addui_extended"(%x, %z) : (i32, i32) -> (i32, i1)
    %1:2 = "arith.addui_extended"(%x, %y) : (i32, i32) -> (i32, i1)
    %2 = "arith.addi"(%0#0, %1#0) : (i32, i32) -> i32
    %3 = "arith.ori"(%0#1, %1#1) : (i1, i1) -> i1
    %4:2 = "func.call"(%2) <{callee = @outside}> : (i32) -> (i32, i32)
    %5 = "arith.muli"(%4#1, %zero) : (i32, i32) -> i32
    %6 = "arith.addi"(%4#0, %5) : (i32, i32) -> i32
    "func.return"(%2, %3, %6) : (i32, i1, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> (i32, i32), sym_name = "outside", sym_visibility = "private"}> ({
  }) : () -> ()
}) : () -> ()
