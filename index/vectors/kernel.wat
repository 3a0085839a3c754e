;; Scores of a query against chosen rows of an int8 matrix: the inner loop of exact search.
;;
;; score[i] = float32(query · row[i]) × scale[row[i]] × queryScale, each product rounded to float32
;;
;; Rows and scores at or above `bar` are kept, in order, at the front of their lists.
;;
;; The query is int16, so its rounding error is negligible; int8.ts bounds it so that no sum exceeds 32 bits. Four rows
;; at a time share the loads of the query, eight dimensions per step: the row's bytes are widened while loading
;; (pmovsxbw), multiplied and added in pairs (pmaddwd), and summed. If the number of rows is no multiple of four, the
;; list entries after them are scored too, but not kept: they must be rows of the matrix.
;; kernel.ts has the compiled bytes; a test compiles this file again and compares.
(module
  (import "matrix" "memory" (memory 1))
  (func (export "score")
    (param $query i32)      ;; int16[stride], 16-byte aligned
    (param $values i32)     ;; int8[rows × stride], 16-byte aligned
    (param $stride i32)     ;; bytes of a row, a multiple of 16
    (param $scales i32)     ;; float32[rows]
    (param $queryScale f32)
    (param $rows i32)       ;; uint32[count], the rows to score; those kept
    (param $scores i32)     ;; float32[count], the scores of those kept
    (param $count i32)
    (param $bar f32)
    (result i32)            ;; how many were kept
    (local $end i32) (local $kept i32) (local $first i32)
    (local $row0 i32) (local $row1 i32) (local $row2 i32) (local $row3 i32)
    (local $at0 i32) (local $at1 i32) (local $at2 i32) (local $at3 i32)
    (local $atQuery i32) (local $atEnd i32)
    (local $low v128) (local $high v128)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local.set $first (local.get $rows))
    (local.set $kept (local.get $rows))
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (local.set $row0 (i32.load (local.get $rows)))
        (local.set $row1 (i32.load offset=4 (local.get $rows)))
        (local.set $row2 (i32.load offset=8 (local.get $rows)))
        (local.set $row3 (i32.load offset=12 (local.get $rows)))
        (local.set $at0 (i32.add (local.get $values) (i32.mul (local.get $row0) (local.get $stride))))
        (local.set $at1 (i32.add (local.get $values) (i32.mul (local.get $row1) (local.get $stride))))
        (local.set $at2 (i32.add (local.get $values) (i32.mul (local.get $row2) (local.get $stride))))
        (local.set $at3 (i32.add (local.get $values) (i32.mul (local.get $row3) (local.get $stride))))
        (local.set $atEnd (i32.add (local.get $at0) (local.get $stride)))
        (local.set $atQuery (local.get $query))
        (local.set $sum0 (v128.const i32x4 0 0 0 0))
        (local.set $sum1 (v128.const i32x4 0 0 0 0))
        (local.set $sum2 (v128.const i32x4 0 0 0 0))
        (local.set $sum3 (v128.const i32x4 0 0 0 0))
        (loop $sixteen
          (local.set $low (v128.load (local.get $atQuery)))
          (local.set $high (v128.load offset=16 (local.get $atQuery)))
          (local.set $sum0 (i32x4.add (local.get $sum0) (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $at0)) (local.get $low))
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $at0)) (local.get $high)))))
          (local.set $sum1 (i32x4.add (local.get $sum1) (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $at1)) (local.get $low))
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $at1)) (local.get $high)))))
          (local.set $sum2 (i32x4.add (local.get $sum2) (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $at2)) (local.get $low))
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $at2)) (local.get $high)))))
          (local.set $sum3 (i32x4.add (local.get $sum3) (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $at3)) (local.get $low))
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $at3)) (local.get $high)))))
          (local.set $at0 (i32.add (local.get $at0) (i32.const 16)))
          (local.set $at1 (i32.add (local.get $at1) (i32.const 16)))
          (local.set $at2 (i32.add (local.get $at2) (i32.const 16)))
          (local.set $at3 (i32.add (local.get $at3) (i32.const 16)))
          (local.set $atQuery (i32.add (local.get $atQuery) (i32.const 32)))
          (br_if $sixteen (i32.ne (local.get $at0) (local.get $atEnd))))
        ;; The four lanes of each sum, added up: lane i of $low becomes the product of row i.
        (local.set $low (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sum0) (local.get $sum1))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sum0) (local.get $sum1))))
        (local.set $high (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sum2) (local.get $sum3))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sum2) (local.get $sum3))))
        (local.set $low (i32x4.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $low) (local.get $high))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $low) (local.get $high))))
        (local.set $high (v128.load32_zero (i32.add (local.get $scales) (i32.shl (local.get $row0) (i32.const 2)))))
        (local.set $high (v128.load32_lane 1
          (i32.add (local.get $scales) (i32.shl (local.get $row1) (i32.const 2))) (local.get $high)))
        (local.set $high (v128.load32_lane 2
          (i32.add (local.get $scales) (i32.shl (local.get $row2) (i32.const 2))) (local.get $high)))
        (local.set $high (v128.load32_lane 3
          (i32.add (local.get $scales) (i32.shl (local.get $row3) (i32.const 2))) (local.get $high)))
        (local.set $low (f32x4.mul
          (f32x4.mul (f32x4.convert_i32x4_s (local.get $low)) (local.get $high))
          (f32x4.splat (local.get $queryScale))))
        ;; Each is written where the next kept one belongs; what is not kept is overwritten.
        (i32.store (local.get $kept) (local.get $row0))
        (f32.store (local.get $scores) (f32x4.extract_lane 0 (local.get $low)))
        (local.set $at0 (i32.shl
          (f32.ge (f32x4.extract_lane 0 (local.get $low)) (local.get $bar)) (i32.const 2)))
        (local.set $kept (i32.add (local.get $kept) (local.get $at0)))
        (local.set $scores (i32.add (local.get $scores) (local.get $at0)))
        (i32.store (local.get $kept) (local.get $row1))
        (f32.store (local.get $scores) (f32x4.extract_lane 1 (local.get $low)))
        (local.set $at0 (i32.shl (i32.and
          (f32.ge (f32x4.extract_lane 1 (local.get $low)) (local.get $bar))
          (i32.lt_u (i32.add (local.get $rows) (i32.const 4)) (local.get $end))) (i32.const 2)))
        (local.set $kept (i32.add (local.get $kept) (local.get $at0)))
        (local.set $scores (i32.add (local.get $scores) (local.get $at0)))
        (i32.store (local.get $kept) (local.get $row2))
        (f32.store (local.get $scores) (f32x4.extract_lane 2 (local.get $low)))
        (local.set $at0 (i32.shl (i32.and
          (f32.ge (f32x4.extract_lane 2 (local.get $low)) (local.get $bar))
          (i32.lt_u (i32.add (local.get $rows) (i32.const 8)) (local.get $end))) (i32.const 2)))
        (local.set $kept (i32.add (local.get $kept) (local.get $at0)))
        (local.set $scores (i32.add (local.get $scores) (local.get $at0)))
        (i32.store (local.get $kept) (local.get $row3))
        (f32.store (local.get $scores) (f32x4.extract_lane 3 (local.get $low)))
        (local.set $at0 (i32.shl (i32.and
          (f32.ge (f32x4.extract_lane 3 (local.get $low)) (local.get $bar))
          (i32.lt_u (i32.add (local.get $rows) (i32.const 12)) (local.get $end))) (i32.const 2)))
        (local.set $kept (i32.add (local.get $kept) (local.get $at0)))
        (local.set $scores (i32.add (local.get $scores) (local.get $at0)))
        (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $kept) (local.get $first)) (i32.const 2))))
