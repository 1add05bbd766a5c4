(print
  (read-from-string "(1 2")) ;; error: end of
