;;;; A tour of the language, from tensors to a compiled function. Run it with
;;;;
;;;;   catenc run samples/tutorial.lisp

;;; 1. Tensors are lazy: building an expression computes nothing.

(defparameter *x* (make-tensor '(2 3) :from '((1.0 2.0 3.0) (4.0 5.0 6.0))))
(defparameter *y* (!add (!mul *x* 2) 1))
(format t "1. ~a~%" (shape *y*))

;;; 2. `proceed` compiles the expression to machine code, runs it and returns a tensor with data.

(format t "2. ~a~%" (change-facet (proceed *y*) :list))

;;; 3. Operands broadcast as in NumPy; reductions keep their axes with size 1.

(format t "3. ~a~%" (change-facet (proceed (!sub *x* (!mean *x* :axis 1))) :list))

;;; 4. An op is a class with three methods: `forward` says what shape comes out, `lower` says how it
;;;    is computed, `backward` (optional) how its gradient is.

(defclass Cube (Func) ()
  (:documentation "x * x * x."))
(defmethod forward ((op Cube) &rest tensors)
  (st "A[~] -> A[~]" (tensors)))
(defmethod lower ((op Cube) &rest inputs)
  (let ((x (first inputs)))
    (%mul x (%mul x x))))
(defmethod backward ((op Cube) &optional dout)
  (let ((x (first (func-variables op))))
    (!mul dout (!mul 3.0 (!square x)))))

(defun cube (x) (forward (make-instance 'Cube) x))
(format t "4. ~a~%" (change-facet (proceed (cube *x*)) :list))

;;; 5. A module is a composition of ops with a name of its own.

(defmodule (Standardize ((&key (eps 1e-6)) :eps eps) :where "A[~] -> A[~]") ()
  :documentation "Mean 0 and deviation 1 over the last axis."
  :impl ((op x)
         (let ((d (!sub x (!mean x :axis -1))))
           (!div d (!sqrt (!add (!mean (!square d) :axis -1) (module-attr op :eps)))))))

(format t "5. ~a~%" (change-facet (proceed (forward (Standardize) *x*)) :list))

;;; 6. A model has parameters. `defcall` checks the shapes of its inputs and binds their sizes.

(defmodel (Scale (features))
    ((factor (make-tensor (list features) :initial-element 10.0 :requires-grad t))))
(defcall (model Scale) (X[Batch Features])
  (!mul x (slot-value model 'factor)))

(defparameter *scale* (Scale 3))
(format t "6. ~a ~a~%" (change-facet (proceed (forward *scale* *x*)) :list)
        (state-dict-keys (get-state-dict *scale*)))

;;; 7. `caten` compiles once for all sizes; symbols in shapes are bound when it runs.

(defparameter *sum* (caten (!sum (make-input 'v '(n)))))
(format t "7. ~a~%" (item (forward *sum* (cons 'n 3) (cons 'v (make-tensor '(3) :initial-element 2.0)))))

;;; 8. `defentry` names what `catenc samples/tutorial.lisp -o kernels.c` writes as a C function.

(defentry standardize ((x (rows columns)))
  (forward (Standardize) x))
