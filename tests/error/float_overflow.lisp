(print
  (* 1.0e38 1.0e38)) ;; error: overflow
