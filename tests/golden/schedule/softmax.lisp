;;; Softmax over rows: one kernel, the exponential computed once, stage schedule.
(defentry softmax-rows ((x (rows 8)))
  (!softmax x :axis -1))
;;; expect
(kernel 0
  (for rows (is r6 r4 r2 r0)
    (for 8 (is r7)
      (reduce %1:reduce:maximum-reduction (r6 0) -> scratch))
    (for 8 (is r5 r3)
      (map %4:exp:exp (r4 r5) -> scratch r5)
      (reduce %5:reduce:sum (r2 0) -> scratch))
    (for 8 (is r1)
      (map %7:div:div (r0 r1) -> output))))
