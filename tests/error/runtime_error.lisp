(let ((at (make-tensor '(1) :from '(5) :dtype :int64)))
  (print
    (proceed (!gather (make-tensor '(3)) at)))) ;; error: 5
