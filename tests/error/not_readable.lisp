(let ((*print-readably* t))
  (print #'car)) ;; error: readably
