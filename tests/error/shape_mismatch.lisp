(let ((a (make-tensor '(3 4)))
      (b (make-tensor '(5 6))))
  (!matmul a b)) ;; error: 4
;;; note: 5
