(defclass SinCos (Func) nil
  (:documentation "The func SinCos computes sin(cos(x))"))
(defmethod forward ((op SinCos) &rest tensors)
  (st "A[~] -> A[~]" (tensors)))
(defmethod backward ((op SinCos) &optional prev-grad)
  (declare (ignore prev-grad))
  nil)
(defmethod lower ((op SinCos) &rest inputs)
  (let ((x (car inputs)))
    (with-context
      (a (%sin (%add x (%fconst (/ pi 2)))))
      (b (%sin a)))))
