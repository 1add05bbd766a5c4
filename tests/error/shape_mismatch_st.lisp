(defclass Pair (Func) nil)
(defmethod forward ((op Pair) &rest tensors)
  (st "A[n m] B[n m] -> A[n m]" (tensors))) ;; error: `m`
(forward (make-instance 'Pair)
         (make-tensor '(2 3))
         (make-tensor '(2 4)))
;;; note: 3
;;; note: 4
