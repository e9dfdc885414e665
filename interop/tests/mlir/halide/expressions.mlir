"builtin.module"() ({
  // (- (+ (* (/ x 16) 16) (% (+ x 1) 16)) (min x y))
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e0"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %1 = "halide.div"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %3 = "arith.muli"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %5 = "arith.addi"(%x, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %7 = "halide.mod"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.addi"(%3, %7) : (i64, i64) -> i64
    %9 = "arith.minsi"(%x, %y) : (i64, i64) -> i64
    %10 = "arith.subi"(%8, %9) : (i64, i64) -> i64
    "func.return"(%10) : (i64) -> ()
  }) : () -> ()
  // (% (/ (+ (* xo 192) (+ (* xm 64) xi)) 64) 3)
  "func.func"() <{function_type = (i64, i64, i64) -> i64, sym_name = "e1"}> ({
  ^bb0(%xo: i64, %xm: i64, %xi: i64):
    %0 = "arith.constant"() <{value = 192 : i64}> : () -> i64
    %1 = "arith.muli"(%xo, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 64 : i64}> : () -> i64
    %3 = "arith.muli"(%xm, %2) : (i64, i64) -> i64
    %4 = "arith.addi"(%3, %xi) : (i64, i64) -> i64
    %5 = "arith.addi"(%1, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 64 : i64}> : () -> i64
    %7 = "halide.div"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %9 = "halide.mod"(%7, %8) : (i64, i64) -> i64
    "func.return"(%9) : (i64) -> ()
  }) : () -> ()
  // (< (+ (+ (* (/ x 18) 18) (* (% (/ x 6) 3) 6)) (% y 6)) (+ x y))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e2"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 18 : i64}> : () -> i64
    %1 = "halide.div"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 18 : i64}> : () -> i64
    %3 = "arith.muli"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %5 = "halide.div"(%x, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %7 = "halide.mod"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %9 = "arith.muli"(%7, %8) : (i64, i64) -> i64
    %10 = "arith.addi"(%3, %9) : (i64, i64) -> i64
    %11 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %12 = "halide.mod"(%y, %11) : (i64, i64) -> i64
    %13 = "arith.addi"(%10, %12) : (i64, i64) -> i64
    %14 = "arith.addi"(%x, %y) : (i64, i64) -> i64
    %15 = "arith.cmpi"(%13, %14) <{predicate = 2 : i64}> : (i64, i64) -> i1
    "func.return"(%15) : (i1) -> ()
  }) : () -> ()
  // (max (+ (min (* xo 6) (- w 6)) xi) (- (+ xi w) 6))
  "func.func"() <{function_type = (i64, i64, i64) -> i64, sym_name = "e3"}> ({
  ^bb0(%xo: i64, %w: i64, %xi: i64):
    %0 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %1 = "arith.muli"(%xo, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %3 = "arith.subi"(%w, %2) : (i64, i64) -> i64
    %4 = "arith.minsi"(%1, %3) : (i64, i64) -> i64
    %5 = "arith.addi"(%4, %xi) : (i64, i64) -> i64
    %6 = "arith.addi"(%xi, %w) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %8 = "arith.subi"(%6, %7) : (i64, i64) -> i64
    %9 = "arith.maxsi"(%5, %8) : (i64, i64) -> i64
    "func.return"(%9) : (i64) -> ()
  }) : () -> ()
  // (- (+ (min (* xo 20) 236) 19) (min (* xo 20) 236))
  "func.func"() <{function_type = (i64) -> i64, sym_name = "e4"}> ({
  ^bb0(%xo: i64):
    %0 = "arith.constant"() <{value = 20 : i64}> : () -> i64
    %1 = "arith.muli"(%xo, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 236 : i64}> : () -> i64
    %3 = "arith.minsi"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 19 : i64}> : () -> i64
    %5 = "arith.addi"(%3, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 20 : i64}> : () -> i64
    %7 = "arith.muli"(%xo, %6) : (i64, i64) -> i64
    %8 = "arith.constant"() <{value = 236 : i64}> : () -> i64
    %9 = "arith.minsi"(%7, %8) : (i64, i64) -> i64
    %10 = "arith.subi"(%5, %9) : (i64, i64) -> i64
    "func.return"(%10) : (i64) -> ()
  }) : () -> ()
  // (- (min (* (+ xo 1) 64) w) (* xo 64))
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e5"}> ({
  ^bb0(%xo: i64, %w: i64):
    %0 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %1 = "arith.addi"(%xo, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 64 : i64}> : () -> i64
    %3 = "arith.muli"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.minsi"(%3, %w) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 64 : i64}> : () -> i64
    %6 = "arith.muli"(%xo, %5) : (i64, i64) -> i64
    %7 = "arith.subi"(%4, %6) : (i64, i64) -> i64
    "func.return"(%7) : (i64) -> ()
  }) : () -> ()
  // (- (min (max (* x 3) 12) (+ (* y 3) 640)) (* (+ x y) 3))
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e6"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %1 = "arith.muli"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %3 = "arith.maxsi"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %5 = "arith.muli"(%y, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 640 : i64}> : () -> i64
    %7 = "arith.addi"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.minsi"(%3, %7) : (i64, i64) -> i64
    %9 = "arith.addi"(%x, %y) : (i64, i64) -> i64
    %10 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %11 = "arith.muli"(%9, %10) : (i64, i64) -> i64
    %12 = "arith.subi"(%8, %11) : (i64, i64) -> i64
    "func.return"(%12) : (i64) -> ()
  }) : () -> ()
  // (== (max (min x 1024) 5) (min (max x 5) 1044))
  "func.func"() <{function_type = (i64) -> i1, sym_name = "e7"}> ({
  ^bb0(%x: i64):
    %0 = "arith.constant"() <{value = 1024 : i64}> : () -> i64
    %1 = "arith.minsi"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 5 : i64}> : () -> i64
    %3 = "arith.maxsi"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 5 : i64}> : () -> i64
    %5 = "arith.maxsi"(%x, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 1044 : i64}> : () -> i64
    %7 = "arith.minsi"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.cmpi"(%3, %7) <{predicate = 0 : i64}> : (i64, i64) -> i1
    "func.return"(%8) : (i1) -> ()
  }) : () -> ()
  // (&& (<= lo (max lo (min (+ x 1) hi))) (<= (min x hi) (max lo hi)))
  "func.func"() <{function_type = (i64, i64, i64) -> i1, sym_name = "e8"}> ({
  ^bb0(%lo: i64, %x: i64, %hi: i64):
    %0 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %1 = "arith.addi"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.minsi"(%1, %hi) : (i64, i64) -> i64
    %3 = "arith.maxsi"(%lo, %2) : (i64, i64) -> i64
    %4 = "arith.cmpi"(%lo, %3) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %5 = "arith.minsi"(%x, %hi) : (i64, i64) -> i64
    %6 = "arith.maxsi"(%lo, %hi) : (i64, i64) -> i64
    %7 = "arith.cmpi"(%5, %6) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %8 = "arith.andi"(%4, %7) : (i1, i1) -> i1
    "func.return"(%8) : (i1) -> ()
  }) : () -> ()
  // (<= (- (- 31 (% x 32)) (min (% x 32) 16)) (max (% x 32) y))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e9"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 31 : i64}> : () -> i64
    %1 = "arith.constant"() <{value = 32 : i64}> : () -> i64
    %2 = "halide.mod"(%x, %1) : (i64, i64) -> i64
    %3 = "arith.subi"(%0, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 32 : i64}> : () -> i64
    %5 = "halide.mod"(%x, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %7 = "arith.minsi"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.subi"(%3, %7) : (i64, i64) -> i64
    %9 = "arith.constant"() <{value = 32 : i64}> : () -> i64
    %10 = "halide.mod"(%x, %9) : (i64, i64) -> i64
    %11 = "arith.maxsi"(%10, %y) : (i64, i64) -> i64
    %12 = "arith.cmpi"(%8, %11) <{predicate = 3 : i64}> : (i64, i64) -> i1
    "func.return"(%12) : (i1) -> ()
  }) : () -> ()
  // (- (% (+ (% (* x 16) 16) (% (* y 16) 16)) 16) (% (* (+ x y) 16) 16))
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e10"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %1 = "arith.muli"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %3 = "halide.mod"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %5 = "arith.muli"(%y, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %7 = "halide.mod"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.addi"(%3, %7) : (i64, i64) -> i64
    %9 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %10 = "halide.mod"(%8, %9) : (i64, i64) -> i64
    %11 = "arith.addi"(%x, %y) : (i64, i64) -> i64
    %12 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %13 = "arith.muli"(%11, %12) : (i64, i64) -> i64
    %14 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %15 = "halide.mod"(%13, %14) : (i64, i64) -> i64
    %16 = "arith.subi"(%10, %15) : (i64, i64) -> i64
    "func.return"(%16) : (i64) -> ()
  }) : () -> ()
  // (!= (% (+ x 1) 6) (% (+ (- x 5) (* y 6)) 6))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e11"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %1 = "arith.addi"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %3 = "halide.mod"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 5 : i64}> : () -> i64
    %5 = "arith.subi"(%x, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %7 = "arith.muli"(%y, %6) : (i64, i64) -> i64
    %8 = "arith.addi"(%5, %7) : (i64, i64) -> i64
    %9 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %10 = "halide.mod"(%8, %9) : (i64, i64) -> i64
    %11 = "arith.cmpi"(%3, %10) <{predicate = 1 : i64}> : (i64, i64) -> i1
    "func.return"(%11) : (i1) -> ()
  }) : () -> ()
  // (<= (- (* (/ (+ x 3) 4) 4) x) (+ y 3))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e12"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %1 = "arith.addi"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %3 = "halide.div"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %5 = "arith.muli"(%3, %4) : (i64, i64) -> i64
    %6 = "arith.subi"(%5, %x) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %8 = "arith.addi"(%y, %7) : (i64, i64) -> i64
    %9 = "arith.cmpi"(%6, %8) <{predicate = 3 : i64}> : (i64, i64) -> i1
    "func.return"(%9) : (i1) -> ()
  }) : () -> ()
  // (% (- (* (/ x 16) 16) (* y 8)) 16)
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e13"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %1 = "halide.div"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %3 = "arith.muli"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %5 = "arith.muli"(%y, %4) : (i64, i64) -> i64
    %6 = "arith.subi"(%3, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %8 = "halide.mod"(%6, %7) : (i64, i64) -> i64
    "func.return"(%8) : (i64) -> ()
  }) : () -> ()
  // (== (/ (+ (* x 128) 64) 128) (/ (+ (* y 64) 63) 64))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e14"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 128 : i64}> : () -> i64
    %1 = "arith.muli"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 64 : i64}> : () -> i64
    %3 = "arith.addi"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 128 : i64}> : () -> i64
    %5 = "halide.div"(%3, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 64 : i64}> : () -> i64
    %7 = "arith.muli"(%y, %6) : (i64, i64) -> i64
    %8 = "arith.constant"() <{value = 63 : i64}> : () -> i64
    %9 = "arith.addi"(%7, %8) : (i64, i64) -> i64
    %10 = "arith.constant"() <{value = 64 : i64}> : () -> i64
    %11 = "halide.div"(%9, %10) : (i64, i64) -> i64
    %12 = "arith.cmpi"(%5, %11) <{predicate = 0 : i64}> : (i64, i64) -> i1
    "func.return"(%12) : (i1) -> ()
  }) : () -> ()
  // (+ (- (min (+ (* yo 4) 8) h) (max (- (* yo 4) 4) 0)) 1)
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e15"}> ({
  ^bb0(%yo: i64, %h: i64):
    %0 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %1 = "arith.muli"(%yo, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %3 = "arith.addi"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.minsi"(%3, %h) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %6 = "arith.muli"(%yo, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %8 = "arith.subi"(%6, %7) : (i64, i64) -> i64
    %9 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %10 = "arith.maxsi"(%8, %9) : (i64, i64) -> i64
    %11 = "arith.subi"(%4, %10) : (i64, i64) -> i64
    %12 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %13 = "arith.addi"(%11, %12) : (i64, i64) -> i64
    "func.return"(%13) : (i64) -> ()
  }) : () -> ()
  // (- (max (+ xmax 1) (+ xmin 12)) (min (- xmin 1) (- xmax 12)))
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e16"}> ({
  ^bb0(%xmax: i64, %xmin: i64):
    %0 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %1 = "arith.addi"(%xmax, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %3 = "arith.addi"(%xmin, %2) : (i64, i64) -> i64
    %4 = "arith.maxsi"(%1, %3) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %6 = "arith.subi"(%xmin, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %8 = "arith.subi"(%xmax, %7) : (i64, i64) -> i64
    %9 = "arith.minsi"(%6, %8) : (i64, i64) -> i64
    %10 = "arith.subi"(%4, %9) : (i64, i64) -> i64
    "func.return"(%10) : (i64) -> ()
  }) : () -> ()
  // (- (/ (+ (* x 3) (+ dx 2)) 3) (/ (max (- (* x 3) dx) 0) 3))
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e17"}> ({
  ^bb0(%x: i64, %dx: i64):
    %0 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %1 = "arith.muli"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %3 = "arith.addi"(%dx, %2) : (i64, i64) -> i64
    %4 = "arith.addi"(%1, %3) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %6 = "halide.div"(%4, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %8 = "arith.muli"(%x, %7) : (i64, i64) -> i64
    %9 = "arith.subi"(%8, %dx) : (i64, i64) -> i64
    %10 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %11 = "arith.maxsi"(%9, %10) : (i64, i64) -> i64
    %12 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %13 = "halide.div"(%11, %12) : (i64, i64) -> i64
    %14 = "arith.subi"(%6, %13) : (i64, i64) -> i64
    "func.return"(%14) : (i64) -> ()
  }) : () -> ()
  // (<= (/ (+ x 3) 4) (/ (+ (* y 4) 3) 4))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e18"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %1 = "arith.addi"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %3 = "halide.div"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %5 = "arith.muli"(%y, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %7 = "arith.addi"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %9 = "halide.div"(%7, %8) : (i64, i64) -> i64
    %10 = "arith.cmpi"(%3, %9) <{predicate = 3 : i64}> : (i64, i64) -> i1
    "func.return"(%10) : (i1) -> ()
  }) : () -> ()
  // (/ (- (* (+ x 7) 8) (* y 4)) 4)
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e19"}> ({
  ^bb0(%x: i64, %y: i64):
    %0 = "arith.constant"() <{value = 7 : i64}> : () -> i64
    %1 = "arith.addi"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %3 = "arith.muli"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %5 = "arith.muli"(%y, %4) : (i64, i64) -> i64
    %6 = "arith.subi"(%3, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %8 = "halide.div"(%6, %7) : (i64, i64) -> i64
    "func.return"(%8) : (i64) -> ()
  }) : () -> ()
  // (&& (&& (<= 0 x) (< x w)) (&& (<= 5 y) (< y (- h 5))))
  "func.func"() <{function_type = (i64, i64, i64, i64) -> i1, sym_name = "e20"}> ({
  ^bb0(%x: i64, %w: i64, %y: i64, %h: i64):
    %0 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %1 = "arith.cmpi"(%0, %x) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %2 = "arith.cmpi"(%x, %w) <{predicate = 2 : i64}> : (i64, i64) -> i1
    %3 = "arith.andi"(%1, %2) : (i1, i1) -> i1
    %4 = "arith.constant"() <{value = 5 : i64}> : () -> i64
    %5 = "arith.cmpi"(%4, %y) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %6 = "arith.constant"() <{value = 5 : i64}> : () -> i64
    %7 = "arith.subi"(%h, %6) : (i64, i64) -> i64
    %8 = "arith.cmpi"(%y, %7) <{predicate = 2 : i64}> : (i64, i64) -> i1
    %9 = "arith.andi"(%5, %8) : (i1, i1) -> i1
    %10 = "arith.andi"(%3, %9) : (i1, i1) -> i1
    "func.return"(%10) : (i1) -> ()
  }) : () -> ()
  // (&& (< (/ x 12) (/ (+ w 11) 12)) (<= 0 (/ x 12)))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e21"}> ({
  ^bb0(%x: i64, %w: i64):
    %0 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %1 = "halide.div"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 11 : i64}> : () -> i64
    %3 = "arith.addi"(%w, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %5 = "halide.div"(%3, %4) : (i64, i64) -> i64
    %6 = "arith.cmpi"(%1, %5) <{predicate = 2 : i64}> : (i64, i64) -> i1
    %7 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %8 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %9 = "halide.div"(%x, %8) : (i64, i64) -> i64
    %10 = "arith.cmpi"(%7, %9) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %11 = "arith.andi"(%6, %10) : (i1, i1) -> i1
    "func.return"(%11) : (i1) -> ()
  }) : () -> ()
  // (&& (<= 0 (min x (min y z))) (< (max x (max y z)) 1024))
  "func.func"() <{function_type = (i64, i64, i64) -> i1, sym_name = "e22"}> ({
  ^bb0(%x: i64, %y: i64, %z: i64):
    %0 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %1 = "arith.minsi"(%y, %z) : (i64, i64) -> i64
    %2 = "arith.minsi"(%x, %1) : (i64, i64) -> i64
    %3 = "arith.cmpi"(%0, %2) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %4 = "arith.maxsi"(%y, %z) : (i64, i64) -> i64
    %5 = "arith.maxsi"(%x, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 1024 : i64}> : () -> i64
    %7 = "arith.cmpi"(%5, %6) <{predicate = 2 : i64}> : (i64, i64) -> i1
    %8 = "arith.andi"(%3, %7) : (i1, i1) -> i1
    "func.return"(%8) : (i1) -> ()
  }) : () -> ()
  // (+ (* (/ (+ (* xo 64) xi) 16) 16) lane)
  "func.func"() <{function_type = (i64, i64, i64) -> i64, sym_name = "e23"}> ({
  ^bb0(%xo: i64, %xi: i64, %lane: i64):
    %0 = "arith.constant"() <{value = 64 : i64}> : () -> i64
    %1 = "arith.muli"(%xo, %0) : (i64, i64) -> i64
    %2 = "arith.addi"(%1, %xi) : (i64, i64) -> i64
    %3 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %4 = "halide.div"(%2, %3) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %6 = "arith.muli"(%4, %5) : (i64, i64) -> i64
    %7 = "arith.addi"(%6, %lane) : (i64, i64) -> i64
    "func.return"(%7) : (i64) -> ()
  }) : () -> ()
  // (== (% (+ (+ base (* y 8)) (* xv 8)) 8) (% (- base 8) 8))
  "func.func"() <{function_type = (i64, i64, i64) -> i1, sym_name = "e24"}> ({
  ^bb0(%base: i64, %y: i64, %xv: i64):
    %0 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %1 = "arith.muli"(%y, %0) : (i64, i64) -> i64
    %2 = "arith.addi"(%base, %1) : (i64, i64) -> i64
    %3 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %4 = "arith.muli"(%xv, %3) : (i64, i64) -> i64
    %5 = "arith.addi"(%2, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %7 = "halide.mod"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %9 = "arith.subi"(%base, %8) : (i64, i64) -> i64
    %10 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %11 = "halide.mod"(%9, %10) : (i64, i64) -> i64
    %12 = "arith.cmpi"(%7, %11) <{predicate = 0 : i64}> : (i64, i64) -> i1
    "func.return"(%12) : (i1) -> ()
  }) : () -> ()
  // (- (+ (* x 32) 31) (* (+ (* x 16) lane) 2))
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e25"}> ({
  ^bb0(%x: i64, %lane: i64):
    %0 = "arith.constant"() <{value = 32 : i64}> : () -> i64
    %1 = "arith.muli"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 31 : i64}> : () -> i64
    %3 = "arith.addi"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %5 = "arith.muli"(%x, %4) : (i64, i64) -> i64
    %6 = "arith.addi"(%5, %lane) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %8 = "arith.muli"(%6, %7) : (i64, i64) -> i64
    %9 = "arith.subi"(%3, %8) : (i64, i64) -> i64
    "func.return"(%9) : (i64) -> ()
  }) : () -> ()
  // (- (/ fused 16) (* (/ (/ fused 16) 6) 6))
  "func.func"() <{function_type = (i64) -> i64, sym_name = "e26"}> ({
  ^bb0(%fused: i64):
    %0 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %1 = "halide.div"(%fused, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %3 = "halide.div"(%fused, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %5 = "halide.div"(%3, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 6 : i64}> : () -> i64
    %7 = "arith.muli"(%5, %6) : (i64, i64) -> i64
    %8 = "arith.subi"(%1, %7) : (i64, i64) -> i64
    "func.return"(%8) : (i64) -> ()
  }) : () -> ()
  // (<= (+ (* y 20) x) (+ (* (- h 1) 20) (- w 1)))
  "func.func"() <{function_type = (i64, i64, i64, i64) -> i1, sym_name = "e27"}> ({
  ^bb0(%y: i64, %x: i64, %h: i64, %w: i64):
    %0 = "arith.constant"() <{value = 20 : i64}> : () -> i64
    %1 = "arith.muli"(%y, %0) : (i64, i64) -> i64
    %2 = "arith.addi"(%1, %x) : (i64, i64) -> i64
    %3 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %4 = "arith.subi"(%h, %3) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 20 : i64}> : () -> i64
    %6 = "arith.muli"(%4, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %8 = "arith.subi"(%w, %7) : (i64, i64) -> i64
    %9 = "arith.addi"(%6, %8) : (i64, i64) -> i64
    %10 = "arith.cmpi"(%2, %9) <{predicate = 3 : i64}> : (i64, i64) -> i1
    "func.return"(%10) : (i1) -> ()
  }) : () -> ()
  // (!= (% (+ (- y ymin) 2) 8) (% (- (+ y 2) (* ymin 8)) 8))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e28"}> ({
  ^bb0(%y: i64, %ymin: i64):
    %0 = "arith.subi"(%y, %ymin) : (i64, i64) -> i64
    %1 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %2 = "arith.addi"(%0, %1) : (i64, i64) -> i64
    %3 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %4 = "halide.mod"(%2, %3) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %6 = "arith.addi"(%y, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %8 = "arith.muli"(%ymin, %7) : (i64, i64) -> i64
    %9 = "arith.subi"(%6, %8) : (i64, i64) -> i64
    %10 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %11 = "halide.mod"(%9, %10) : (i64, i64) -> i64
    %12 = "arith.cmpi"(%4, %11) <{predicate = 1 : i64}> : (i64, i64) -> i1
    "func.return"(%12) : (i1) -> ()
  }) : () -> ()
  // (&& (!= (% y 2) (% (+ y 1) 2)) (< (- (+ y 1) y) 2))
  "func.func"() <{function_type = (i64) -> i1, sym_name = "e29"}> ({
  ^bb0(%y: i64):
    %0 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %1 = "halide.mod"(%y, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %3 = "arith.addi"(%y, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %5 = "halide.mod"(%3, %4) : (i64, i64) -> i64
    %6 = "arith.cmpi"(%1, %5) <{predicate = 1 : i64}> : (i64, i64) -> i1
    %7 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %8 = "arith.addi"(%y, %7) : (i64, i64) -> i64
    %9 = "arith.subi"(%8, %y) : (i64, i64) -> i64
    %10 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %11 = "arith.cmpi"(%9, %10) <{predicate = 2 : i64}> : (i64, i64) -> i1
    %12 = "arith.andi"(%6, %11) : (i1, i1) -> i1
    "func.return"(%12) : (i1) -> ()
  }) : () -> ()
  // (== (* (% (/ y 2) 4) 2) (- (% y 8) (% z 2)))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e30"}> ({
  ^bb0(%y: i64, %z: i64):
    %0 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %1 = "halide.div"(%y, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %3 = "halide.mod"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %5 = "arith.muli"(%3, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %7 = "halide.mod"(%y, %6) : (i64, i64) -> i64
    %8 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %9 = "halide.mod"(%z, %8) : (i64, i64) -> i64
    %10 = "arith.subi"(%7, %9) : (i64, i64) -> i64
    %11 = "arith.cmpi"(%5, %10) <{predicate = 0 : i64}> : (i64, i64) -> i1
    "func.return"(%11) : (i1) -> ()
  }) : () -> ()
  // (- (max (min (- w 3) xmax) xmin) (min (max 3 xmin) xmax))
  "func.func"() <{function_type = (i64, i64, i64) -> i64, sym_name = "e31"}> ({
  ^bb0(%w: i64, %xmax: i64, %xmin: i64):
    %0 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %1 = "arith.subi"(%w, %0) : (i64, i64) -> i64
    %2 = "arith.minsi"(%1, %xmax) : (i64, i64) -> i64
    %3 = "arith.maxsi"(%2, %xmin) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %5 = "arith.maxsi"(%4, %xmin) : (i64, i64) -> i64
    %6 = "arith.minsi"(%5, %xmax) : (i64, i64) -> i64
    %7 = "arith.subi"(%3, %6) : (i64, i64) -> i64
    "func.return"(%7) : (i64) -> ()
  }) : () -> ()
  // (== (max (min (/ w 16) xo) 0) (min (max xo 0) (max (/ w 16) 0)))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e32"}> ({
  ^bb0(%w: i64, %xo: i64):
    %0 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %1 = "halide.div"(%w, %0) : (i64, i64) -> i64
    %2 = "arith.minsi"(%1, %xo) : (i64, i64) -> i64
    %3 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %4 = "arith.maxsi"(%2, %3) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %6 = "arith.maxsi"(%xo, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %8 = "halide.div"(%w, %7) : (i64, i64) -> i64
    %9 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %10 = "arith.maxsi"(%8, %9) : (i64, i64) -> i64
    %11 = "arith.minsi"(%6, %10) : (i64, i64) -> i64
    %12 = "arith.cmpi"(%4, %11) <{predicate = 0 : i64}> : (i64, i64) -> i1
    "func.return"(%12) : (i1) -> ()
  }) : () -> ()
  // (* (+ (- ymax ymin) 1) (* (/ (+ w 7) 8) 8))
  "func.func"() <{function_type = (i64, i64, i64) -> i64, sym_name = "e33"}> ({
  ^bb0(%ymax: i64, %ymin: i64, %w: i64):
    %0 = "arith.subi"(%ymax, %ymin) : (i64, i64) -> i64
    %1 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %2 = "arith.addi"(%0, %1) : (i64, i64) -> i64
    %3 = "arith.constant"() <{value = 7 : i64}> : () -> i64
    %4 = "arith.addi"(%w, %3) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %6 = "halide.div"(%4, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %8 = "arith.muli"(%6, %7) : (i64, i64) -> i64
    %9 = "arith.muli"(%2, %8) : (i64, i64) -> i64
    "func.return"(%9) : (i64) -> ()
  }) : () -> ()
  // (- (max (* (/ (+ w 31) 32) 32) (* (/ (+ h 3) 4) 4)) (max w h))
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e34"}> ({
  ^bb0(%w: i64, %h: i64):
    %0 = "arith.constant"() <{value = 31 : i64}> : () -> i64
    %1 = "arith.addi"(%w, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 32 : i64}> : () -> i64
    %3 = "halide.div"(%1, %2) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 32 : i64}> : () -> i64
    %5 = "arith.muli"(%3, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %7 = "arith.addi"(%h, %6) : (i64, i64) -> i64
    %8 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %9 = "halide.div"(%7, %8) : (i64, i64) -> i64
    %10 = "arith.constant"() <{value = 4 : i64}> : () -> i64
    %11 = "arith.muli"(%9, %10) : (i64, i64) -> i64
    %12 = "arith.maxsi"(%5, %11) : (i64, i64) -> i64
    %13 = "arith.maxsi"(%w, %h) : (i64, i64) -> i64
    %14 = "arith.subi"(%12, %13) : (i64, i64) -> i64
    "func.return"(%14) : (i64) -> ()
  }) : () -> ()
  // (&& (> (- xmax xmin) -1) (<= (* (- xmax xmin) 16) 7680))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e35"}> ({
  ^bb0(%xmax: i64, %xmin: i64):
    %0 = "arith.subi"(%xmax, %xmin) : (i64, i64) -> i64
    %1 = "arith.constant"() <{value = -1 : i64}> : () -> i64
    %2 = "arith.cmpi"(%0, %1) <{predicate = 4 : i64}> : (i64, i64) -> i1
    %3 = "arith.subi"(%xmax, %xmin) : (i64, i64) -> i64
    %4 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %5 = "arith.muli"(%3, %4) : (i64, i64) -> i64
    %6 = "arith.constant"() <{value = 7680 : i64}> : () -> i64
    %7 = "arith.cmpi"(%5, %6) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %8 = "arith.andi"(%2, %7) : (i1, i1) -> i1
    "func.return"(%8) : (i1) -> ()
  }) : () -> ()
  // (|| (<= (+ a 32) b) (<= (+ b 32) (+ a 31)))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e36"}> ({
  ^bb0(%a: i64, %b: i64):
    %0 = "arith.constant"() <{value = 32 : i64}> : () -> i64
    %1 = "arith.addi"(%a, %0) : (i64, i64) -> i64
    %2 = "arith.cmpi"(%1, %b) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %3 = "arith.constant"() <{value = 32 : i64}> : () -> i64
    %4 = "arith.addi"(%b, %3) : (i64, i64) -> i64
    %5 = "arith.constant"() <{value = 31 : i64}> : () -> i64
    %6 = "arith.addi"(%a, %5) : (i64, i64) -> i64
    %7 = "arith.cmpi"(%4, %6) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %8 = "arith.ori"(%2, %7) : (i1, i1) -> i1
    "func.return"(%8) : (i1) -> ()
  }) : () -> ()
  // (! (&& (<= (* a 8) (+ b 7)) (<= b (+ (* a 8) 7))))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e37"}> ({
  ^bb0(%a: i64, %b: i64):
    %0 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %1 = "arith.muli"(%a, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 7 : i64}> : () -> i64
    %3 = "arith.addi"(%b, %2) : (i64, i64) -> i64
    %4 = "arith.cmpi"(%1, %3) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %5 = "arith.constant"() <{value = 8 : i64}> : () -> i64
    %6 = "arith.muli"(%a, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 7 : i64}> : () -> i64
    %8 = "arith.addi"(%6, %7) : (i64, i64) -> i64
    %9 = "arith.cmpi"(%b, %8) <{predicate = 3 : i64}> : (i64, i64) -> i1
    %10 = "arith.andi"(%4, %9) : (i1, i1) -> i1
    %11 = "halide.not"(%10) : (i1) -> i1
    "func.return"(%11) : (i1) -> ()
  }) : () -> ()
  // (&& (== (- x 3) y) (!= (+ y 3) (- z x)))
  "func.func"() <{function_type = (i64, i64, i64) -> i1, sym_name = "e38"}> ({
  ^bb0(%x: i64, %y: i64, %z: i64):
    %0 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %1 = "arith.subi"(%x, %0) : (i64, i64) -> i64
    %2 = "arith.cmpi"(%1, %y) <{predicate = 0 : i64}> : (i64, i64) -> i1
    %3 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %4 = "arith.addi"(%y, %3) : (i64, i64) -> i64
    %5 = "arith.subi"(%z, %x) : (i64, i64) -> i64
    %6 = "arith.cmpi"(%4, %5) <{predicate = 1 : i64}> : (i64, i64) -> i1
    %7 = "arith.andi"(%2, %6) : (i1, i1) -> i1
    "func.return"(%7) : (i1) -> ()
  }) : () -> ()
  // (- (max i j) (min i (+ j 1)))
  "func.func"() <{function_type = (i64, i64) -> i64, sym_name = "e39"}> ({
  ^bb0(%i: i64, %j: i64):
    %0 = "arith.maxsi"(%i, %j) : (i64, i64) -> i64
    %1 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %2 = "arith.addi"(%j, %1) : (i64, i64) -> i64
    %3 = "arith.minsi"(%i, %2) : (i64, i64) -> i64
    %4 = "arith.subi"(%0, %3) : (i64, i64) -> i64
    "func.return"(%4) : (i64) -> ()
  }) : () -> ()
  // (|| (== (/ i 12) (/ j 12)) (< (* (/ i 12) 12) (- j 11)))
  "func.func"() <{function_type = (i64, i64) -> i1, sym_name = "e40"}> ({
  ^bb0(%i: i64, %j: i64):
    %0 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %1 = "halide.div"(%i, %0) : (i64, i64) -> i64
    %2 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %3 = "halide.div"(%j, %2) : (i64, i64) -> i64
    %4 = "arith.cmpi"(%1, %3) <{predicate = 0 : i64}> : (i64, i64) -> i1
    %5 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %6 = "halide.div"(%i, %5) : (i64, i64) -> i64
    %7 = "arith.constant"() <{value = 12 : i64}> : () -> i64
    %8 = "arith.muli"(%6, %7) : (i64, i64) -> i64
    %9 = "arith.constant"() <{value = 11 : i64}> : () -> i64
    %10 = "arith.subi"(%j, %9) : (i64, i64) -> i64
    %11 = "arith.cmpi"(%8, %10) <{predicate = 2 : i64}> : (i64, i64) -> i1
    %12 = "arith.ori"(%4, %11) : (i1, i1) -> i1
    "func.return"(%12) : (i1) -> ()
  }) : () -> ()
}) : () -> ()
