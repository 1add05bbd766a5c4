(print
  (mapcar 'when '(t) '(1))) ;; error: macro
