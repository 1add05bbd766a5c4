(let ((a (make-tensor '(2 3))))
  (!reshape a '(4 2))) ;; error: reshape
;;; note: 6
;;; note: 8
