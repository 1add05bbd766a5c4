;;; Softmax over rows: one kernel, the exponential computed once, stage loops.
(defentry softmax-rows ((x (rows 8)))
  (!softmax x :axis -1))
;;; expect
(kernel sum_recip_mul
  (buffer a1 float32 (* 8 rows) read)
  (buffer a5 float32 (* 8 rows) written)
  (let %0 float32 -inf)
  (let %2 float32 0.0)
  (parallel r10 0 rows
    (scratch a0 float32 1)
    (store a0 0 %0)
    (for r11 0 8
      (let %1 float32 (load a1 (+ r11 (* 8 r10))))
      (accumulate max a0 0 %1))
    (scratch a2 float32 8)
    (scratch a3 float32 1)
    (store a3 0 %2)
    (let %4 float32 (load a0 0))
    (strip r12 0 8
      (let %3 float32 (load a1 (+ r12 (* 8 r10))))
      (let %5 float32 (sub %3 %4))
      (let %6 float32 (exp %5))
      (store a2 r12 %6)
      (accumulate add a3 0 %6))
    (scratch a4 float32 1)
    (let %7 float32 (load a3 0))
    (let %8 float32 (recip %7))
    (store a4 0 %8)
    (let %10 float32 (load a4 0))
    (for r13 0 8
      (let %9 float32 (load a2 r13))
      (let %11 float32 (mul %9 %10))
      (store a5 (+ r13 (* 8 r10)) %11))))
