(defun down (n)
  (+ 1 (down (- n 1)))) ;; error: stack exhausted
(down 1)
;;; note: in `(down
