(print
  #c(1 2)) ;; error: complex
