; ModuleID = 'module.c'
source_filename = "module.c"
target triple = "x86_64-unknown-linux-gnu"

%struct.pair = type { i32, i64 }
@table = private constant [3 x i8] c"a;\00", align 1

; Function Attrs: nounwind
define dso_local i32 @steps(i32 noundef %0, i32 noundef %1, %struct.pair* nocapture %2) local_unnamed_addr #0 !dbg !7 {
  %4 = and i32 %0, %1, !dbg !9
  %5 = or i32 %0, %1, !dbg !9
  %6 = add nsw i32 %4, %5, !dbg !9
  %7 = icmp sgt i32 %6, 0, !dbg !10 ; kept
  br i1 %7, label %8, label %11

8:                                                ; preds = %3
  %9 = getelementptr inbounds %struct.pair, %struct.pair* %2, i64 0, i32 0
  %10 = load i32, i32* %9, align 4, !tbaa !11
  br label %11

11:                                               ; preds = %8, %3
  %12 = phi i32 [ %10, %8 ], [ %6, %3 ]
  switch i32 %12, label %14 [
    i32 1, label %13
    i32 2, label %13
  ]

13:                                               ; preds = %11, %11
  br label %14

14:                                               ; preds = %13, %11
  %15 = phi i32 [ 0, %11 ], [ 7, %13 ]
  ret i32 %15
}

define double @others(double %x, <4 x i32> %v, i128 %w, i32 %n) personality i32 (...)* @personality {
  %twice = fadd fast double %x, %x
  %lanes = add <4 x i32> %v, %v
  %wide = add i128 %w, 1
  %any = add i32 %n, undef
  %size = mul i32 ptrtoint ([3 x i8]* @table to i32), 2
  %called = invoke i32 @may_throw(i32 %n)
          to label %fine unwind label %cleanup

fine:
  ret double %twice

cleanup:
  %pad = landingpad { i8*, i32 }
          cleanup
  resume { i8*, i32 } %pad
}

declare i32 @may_throw(i32)
declare i32 @personality(...)
attributes #0 = { nounwind "frame-pointer"="none" }
!7 = distinct !DISubprogram(name: "steps;{")
!9 = !{i32 1}
!10 = !{i32 2}
!11 = !{!"int", !9, i64 0}