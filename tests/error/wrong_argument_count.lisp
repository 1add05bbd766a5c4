(defun add (a b) (+ a b))
(print
  (add 1 2 3)) ;; error: add
