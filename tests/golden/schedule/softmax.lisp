;;; Softmax over rows: one kernel, the exponential computed once, stage schedule.
(defentry softmax-rows ((x (rows 8)))
  (!softmax x :axis -1))
;;; expect
(kernel 0
  (for rows (is r8 r6 r4 r2 r0)
    (for 8 (is r9)
      (reduce %1:reduce:maximum-reduction (r8 0) -> scratch))
    (for 8 (is r7 r5)
      (map %4:exp:exp (r6 r7) -> scratch r7)
      (reduce %5:reduce:sum (r4 0) -> scratch))
    (map %6:recip:recip (r2 0) -> scratch)
    (for 8 (is r1)
      (map %8:mul:mul (r0 r1) -> output))))
