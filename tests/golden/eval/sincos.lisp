;;; A user's op through graph, kernels and TinyCC.
(defclass SinCos (Func) nil)
(defmethod forward ((op SinCos) &rest tensors) (st "A[~] -> A[~]" (tensors)))
(defmethod lower ((op SinCos) &rest inputs)
  (with-context
    (a (%sin (%add (car inputs) (%fconst (/ pi 2)))))
    (b (%sin a))))
(print (proceed (forward (make-instance 'SinCos) (make-tensor '(2 2) :initial-element 1.0))))
;;; expect

{Tensor[float32] :shape (2 2) :id 3
  ((0.514395 0.514395)
   (0.514395 0.514395))} 