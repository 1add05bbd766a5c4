(let ((x (make-tensor '(2))))
  (proceed
   (!assign (!add x 1) x))) ;; error: stored tensor
