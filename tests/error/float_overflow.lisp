(exp 1000.0) ;; error: overflow
