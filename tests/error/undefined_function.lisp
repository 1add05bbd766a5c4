(defun norm (x) (sqrt x))
(print (nrom 4.0)) ;; error: nrom
;;; note: norm
