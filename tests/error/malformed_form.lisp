(print
  (let (x 1) ;; error: malformed
    x))
