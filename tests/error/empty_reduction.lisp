(let ((x (make-tensor '(0 2))))
  (!max x :axis 0)) ;; error: empty
