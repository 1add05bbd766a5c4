(defclass Pair (Func) nil)
(defmethod forward ((op Pair) &rest tensors)
  (st "A[n m] B[n m] -> A[n m]" (tensors)))
(forward (make-instance 'Pair) ;; error: `
         (make-tensor '(2 3))
         (make-tensor '(2 4)))
;;; note: 3
;;; note: 4
