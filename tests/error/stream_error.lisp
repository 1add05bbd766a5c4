(let ((in (make-string-input-stream "a")))
  (close in)
  (read-char in)) ;; error: closed
