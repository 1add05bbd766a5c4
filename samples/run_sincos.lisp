;;;; The op of sincos.lisp, compiled in memory and run on a matrix of ones.
(load "samples/sincos.lisp")

(print (proceed (forward (make-instance 'SinCos) (make-tensor `(3 3) :initial-element 1.0))))
(terpri)
