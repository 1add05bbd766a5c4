(let ((a (make-tensor '(2 3)))
      (b (make-tensor '(4 3))))
  (!add a b)) ;; error: 2
;;; note: 4
