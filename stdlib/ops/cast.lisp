;;;; Changes of dtype.
(in-package :caten)

(defclass Cast (Func)
  ((dtype :initarg :dtype :accessor cast-dtype))
  (:documentation "Conversion of the elements: floats truncate and saturate, x to bool is x != 0."))

(defmethod forward ((op Cast) &rest inputs)
  (st "A[~] -> A[~]" (inputs) (:dtype . (cast-dtype op))))
(defmethod lower ((op Cast) &rest inputs)
  (%cast (first inputs) (cast-dtype op)))
(defmethod backward ((op Cast) &rest douts)
  (let ((dtype (dtype-of (first (func-variables op)))))
    (if (and (float-dtype-p dtype) (float-dtype-p (cast-dtype op)))
        (!cast (first douts) dtype)
        nil)))

(defun !cast (x dtype)
  "The elements of `x` converted to `dtype`."
  (let ((x (as-tensor x)))
    (cond ((eq (dtype-of x) dtype) x)
          (t (forward (make-instance 'Cast :dtype dtype) x)))))

(defclass Bitcast (Func)
  ((dtype :initarg :dtype :accessor cast-dtype))
  (:documentation "The same bits seen as another dtype of equal width."))

(defmethod forward ((op Bitcast) &rest inputs)
  (st "A[~] -> A[~]" (inputs) (:dtype . (cast-dtype op))))
(defmethod lower ((op Bitcast) &rest inputs)
  (%bitcast (first inputs) (cast-dtype op)))

(defun !bitcast (x dtype)
  "The bits of `x` as elements of `dtype`, which has the same width."
  (forward (make-instance 'Bitcast :dtype dtype) x))

(defun float-type-of (x)
  "The float dtype that computes on `x`, a tensor or a dtype."
  (default-float-of (if (tensor-p x) (dtype-of x) x)))
