;;; A convolution is a product: its windows become a matrix, packed once for all rows of channels.
(defentry conv ((x (1 2 6 20)) (w (8 2 3 3)))
  (!convnd x w))
;;; expect
(kernel sum
  (buffer a1 float32 240 read)
  (buffer a2 float32 144 read)
  (buffer a3 float32 576 written)
  (scratch a4 float32 1440)
  (scratch a5 float32 1296)
  (for r31 0 2
    (for r32 0 3
      (for r33 0 3
        (for r34 0 4
          (strip r35 0 18
            (let %11 float32 (load a1 (+ (* 20 r32) r33 (* 20 r34) r35 (* 120 r31))))
            (store a5 (+ (* 216 r32) (* 72 r33) (* 18 r34) r35 (* 648 r31)) %11))))))
  (call ct_pack_columns_f32 (write a4 0) (read a5 0) 72 18 1 72)
  (let %10 float32 0.0)
  (for r27 0 1
    (scratch a0 float32 864)
    (for r28 0 8
      (for r29 0 4
        (strip r30 0 18
          (store a0 (+ (* 18 r29) r30 (* 72 r28)) %10))))
    (scratch a6 float32 216)
    (call ct_pack_rows_f32 (write a6 0) (read a2 0) 8 18 18 1)
    (call ct_multiply_f32 (write a0 0) (read a6 0) (read a4 0) 8 72 18 72)
    (for r37 0 8
      (for r38 0 4
        (strip r39 0 18
          (let %12 float32 (load a0 (+ (* 18 r38) r39 (* 72 r37))))
          (store a3 (+ (* 18 r38) r39 (* 72 r37)) %12))))))
