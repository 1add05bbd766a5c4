;;; A rule over AIR with a condition and a computed constant, stage air-simplified.
(defsimplifier (merge-scales)
  ((:mul ((:mul (x (number a))) (number b))) -> (:mul (x (:const (* a b)))) :when (> b 2)))
(defentry f ((x (n 4)))
  (list (!mul (!mul x 3.0) 5.0) (!mul (!mul x 5.0) 2.0)))
;;; expect
(symbols n)
%0 = (input float32 (n 4) x)  ; x
%1 = (const float32 (n 4) 5.0)
%2 = (const float32 (n 4) 15.0)
%3 = (mul float32 (n 4) %0 %2)  ; mul
%4 = (mul float32 (n 4) %0 %1)  ; mul
%5 = (const float32 (n 4) 2.0)
%6 = (mul float32 (n 4) %4 %5)  ; mul
(inputs %0)
(outputs (out0 %3) (out1 %6))
