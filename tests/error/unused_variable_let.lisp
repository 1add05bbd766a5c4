(defun f (x)
  (let ((a x)
        (b (car x))) ;; warning: variable `b` is never used
    a))
