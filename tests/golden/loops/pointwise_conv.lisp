;;; A 1x1 convolution, whose nest sets and adds under one loop, is a product of matrices in memory.
(defentry conv ((x (1 32 6 20)) (w (8 32 1 1)))
  (!convnd x w))
;;; expect
(kernel sum
  (buffer a0 float32 960 written)
  (buffer a1 float32 3840 read)
  (buffer a2 float32 256 read)
  (scratch a3 float32 4096)
  (call ct_pack_columns_f32 (write a3 0) (read a1 0) 120 32 1 120)
  (let %8 float32 0.0)
  (for r20 0 1
    (for r21 0 8
      (for r22 0 6
        (strip r23 0 20
          (store a0 (+ (* 20 r22) r23 (* 120 r21)) %8))))
    (scratch a4 float32 384)
    (call ct_pack_rows_f32 (write a4 0) (read a2 0) 8 32 32 1)
    (call ct_multiply_f32 (write a0 0) (read a4 0) (read a3 0) 8 120 32 120)))
