;;;; A rule that fuses modules of one's own: a gated unit that multiplies its input with two weights is
;;;; replaced by one that multiplies it once with both. The model itself does not change.
;;;;
;;;;   catenc run samples/fuse_module.lisp

(defmodule (Project (()) :where "X[~ i] W[i j] -> Y[~ j]") ()
  :documentation "x·W"
  :impl ((op x w) (!matmul x w)))

(defmodule (Swish (()) :where "A[~] -> A[~]") ()
  :documentation "x * sigmoid(x)"
  :impl ((op x) (!mul x (!sigmoid x))))

(defmodule (Gate (()) :where "A[~] B[~] -> A[~]") ()
  :documentation "a * b"
  :impl ((op a b) (!mul a b)))

(defun gated-unit (x w1 w2)
  (forward (Gate) (forward (Swish) (forward (Project) x w1)) (forward (Project) x w2)))

;;; The fused module: one product with the weights side by side, then the halves.

(defmodule (GatedUnit (()) :where "X[~ i] W1[i j] W2[i j] -> Y[~ j]") ()
  :documentation "swish(x·W1) * (x·W2)"
  :impl ((op x w1 w2)
         (multiple-value-bind (a b) (!chunk (!matmul x (!concatenate 1 w1 w2)) 2 :dim -1)
           (!mul (!mul a (!sigmoid a)) b))))

(defun modules-of (tensor)
  "The modules that compute a tensor, from the result inwards."
  (let ((op (tensor-op tensor)))
    (when (typep op 'caten::Application)
      (cons (class-name (class-of (caten::application-module op)))
            (mapcan #'modules-of (caten::application-arguments op))))))

(defparameter *x* (ax+b '(2 3) 0.5 -1.0))
(defparameter *w1* (ax+b '(3 4) 0.125 -0.5))
(defparameter *w2* (ax+b '(3 4) -0.25 1.0))

(defparameter *plain* (gated-unit *x* *w1* *w2*))
(format t "as written: ~{~a~^ ~}~%" (modules-of *plain*))
(defparameter *before* (proceed *plain*))

(defsimplifier (fuse-gated-unit)
  ((Gate ((Swish ((Project (x w1)))) (Project (x w2)))) -> (forward (GatedUnit) x w1 w2)))

(defparameter *fused* (first (caten::apply-module-rules (list (gated-unit *x* *w1* *w2*)))))
(format t "with the rule: ~{~a~^ ~}~%" (modules-of *fused*))
(format t "same numbers: ~a~%" (allclose *before* (proceed (gated-unit *x* *w1* *w2*))))

;;; Rules over AIR rewrite what the modules expand to.

(defsimplifier (square-of-root)
  ((:mul ((:sqrt (x)) (:sqrt (x)))) -> x))

(format t "sqrt(x) * sqrt(x) at 3: ~a~%"
        (item (let ((root (!sqrt (make-tensor '() :initial-element 3.0)))) (!mul root root))))
