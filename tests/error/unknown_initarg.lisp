(defclass square () ((side :initarg :side)))
(make-instance 'square :sied 1) ;; error: class `SQUARE` takes no initialization argument :SIED; did you mean :SIDE?
