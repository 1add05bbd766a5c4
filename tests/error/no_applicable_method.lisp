(defgeneric area (shape))
(defmethod area ((shape cons)) (* (car shape) (cdr shape)))
(print (area "square")) ;; error: generic function `AREA` has no method for argument type STRING
