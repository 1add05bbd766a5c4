;;; The position of the largest element: the extreme in strips, then the least position that has it.
(defentry best ((x (n 50)))
  (!argmax x :axis 1))
;;; expect
(kernel argreduce
  (buffer a2 float32 (* 50 n) read)
  (buffer a3 int64 n written)
  (let %0 float32 -inf)
  (let %1 int64 0)
  (let %12 int64 9223372036854775807)
  (parallel r2 0 n
    (scratch a0 float32 1)
    (scratch a1 int64 1)
    (store a0 0 %0)
    (store a1 0 %1)
    (strip r3 0 50
      (let %2 float32 (load a2 (+ r3 (* 50 r2))))
      (accumulate max a0 0 %2))
    (let %3 float32 (load a0 0))
    (store a1 0 %12)
    (strip r4 0 50
      (let %11 float32 (load a2 (+ r4 (* 50 r2))))
      (let %13 bool (eq %11 %3))
      (let %14 bool (ne %11 %11))
      (let %15 bool (or %13 %14))
      (let %16 int64 (index r4))
      (let %17 int64 (where %15 %16 %12))
      (accumulate min a1 0 %17))
    (let %10 int64 (load a1 0))
    (store a3 r2 %10)))
