(defclass a (integer) ()) ;; error: built-in
