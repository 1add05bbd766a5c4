;;; An elementwise chain over a symbolic size, stage air.
(defentry scale-shift ((x (n 4)))
  (!relu (!+ (!* x 2.0) 1.0)))
;;; expect
(symbols n)
%0 = (input float32 (n 4) x)  ; x
%1 = (const float32 (n 4) 2.0)
%2 = (mul float32 (n 4) %0 %1)  ; mul
%3 = (const float32 (n 4) 1.0)
%4 = (add float32 (n 4) %2 %3)  ; add
%5 = (const int64 () 0)
%6 = (const float32 () 0.0)
%7 = (const float32 (n 4) 0.0)
%8 = (max float32 (n 4) %4 %7)  ; relu
(inputs %0)
(outputs (out %8))
