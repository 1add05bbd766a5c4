;;; An elementwise chain over a symbolic size, stage loops.
(defentry scale-shift ((x (n 4)))
  (!relu (!+ (!* x 2.0) 1.0)))
;;; expect
(kernel relu
  (buffer a0 float32 (* 4 n) read)
  (buffer a1 float32 (* 4 n) written)
  (let %1 float32 2.0)
  (let %3 float32 1.0)
  (let %5 float32 0.0)
  (parallel r5 0 (floor-div (+ n 2047) 2048)
    (strip r4 (* 8192 r5) (min (* 4 n) (+ (* 8192 r5) 8192))
      (let %0 float32 (load a0 r4))
      (let %2 float32 (mul %0 %1))
      (let %4 float32 (add %2 %3))
      (let %6 float32 (max %4 %5))
      (store a1 r4 %6))))
