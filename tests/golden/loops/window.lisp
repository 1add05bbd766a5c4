;;; A window of few terms is straight-line code in a strip.
(defentry pool ((x (3 4 40)))
  (!convnd (!reshape x '(1 3 4 40)) (make-tensor '(3 1 2 2) :initial-element 0.25) :groups 3))
;;; expect
(kernel sum
  (buffer a1 float32 480 read)
  (buffer a2 float32 12 read)
  (buffer a3 float32 351 written)
  (let %0 float32 0.0)
  (for r8 0 3
    (let %6 float32 (load a2 (* 4 r8)))
    (let %10 float32 (load a2 (+ (* 4 r8) 1)))
    (let %14 float32 (load a2 (+ (* 4 r8) 2)))
    (let %18 float32 (load a2 (+ (* 4 r8) 3)))
    (for r9 0 3
      (strip r10 0 39
        (let %5 float32 (load a1 (+ (* 40 r9) r10 (* 160 r8))))
        (let %7 float32 (mul %5 %6))
        (let %8 float32 (add %0 %7))
        (let %9 float32 (load a1 (+ (* 160 r8) (* 40 r9) r10 1)))
        (let %11 float32 (mul %9 %10))
        (let %12 float32 (add %8 %11))
        (let %13 float32 (load a1 (+ (* 160 r8) (* 40 r9) r10 40)))
        (let %15 float32 (mul %13 %14))
        (let %16 float32 (add %12 %15))
        (let %17 float32 (load a1 (+ (* 160 r8) (* 40 r9) r10 41)))
        (let %19 float32 (mul %17 %18))
        (let %20 float32 (add %16 %19))
        (store a3 (+ (* 39 r9) r10 (* 117 r8)) %20)))))
