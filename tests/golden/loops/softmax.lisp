;;; Softmax over rows: one kernel, the exponential computed once, stage loops.
(defentry softmax-rows ((x (rows 8)))
  (!softmax x :axis -1))
;;; expect
(kernel exp_sum_div
  (buffer a1 float32 (* 8 rows) read)
  (buffer a4 float32 (* 8 rows) written)
  (let %0 float32 -inf)
  (let %2 float32 0.0)
  (parallel r8 0 rows
    (scratch a0 float32 1)
    (store a0 0 %0)
    (for r9 0 8
      (let %1 float32 (load a1 (+ r9 (* 8 r8))))
      (accumulate max a0 0 %1))
    (scratch a2 float32 8)
    (scratch a3 float32 1)
    (store a3 0 %2)
    (let %4 float32 (load a0 0))
    (for r10 0 8
      (let %3 float32 (load a1 (+ r10 (* 8 r8))))
      (let %5 float32 (sub %3 %4))
      (let %6 float32 (exp %5))
      (store a2 r10 %6)
      (accumulate add a3 0 %6))
    (let %8 float32 (load a3 0))
    (for r11 0 8
      (let %7 float32 (load a2 r11))
      (let %9 float32 (div %7 %8))
      (store a4 (+ r11 (* 8 r8)) %9))))
