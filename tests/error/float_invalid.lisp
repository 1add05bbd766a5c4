(let ((zero 0.0))
  (/ zero zero)) ;; error: invalid
