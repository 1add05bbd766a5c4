;;;; Softmax over the rows of a matrix, for any number of rows and columns: one kernel.
;;;;
;;;;   catenc samples/softmax.lisp -o kernels.c
;;;;   catenc --explain-fusion samples/softmax.lisp

(defentry softmax-rows ((x (rows columns)))
  (!softmax x :axis -1))

;; Only under `catenc run`, which binds the script's arguments.
(when (boundp '*args*)
  (print (change-facet (!softmax (make-tensor '(2 3) :from '((1.0 2.0 3.0) (1.0 1.0 1.0)))) :list))
  (terpri))
