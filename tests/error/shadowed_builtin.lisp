(defun !relu (x) ;; warning: replaces the function `!relu`
  (!maximum x 0.0))
