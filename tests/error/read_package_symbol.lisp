(print (alexandria:flaten '(1 (2)))) ;; error: flaten
;;; note: flatten
