(print
  (car '(1) '(2))) ;; error: car
