(let ((double (caten (!add (make-tensor '(2) :from 'x) 1))))
  (forward double `(y . ,(make-tensor '(2))))) ;; error: `y`
