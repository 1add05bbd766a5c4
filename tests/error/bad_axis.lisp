(let ((a (make-tensor '(2 3))))
  (!sum a :axis 2)) ;; error: axis
