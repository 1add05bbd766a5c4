(defun twice (x)
  (* 2 x))
(defun thrice (x) ;; error: parenthesis
  (* 3 x)
