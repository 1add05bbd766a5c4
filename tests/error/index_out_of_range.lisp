(let ((v (vector 1 2 3)))
  (print
    (aref v 3))) ;; error: 3
