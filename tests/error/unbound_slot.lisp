(defclass square () ((side :initarg :side :reader side)))
(side (make-instance 'square)) ;; error: slot `SIDE` of an instance of `SQUARE` is unbound
