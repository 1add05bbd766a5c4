(defun area (width
             height) ;; warning: variable `height` is never used
  (* width width))
(print (area 2 3))
