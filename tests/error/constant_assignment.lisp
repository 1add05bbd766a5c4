(defconstant limit 3)
(setf limit 4) ;; error: `LIMIT` is a constant
