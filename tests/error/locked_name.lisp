(defun list (&rest items) ;; error: part of Common Lisp
  items)
