"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> i32, sym_name = "twice"}> ({
  ^bb0(%x: i32):
    %two = "arith.constant"() <{value = 2 : i32}> : () -> i32
    %y = "arith.muli"(%x, %two) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
    "func.return"(%y) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
