(format t ;; error: no more arguments
  "~a and ~a~%" 1)
