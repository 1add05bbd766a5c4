(print
  (* 4611686018427387904 4)) ;; error: overflow
