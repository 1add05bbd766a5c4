(defun ratio (a b)
  (/ a b)) ;; error: division by zero
(ratio 1 0)
