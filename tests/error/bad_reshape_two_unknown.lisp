(let ((a (make-tensor '(2 3))))
  (!reshape a '(-1 -1))) ;; error: -1
