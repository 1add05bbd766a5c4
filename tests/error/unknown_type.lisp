(print
  (typep 1 'integr)) ;; error: did you mean
