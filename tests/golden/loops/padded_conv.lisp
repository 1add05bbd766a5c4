;;; A padded convolution runs in blocks of columns: each packs its windows and multiplies at once,
;;; with the weight packed before.
(defentry conv ((x (2 8 24 24)) (w (16 8 3 3)) (b (16)))
  (!relu (!convnd x w :padding 1 :bias b)))
;;; expect
(kernel sum_relu
  (buffer a1 float32 9216 read)
  (buffer a2 float32 1152 read)
  (buffer a3 float32 16 read)
  (buffer a4 float32 18432 written)
  (scratch a5 float32 1728)
  (call ct_pack_rows_f32 (write a5 0) (read a2 0) 16 72 72 1)
  (let %20 float32 0.0)
  (parallel r12 0 2
    (parallel r33 0 2
      (scratch a0 float32 4608)
      (scratch a6 float32 20736)
      (call ct_pack_windows_f32 (write a6 0) (read a1 0) (+ (* 4608 r12) -25) (* 288 r33) 288 72 1 8 0 576 1 1 0 0 0 1 0 0 24 3 1 1 1 24 24 24 24 3 1 1 1 24 1 1)
      (call ct_product_f32 (write a0 0) (read a5 0) (read a6 0) 16 288 72 288)
      (for r35 0 16
        (let %22 float32 (load a3 r35))
        (for r36 0 12
          (strip r37 0 24
            (let %21 float32 (load a0 (+ (* 24 r36) r37 (* 288 r35))))
            (let %23 float32 (add %21 %22))
            (let %24 float32 (max %23 %20))
            (store a4 (+ (* 288 r33) (* 576 r35) (* 24 r36) r37 (* 9216 r12)) %24)))))))
