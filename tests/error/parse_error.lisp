(print
  (parse-integer "12x")) ;; error: 12x
