(defun half (n)
  (assert (evenp n)) ;; error: (EVENP N)
  (/ n 2))
(half 3)
;;; note: in `(half 3)`, called here
