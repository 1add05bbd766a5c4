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
  (for r20 0 1
    (scratch a4 float32 384)
    (call ct_pack_rows_f32 (write a4 0) (read a2 0) 8 32 32 1)
    (call ct_product_f32 (write a0 0) (read a4 0) (read a3 0) 8 120 32 120)))
