(defun half (x)
  (halve x)) ;; warning: function `halve` is not defined anywhere
