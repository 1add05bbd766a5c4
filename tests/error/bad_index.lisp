(let ((x (make-tensor '(3 2))))
  (!view x 3)) ;; error: index 3
