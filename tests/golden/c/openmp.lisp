;;; Rows that OpenMP may split. A sum over everything stays on one thread.
;;; args: --target=gnu
(defentry rows ((x (n 64)))
  (!softmax x))
(defentry total ((x (n)))
  (!sum x))
;;; expect
