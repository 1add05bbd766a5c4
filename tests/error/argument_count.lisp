(defun scale (x factor)
  (* x factor))
(defun half (x)
  (scale x)) ;; warning: `scale` takes 2 arguments; 1 given
;;; note: argument_count.lisp:1:1: note: `scale` is defined here
