;;;; Comparisons (IEEE: every one but != is false for NaN) and selection.
(in-package :caten)

(define-binary !< less-op Comparison "a < b." :lower (%< a b))
(define-binary !<= less-equal-op Comparison "a <= b." :lower (%<= a b))
(define-binary !> greater-op Comparison "a > b." :lower (%> a b))
(define-binary !>= greater-equal-op Comparison "a >= b." :lower (%>= a b))
(define-binary !eq equal-op Comparison "a = b." :lower (%= a b))
(define-binary !neq not-equal-op Comparison "a != b." :lower (%/= a b))

(defun !isnan (x)
  "Whether each element is NaN."
  (let ((x (as-tensor x)))
    (!neq x x)))

(defun !isinf (x)
  "Whether each element is an infinity."
  (let ((x (as-tensor x)))
    (if (float-dtype-p (dtype-of x))
        (!or (!eq x (inf)) (!eq x (-inf)))
        (broadcast-to (constant nil :bool) (shape x)))))

(defclass where-op (Func) ()
  (:documentation "a where the condition is true, b elsewhere."))
(defmethod forward ((op where-op) &rest inputs)
  (st "Condition[~] A[~] B[~] -> A[~]" (inputs)))
(defmethod lower ((op where-op) &rest inputs)
  (destructuring-bind (condition a b) inputs
    (%where condition a b)))
(defmethod backward ((op where-op) &rest douts)
  (let ((condition (first (func-variables op)))
        (dout (first douts)))
    (values nil (!where condition dout 0.0) (!where condition 0.0 dout))))

(defun !where (condition a b)
  "a where the condition (bool, or != 0) is true, b elsewhere."
  (apply #'apply-op 'where-op
         (broadcast (cons (!cast condition :bool) (promote (list a b))))))

;;; Clipping -----------------------------------------------------------------------------------

(define-op clip-op (Elementwise) (x low high) "min(max(x, low), high); NaN stays."
  :lower (%min (%max x low) high)
  :backward (values (!where (!and (!>= x low) (!<= x high)) dout 0.0)
                    (!where (!and (!< x low) (!< low high)) dout 0.0)
                    (!where (!or (!> x high) (!< high low)) dout 0.0)))
(defmethod forward ((op clip-op) &rest inputs)
  (st "A[~] Low[~] High[~] -> A[~]" (inputs)))

(define-op clip-low-op (Elementwise) (x low) "max(x, low); NaN stays."
  :lower (%max x low)
  :backward (values (!where (!>= x low) dout 0.0) (!where (!< x low) dout 0.0)))
(define-op clip-high-op (Elementwise) (x high) "min(x, high); NaN stays."
  :lower (%min x high)
  :backward (values (!where (!<= x high) dout 0.0) (!where (!> x high) dout 0.0)))

(defun !clip (x low high)
  "The elements of x limited to low..high; nil means no limit. The gradient is 1 at the bounds."
  (cond ((and low high) (apply #'apply-op 'clip-op (broadcast-operands x low high)))
        (low (apply #'apply-op 'clip-low-op (broadcast-operands x low)))
        (high (apply #'apply-op 'clip-high-op (broadcast-operands x high)))
        (t (as-tensor x))))
