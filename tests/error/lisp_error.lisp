(defun check (n)
  (when (< n 0)
    (error "negative: ~a" n)) ;; error: negative: -3
  n)
(check -3)
