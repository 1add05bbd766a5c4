(make-tensor '(2 -3)) ;; error: -3
