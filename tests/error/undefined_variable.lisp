(let ((total 1))
  (print (+ totla total))) ;; error: totla
;;; note: total
