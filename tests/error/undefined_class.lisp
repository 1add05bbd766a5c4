(defclass square () (side))
(make-instance 'sqare) ;; error: there is no class named `SQARE`; did you mean `SQUARE`?
