;;; A convolution is a product: its windows are packed as the columns of a matrix, here once for all.
(defentry conv ((x (1 2 6 20)) (w (8 2 3 3)))
  (!convnd x w))
;;; expect
(kernel sum
  (buffer a1 float32 240 read)
  (buffer a2 float32 144 read)
  (buffer a3 float32 576 written)
  (scratch a4 float32 1728)
  (call ct_pack_windows_f32 (write a4 0) (read a1 0) 0 0 72 18 1 2 0 120 1 1 0 0 0 1 0 0 4 3 0 0 0 1 20 20 18 3 0 0 0 1 1 1)
  (for r27 0 1
    (scratch a5 float32 216)
    (call ct_pack_rows_f32 (write a5 0) (read a2 0) 8 18 18 1)
    (call ct_product_f32 (write a3 0) (read a5 0) (read a4 0) 8 72 18 72)))
