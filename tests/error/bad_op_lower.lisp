(defclass Halve (Func) nil)
(defmethod forward ((op Halve) &rest xs)
  (st "A[~] -> A[~]" (xs)))
(proceed (forward (make-instance 'Halve) (rand '(3))))  ;; error: `Halve` has no `lower` method
