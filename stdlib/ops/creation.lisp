;;;; Tensors from formulas, and places: what is written with `!assign`.
(in-package :caten)

(defun !full (shape value &key (dtype (scalar-dtype value)))
  "A tensor with `value` (a number or a scalar tensor) in every element."
  (!expand (if (tensor-p value) value (constant value dtype)) shape))

(defun ax+b (shape a b &key (dtype *default-float*))
  "a * i + b for the row-major number i of each element."
  (!add (!mul (!cast (!index-components shape) dtype) a) b))

(defun linspace (shape a b &key (dtype *default-float*) requires-grad)
  "As ax+b, computed now."
  (let ((result (proceed (ax+b shape a b :dtype dtype))))
    (setf (requires-grad result) requires-grad)
    result))

(defun detach (x)
  "The values of `x` without a gradient."
  (with-no-grad (!copy x)))

;;; State ----------------------------------------------------------------------------------------

(defclass assign-op (Func)
  ((slices :initarg :slices :accessor slices))
  (:documentation "The first input with a slice overwritten by the second."))
(defmethod forward ((op assign-op) &rest inputs)
  (result-like (first inputs) (shape (first inputs))))
(defmethod lower ((op assign-op) &rest inputs)
  (%assign (first inputs) (second inputs) (slices op)))

(defun !assign (place value)
  "Writes `value` into the stored tensor or the view of one that `place` is; returns the new place."
  (let* ((view-p (typep (tensor-op place) 'slice-op))
         (base (if view-p (first (tensor-variables place)) place))
         (slices (if view-p
                     (slices (tensor-op place))
                     (loop for dim in (shape place) collect (list 0 dim 1))))
         (value (broadcast-to (at-dtype value (dtype-of place)) (shape place)))
         (result (forward (make-instance 'assign-op :slices slices) base value)))
    (if view-p (slice result slices) result)))

(defun !move (place value &key reduce)
  "As `!assign`."
  (declare (ignore reduce))
  (!assign place value))
