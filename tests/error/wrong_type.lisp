(defun f (x)
  (+ x 1)) ;; error: "one"
(f "one")
