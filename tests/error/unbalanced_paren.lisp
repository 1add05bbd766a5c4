(defun thrice (x) ;; error: parenthesis
  (let ((y (* 3 x))
    y))
(defun twice (x)
  (* 2 x))
;;; note: this form starts in the first column: is a parenthesis missing before it?
