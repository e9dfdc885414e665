define i32 @sum(i32 noundef %x, i32 noundef %y) {
  %different = xor i32 %x, %y
  %both = and i32 %x, %y
  %carried = shl nuw i32 %both, 1
  %sum = add nsw i32 %different, %carried
  ret i32 %sum
}

define i1 @is_digit(i8 %c) {
  %least = icmp sge i8 %c, 48
  %most = icmp sle i8 %c, 57
  %both = select i1 %least, i1 %most, i1 false
  ret i1 %both
}
