;;; An elementwise chain over a symbolic size, stage schedule.
(defentry scale-shift ((x (n 4)))
  (!relu (!+ (!* x 2.0) 1.0)))
;;; expect
(kernel 0
  (for n (is r0)
    (for 4 (is r1)
      (map %6:max:relu (r0 r1) -> output))))
