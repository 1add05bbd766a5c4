(with-input-from-string (in "")
  (read-line in)) ;; error: end of file
