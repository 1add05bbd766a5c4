(defun box (&key width height) (* width height))
(print
  (box :width 1 :heigth 2)) ;; error: `box` takes no keyword argument `:HEIGTH`
;;; note: did you mean `:HEIGHT`?
;;; note: unknown_keyword.lisp:1:1: note: `box` is defined here
