(defun f (x)
  (flet ((list (y) y)) ;; warning: hides the one of Common Lisp
    (list x)))
