(make-array '(2 2) ;; error: the initial contents have 1 elements
  :initial-contents '((1 2) (3)))
