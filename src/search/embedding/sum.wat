;; Sum of chosen rows of an int8 table, each with its scale: the inner loop of a static embedding.
;;
;; sum[i] = sum[i] + float32(row[i]) × scale[row], row after row, every step rounded to float32
;;
;; sum.ts holds the compiled bytes; a test compiles this file again and compares.
(module
  (import "table" "memory" (memory 1))
  (func (export "sum")
    (param $ids i32)        ;; uint32[count], the rows to add
    (param $count i32)
    (param $values i32)     ;; int8[rows × dimensions]
    (param $dimensions i32) ;; a multiple of 8
    (param $scales i32)     ;; float32[rows]
    (param $sum i32)        ;; float32[dimensions], added to
    (local $idsEnd i32) (local $id i32) (local $at i32) (local $end i32) (local $atSum i32)
    (local $scale v128) (local $eight v128)
    (local.set $idsEnd (i32.add (local.get $ids) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $ids) (local.get $idsEnd)))
        (local.set $id (i32.load (local.get $ids)))
        (local.set $scale
          (v128.load32_splat (i32.add (local.get $scales) (i32.shl (local.get $id) (i32.const 2)))))
        (local.set $at (i32.add (local.get $values) (i32.mul (local.get $id) (local.get $dimensions))))
        (local.set $end (i32.add (local.get $at) (local.get $dimensions)))
        (local.set $atSum (local.get $sum))
        (loop $eightMore
          (local.set $eight (v128.load8x8_s (local.get $at)))
          (v128.store (local.get $atSum)
            (f32x4.add (v128.load (local.get $atSum))
              (f32x4.mul (local.get $scale)
                (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $eight))))))
          (v128.store offset=16 (local.get $atSum)
            (f32x4.add (v128.load offset=16 (local.get $atSum))
              (f32x4.mul (local.get $scale)
                (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $eight))))))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (local.set $atSum (i32.add (local.get $atSum) (i32.const 32)))
          (br_if $eightMore (i32.ne (local.get $at) (local.get $end))))
        (local.set $ids (i32.add (local.get $ids) (i32.const 4)))
        (br $next)))))
