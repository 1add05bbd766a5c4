(defclass Broken (Func) nil)
(defmethod forward ((op Broken) &rest tensors)
  (st "A[n] -> A[n]" (tensors)))
(defmethod lower ((op Broken) &rest inputs)
  (values (car inputs) (car inputs)))
(proceed
  (forward (make-instance 'Broken) (make-tensor '(2)))) ;; error: `lower`
