(defun half (x)
  (let (y (/ x 2)) ;; warning: `half` cannot be called
    y))
