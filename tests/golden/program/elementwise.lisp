;;; An elementwise chain over a symbolic size, stage program.
(defentry scale-shift ((x (n 4)))
  (!relu (!+ (!* x 2.0) 1.0)))
;;; expect
program scale_shift n
  arena     0 bytes
  input     %0 = float32 (n 4) x
  output    %1 = float32 (n 4) out
  call      scale_shift_relu(%0, %1)
  return    %1
