(print
  (- (inf) (inf))) ;; error: invalid
