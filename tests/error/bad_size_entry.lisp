;;; args: -o -
(defentry f ((x (n)) (y (-3))) ;; error: negative size -3
  (!add x y))
