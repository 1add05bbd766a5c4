(defclass square () ((side :initarg :side)))
(slot-value (make-instance 'square :side 1) 'sides) ;; error: class `SQUARE` has no slot `SIDES`; did you mean `SIDE`?
