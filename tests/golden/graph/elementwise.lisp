;;; An elementwise chain over a symbolic size, stage graph.
(defentry scale-shift ((x (n 4)))
  (!relu (!+ (!* x 2.0) 1.0)))
;;; expect
%0 = input x float32 (n 4)
%1 = const 2.0 weak float32 (n 4)
%2 = mul(%0, %1) float32 (n 4)
%3 = const 1.0 weak float32 (n 4)
%4 = add(%2, %3) float32 (n 4)
%5 = relu(%4) float32 (n 4)
return %5
