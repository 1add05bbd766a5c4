(defun f ()
  (return-from g 1)) ;; error: no block named `G`
(f)
