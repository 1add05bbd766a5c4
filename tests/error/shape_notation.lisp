(defclass Bad (Func) nil)
(defmethod forward ((op Bad) &rest tensors)
  (st "A[n -> A[n]" (tensors))) ;; error: A[n
(forward (make-instance 'Bad) (make-tensor '(2)))
