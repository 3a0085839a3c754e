;; Scores of a query against chosen rows of an int8 matrix: the inner loop of exact search.
;;
;; score[i] = float32(query · row[i]) × scale[row[i]] × queryScale, each product rounded to float32
;;
;; The query is int16 so that rounding it costs nothing that shows (see int8.ts, which also bounds it so that no sum
;; leaves 32 bits). Eight dimensions a step: the row's bytes are widened while loading (pmovsxbw), multiplied and
;; added in pairs (pmaddwd), and summed: three instructions on x64, the same number on arm64 but for the pairs.
;; kernel.ts holds the compiled bytes; a test compiles this file again and compares.
(module
  (import "matrix" "memory" (memory 1))
  (func (export "score")
    (param $query i32)      ;; int16[stride], 16-byte aligned
    (param $values i32)     ;; int8[rows × stride], 16-byte aligned
    (param $stride i32)     ;; bytes of a row, a multiple of 16
    (param $scales i32)     ;; float32[rows]
    (param $queryScale f32)
    (param $rows i32)       ;; uint32[count], the rows to score
    (param $scores i32)     ;; float32[count], the result
    (param $count i32)
    (local $end i32) (local $row i32) (local $at i32) (local $atQuery i32) (local $atEnd i32)
    (local $even v128) (local $odd v128)
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $rows) (local.get $end)))
        (local.set $row (i32.load (local.get $rows)))
        (local.set $at (i32.add (local.get $values) (i32.mul (local.get $row) (local.get $stride))))
        (local.set $atEnd (i32.add (local.get $at) (local.get $stride)))
        (local.set $atQuery (local.get $query))
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))
        (loop $sixteen
          (local.set $even (i32x4.add (local.get $even)
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $at)) (v128.load (local.get $atQuery)))))
          (local.set $odd (i32x4.add (local.get $odd)
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $at)) (v128.load offset=16 (local.get $atQuery)))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $atQuery (i32.add (local.get $atQuery) (i32.const 32)))
          (br_if $sixteen (i32.ne (local.get $at) (local.get $atEnd))))
        (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
        (f32.store (local.get $scores)
          (f32.mul
            (f32.mul
              (f32.convert_i32_s
                (i32.add
                  (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
                  (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even)))))
              (f32.load (i32.add (local.get $scales) (i32.shl (local.get $row) (i32.const 2)))))
            (local.get $queryScale)))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
        (br $next)))))
